package worker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayestream/internal/shell/stream"
)

// describer describes topics. A *stream.Client is one.
type describer interface {
	Topic(ctx context.Context, name string) (stream.TopicInfo, error)
}

// RefuseCompacted refuses a topic of which brokers remove records by key.
func RefuseCompacted(name string, info stream.TopicInfo) error {
	const key = "cleanup.policy"
	if !strings.Contains(info.Config[key], "compact") {
		return nil
	}
	return fmt.Errorf("topic %q has %s=%s: records that the broker removes by key could not be counted or taken out "+
		"again; use a topic without", name, key, info.Config[key])
}

// refuseLog refuses a model topic that may lose records. What it does not refuse is how large
// records may be from then on.
func (w *Worker) refuseLog(name string, info stream.TopicInfo) error {
	if info.Partitions != 1 {
		return fmt.Errorf("model topic %q has %d partitions and must have one: its records have one order", name,
			info.Partitions)
	}
	if policy := info.Config["cleanup.policy"]; strings.Contains(policy, "compact") {
		return fmt.Errorf("model topic %q has cleanup.policy=%s: a compacted topic takes no records without a key; set it "+
			"to delete", name, policy)
	}
	weak := strings.Join(weakSettings(info.Config), "; ")
	if weak != "" && !w.config.AllowWeakTopic {
		return fmt.Errorf("model topic %q may lose records: %s; change its settings, or start with --allow-weak-topic", name,
			weak)
	}
	w.mu.Lock()
	isNew := weak != w.weak
	w.weak = weak
	if bytes, err := strconv.Atoi(info.Config["max.message.bytes"]); err == nil {
		w.logBytes = bytes
	}
	w.mu.Unlock()
	if weak != "" && isNew {
		w.log.Warn("the model topic may lose records", "topic", name, "settings", weak)
	}
	return nil
}

// weakSettings returns the settings of a model topic with which it may lose records, sorted.
func weakSettings(config map[string]string) (weak []string) {
	for key, want := range logConfig {
		if got := config[key]; got != "" && got != want && !(key == "max.message.bytes" && atLeast(got, want)) {
			weak = append(weak, fmt.Sprintf("%s is %s, want %s", key, got, want))
		}
	}
	slices.Sort(weak)
	return weak
}

func atLeast(got, want string) bool {
	g, err := strconv.ParseInt(got, 10, 64)
	w, _ := strconv.ParseInt(want, 10, 64)
	return err == nil && g >= w
}

// LogMessageBytes returns max.message.bytes of the model topic as it was when its settings were
// last good enough, 0 if the brokers have not shown it.
func (w *Worker) LogMessageBytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logBytes
}

// watch has the settings of a topic compared while the worker runs.
func (w *Worker) watch(t Topic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.ContainsFunc(w.watched, func(known Topic) bool { return known.Name == t.Name }) {
		w.watched = append(w.watched, t)
	}
}

// compareSettings looks each CompareEvery, until ctx ends, whether the topics are still such as a
// start accepts. It ends no work: what is wrong can be set back.
func (w *Worker) compareSettings(ctx context.Context) error {
	tick := time.NewTicker(CompareEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		w.mu.Lock()
		watched := slices.Clone(w.watched)
		w.mu.Unlock()
		for _, t := range watched {
			info, err := w.topics.Topic(ctx, t.Name)
			if err != nil {
				continue // nothing is known; other checks say that the brokers are away
			}
			w.noteSettings(t.Name, info)
			w.reportSettings(t.Name, t.Refuse(t.Name, info))
		}
	}
}

// partSettings begins the name of the check of a topic's settings.
const partSettings = "settings of "

// reportSettings reports what is wrong with the settings of a topic, and logs it when that changes.
func (w *Worker) reportSettings(topic string, err error) {
	w.mu.Lock()
	before := w.trouble[partSettings+topic]
	w.mu.Unlock()
	w.report(partSettings+topic, err)
	switch {
	case err != nil && err.Error() != before:
		w.log.Error("a topic was changed while the worker runs: set it back", "topic", topic, "reason", err)
	case err == nil && before != "":
		w.log.Info("a topic was set back", "topic", topic)
	}
}

// settingsHidden says why the settings of a topic are not checked.
const settingsHidden = "the brokers do not show the topic's settings to this user, so that records may be lost " +
	"unseen; allow it to describe the topic's configuration (DescribeConfigs)"

// noteSettings remembers whether the brokers hide the settings of a topic, and logs once that they
// do.
func (w *Worker) noteSettings(topic string, info stream.TopicInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.Index(w.unseen, topic)
	switch {
	case info.Config == nil && at < 0:
		w.unseen = append(w.unseen, topic)
		w.log.Warn("the settings of a topic are not checked", "topic", topic, "reason", settingsHidden)
	case info.Config != nil && at >= 0:
		w.unseen = slices.Delete(w.unseen, at, at+1)
	}
}
