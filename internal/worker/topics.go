package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/stream"
)

// Topic is what a worker needs of a topic.
type Topic struct {
	Name       string
	Partitions int               // of a topic that is created
	Config     map[string]string // of a topic that is created
	Refuse     map[string]string // settings that may not contain a value
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

// CreateLog creates the topic of a model log, with the settings that keep its records, if it is missing. replication is
// that of the topic; -1 for the default of the brokers.
func CreateLog(ctx context.Context, client *stream.Client, name string, replication int) (created bool, err error) {
	err = client.CreateTopic(ctx, stream.TopicSpec{Name: name, Partitions: 1, Replication: replication, Config: logConfig})
	if errors.Is(err, stream.ErrTopicExists) {
		return false, nil
	}
	return err == nil, err
}

// ensureTopics checks the topics that all workers need.
func (w *Worker) ensureTopics(ctx context.Context) error {
	if err := w.EnsureTopic(ctx, Topic{Name: w.config.ModelTopic, Partitions: 1, Config: logConfig}); err != nil {
		return err
	}
	if err := w.checkLog(ctx); err != nil {
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

// EnsureTopic creates the topic if it is missing and the configuration allows that, and refuses settings with which
// counts or answers could be wrong.
func (w *Worker) EnsureTopic(ctx context.Context, t Topic) error {
	info, err := w.findTopic(ctx, t)
	if errors.Is(err, stream.ErrUnknownTopic) {
		return fmt.Errorf("topic %q does not exist: create it, or start with --create-topics", t.Name)
	}
	if err != nil {
		return err
	}
	if len(t.Refuse) > 0 {
		w.noteSettings(t.Name, info)
	}
	for key, bad := range t.Refuse {
		if strings.Contains(info.Config[key], bad) {
			return fmt.Errorf("topic %q has %s=%s: records that the broker removes by key could not be counted or taken out again; use a topic without", t.Name, key, info.Config[key])
		}
	}
	return nil
}

// findTopic describes a topic. If it is missing and may be created, nothing waits for another one to create it.
func (w *Worker) findTopic(ctx context.Context, t Topic) (stream.TopicInfo, error) {
	if !w.config.CreateTopics {
		return w.Client.Topic(ctx, t.Name)
	}
	info, exists, err := w.Client.FindTopic(ctx, t.Name)
	if exists || err != nil {
		return info, err
	}
	err = w.Client.CreateTopic(ctx, stream.TopicSpec{Name: t.Name, Partitions: t.Partitions, Replication: w.config.Replication, Config: t.Config})
	switch {
	case err == nil:
		w.log.Info("topic created", "topic", t.Name, "partitions", t.Partitions)
	case !errors.Is(err, stream.ErrTopicExists): // else another worker was faster
		return info, err
	}
	return w.Client.Topic(ctx, t.Name)
}

// checkLog refuses a model topic that may lose records.
func (w *Worker) checkLog(ctx context.Context) error {
	info, err := w.Client.Topic(ctx, w.config.ModelTopic)
	if err != nil {
		return err
	}
	if info.Partitions != 1 {
		return fmt.Errorf("model topic %q has %d partitions and must have one: its records have one order", w.config.ModelTopic, info.Partitions)
	}
	w.noteSettings(w.config.ModelTopic, info)
	w.logBytes, _ = strconv.Atoi(info.Config["max.message.bytes"])
	var weak []string
	for key, want := range logConfig {
		if got := info.Config[key]; got != "" && got != want && !(key == "max.message.bytes" && atLeast(got, want)) {
			weak = append(weak, fmt.Sprintf("%s is %s, want %s", key, got, want))
		}
	}
	if len(weak) == 0 {
		return nil
	}
	slices.Sort(weak)
	if w.config.AllowWeakTopic {
		w.log.Warn("the model topic may lose records", "topic", w.config.ModelTopic, "settings", weak)
		return nil
	}
	return fmt.Errorf("model topic %q may lose records: %s; change its settings, or start with --allow-weak-topic", w.config.ModelTopic, strings.Join(weak, "; "))
}

// LogMessageBytes returns max.message.bytes of the model topic as it was at the start, 0 if the brokers do not show it. It
// is for the loop of the worker.
func (w *Worker) LogMessageBytes() int { return w.logBytes }

// settingsHidden says why the settings of a topic are not checked.
const settingsHidden = "the brokers do not show the topic's settings to this user, so that records may be lost unseen; " +
	"allow it to describe the topic's configuration (DescribeConfigs)"

// noteSettings remembers a topic whose settings the brokers hide.
func (w *Worker) noteSettings(topic string, info stream.TopicInfo) {
	if info.Config != nil {
		return
	}
	w.log.Warn("the settings of a topic are not checked", "topic", topic, "reason", settingsHidden)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unseen = append(w.unseen, topic)
}

func atLeast(got, want string) bool {
	g, err := strconv.ParseInt(got, 10, 64)
	w, _ := strconv.ParseInt(want, 10, 64)
	return err == nil && g >= w
}
