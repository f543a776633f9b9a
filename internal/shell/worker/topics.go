package worker

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/shell/stream"
)

// Topic is what a worker needs of a topic.
type Topic struct {
	Name       string
	Partitions int               // of a topic that is created
	Config     map[string]string // of a topic that is created
	// Refuse says why counts could be wrong with what a topic of that name is now, and then again each
	// CompareEvery; nil: any topic will do.
	Refuse func(name string, info stream.TopicInfo) error
}

// logConfig are the settings without which the model log could lose records. The check is on what a
// record may lose, so a larger message size is as good.
var logConfig = map[string]string{
	"cleanup.policy":                 "delete",
	"retention.ms":                   "-1",
	"retention.bytes":                "-1",
	"max.message.bytes":              "4194304",
	"unclean.leader.election.enable": "false",
}

// CreateLog creates the topic of a model log, with the settings that keep its records and the
// replication of the brokers, if it is missing.
func CreateLog(ctx context.Context, client *stream.Client, name string) (created bool, err error) {
	err = client.CreateTopic(ctx, stream.TopicSpec{Name: name, Partitions: 1, Replication: -1, Config: logConfig})
	if errors.Is(err, stream.ErrTopicExists) {
		return false, nil
	}
	return err == nil, err
}

// ensureTopics checks the topics that all workers need.
func (w *Worker) ensureTopics(ctx context.Context) error {
	if err := w.EnsureTopic(ctx,
		Topic{Name: w.config.ModelTopic, Partitions: 1, Config: logConfig, Refuse: w.refuseLog}); err != nil {
		return err
	}
	if err := w.EnsureTopic(ctx, Topic{Name: w.config.DeadTopic, Partitions: w.config.Partitions}); err != nil {
		return err
	}
	var err error
	w.deadPart, err = w.TopicPartitions(ctx, w.config.DeadTopic)
	return err
}

// TopicPartitions returns how many partitions a topic has.
func (w *Worker) TopicPartitions(ctx context.Context, name string) (int, error) {
	info, err := w.Client.Topic(ctx, name)
	if err != nil {
		return 0, err
	}
	return info.Partitions, nil
}

// EnsureTopic creates the topic if it is missing and the configuration allows that, and refuses
// settings with which counts or answers could be wrong.
func (w *Worker) EnsureTopic(ctx context.Context, t Topic) error {
	info, err := w.findTopic(ctx, t)
	if errors.Is(err, stream.ErrUnknownTopic) {
		return fmt.Errorf("topic %q does not exist: create it, or start with --create-topics", t.Name)
	}
	if err != nil || t.Refuse == nil {
		return err
	}
	w.watch(t)
	w.noteSettings(t.Name, info)
	return t.Refuse(t.Name, info)
}

// findTopic describes a topic. If it is missing and may be created, nothing waits for another one
// to create it.
func (w *Worker) findTopic(ctx context.Context, t Topic) (stream.TopicInfo, error) {
	if !w.config.CreateTopics {
		return w.Client.Topic(ctx, t.Name)
	}
	info, exists, err := w.Client.FindTopic(ctx, t.Name)
	if exists || err != nil {
		return info, err
	}
	err = w.Client.CreateTopic(ctx,
		stream.TopicSpec{Name: t.Name, Partitions: t.Partitions, Replication: w.config.Replication, Config: t.Config})
	switch {
	case err == nil:
		w.log.Info("topic created", "topic", t.Name, "partitions", t.Partitions)
	case !errors.Is(err, stream.ErrTopicExists): // else another worker was faster
		return info, err
	}
	return w.Client.Topic(ctx, t.Name)
}
