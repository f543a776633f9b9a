package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// topics are described as a test says.
type topics struct {
	mu       sync.Mutex
	settings map[string]map[string]string // by topic; nil: hidden
	err      error
}

func (t *topics) Topic(_ context.Context, name string) (stream.TopicInfo, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return stream.TopicInfo{Partitions: 1, Config: maps.Clone(t.settings[name])}, t.err
}

// watched is a worker that runs on a model topic and a training topic, between two looks at their
// settings.
type watched struct {
	*Worker
	t      *testing.T
	topics *topics
	log    bytes.Buffer
}

// startWatched starts the worker in the bubble of a test, and returns what ends it.
func startWatched(t *testing.T, c config.Worker) (w *watched, end func()) {
	w = &watched{t: t, topics: &topics{settings: map[string]map[string]string{"model": maps.Clone(logConfig), "training": {"cleanup.policy": "delete"}}}}
	memory := kafkatest.NewMemory()
	memory.CreateTopic("model", 1)
	c.CheckpointEach = time.Hour
	c.CheckpointRows = 1 << 20
	w.Worker, _ = newIdle(t, c)
	w.Worker.log = slog.New(slog.NewTextHandler(&w.log, nil))
	w.Worker.topics = w.topics
	w.Replica = modellog.New(memory, "model", fold.New(false), modellog.Observer{Folded: func(fold.Outcome) {}}, slog.New(slog.DiscardHandler))
	for _, topic := range []Topic{{Name: "model", Refuse: w.refuseLog}, {Name: "training", Refuse: RefuseCompacted}} {
		w.watch(topic)
		if err := topic.Refuse(topic.Name, stream.TopicInfo{Partitions: 1, Config: w.topics.settings[topic.Name]}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		nothing := func(context.Context) error { return nil }
		ended <- w.runWithTopics(ctx, nothing, func(ctx context.Context) error { <-ctx.Done(); return nil })
	}()
	time.Sleep(time.Second)
	return w, func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// set sets a setting of a topic, and waits until the worker has looked.
func (w *watched) set(topic, key, value string) {
	w.topics.mu.Lock()
	w.topics.settings[topic][key] = value
	w.topics.mu.Unlock()
	time.Sleep(CompareEvery)
	synctest.Wait()
}

// want checks what is wrong with the settings of a topic; "" for nothing.
func (w *watched) want(topic, sentence string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := w.trouble["settings of "+topic]; got != sentence {
		w.t.Errorf("the settings of topic %s: %q, want %q", topic, got, sentence)
	}
}

// TestSettingsAreCompared changes settings while the worker runs: within CompareEvery it says what
// the start says, as long as that is so, and logs it once.
func TestSettingsAreCompared(t *testing.T) {
	for _, c := range []struct{ topic, key, bad, good, says string }{
		{"model", "cleanup.policy", "compact,delete", "delete", `model topic "model" has cleanup.policy=compact,delete: a compacted topic takes no records without a key; set it to delete`},
		{"model", "retention.ms", "60000", "-1", `model topic "model" may lose records: retention.ms is 60000, want -1; change its settings, or start with --allow-weak-topic`},
		{"model", "max.message.bytes", "1048588", "4194304", `model topic "model" may lose records: max.message.bytes is 1048588, want 4194304; change its settings, or start with --allow-weak-topic`},
		{"training", "cleanup.policy", "compact,delete", "delete", `topic "training" has cleanup.policy=compact,delete: records that the broker removes by key could not be counted or taken out again; use a topic without`},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, end := startWatched(t, config.Worker{})
			w.want(c.topic, "")
			w.set(c.topic, c.key, c.bad)
			w.want(c.topic, c.says)
			w.set(c.topic, c.key, c.bad)
			if n := strings.Count(w.log.String(), "a topic was changed while the worker runs"); n != 1 || w.LogMessageBytes() != 4<<20 {
				t.Errorf("%s %s: logged %d times, deltas for a topic of %d bytes", c.topic, c.key, n, w.LogMessageBytes())
			}
			w.set(c.topic, c.key, c.good)
			w.want(c.topic, "")
			end()
		})
	}
}

// TestWeakSettingsAreAllowed: with --allow-weak-topic the worker stays ready, warns once, and
// writes deltas for the limit that the topic has. A compacted topic is refused all the same.
func TestWeakSettingsAreAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, end := startWatched(t, config.Worker{AllowWeakTopic: true})
		defer end()
		for range 2 {
			w.set("model", "max.message.bytes", "1048588")
			w.want("model", "")
		}
		if n := strings.Count(w.log.String(), "the model topic may lose records"); n != 1 || w.LogMessageBytes() != 1048588 {
			t.Errorf("logged %d times, deltas for a topic of %d bytes: %s", n, w.LogMessageBytes(), &w.log)
		}
		w.set("model", "cleanup.policy", "compact")
		w.want("model", `model topic "model" has cleanup.policy=compact: a compacted topic takes no records without a key; set it to delete`)
	})
}

// TestSettingsAreNotKnown: a worker that may not see the settings any more is ready, and says so
// once. One whose brokers are away keeps what it knew.
func TestSettingsAreNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, end := startWatched(t, config.Worker{})
		defer end()
		w.set("training", "cleanup.policy", "compact")
		look := func(change func()) []string {
			w.topics.mu.Lock()
			change()
			w.topics.mu.Unlock()
			time.Sleep(2 * CompareEvery)
			synctest.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.unseen
		}
		if unseen := look(func() { w.topics.err = errors.New("away") }); unseen != nil || w.trouble["settings of training"] == "" {
			t.Errorf("the brokers are away: unseen %q, trouble %q", unseen, w.trouble)
		}
		seen := w.topics.settings["training"]
		if unseen := look(func() { w.topics.err, w.topics.settings["training"] = nil, nil }); len(unseen) != 1 {
			t.Errorf("the settings are hidden: unseen %q", unseen)
		}
		w.want("training", "")
		if n := strings.Count(w.log.String(), "the settings of a topic are not checked"); n != 1 {
			t.Errorf("logged %d times", n)
		}
		if unseen := look(func() { w.topics.settings["training"] = seen }); len(unseen) != 0 {
			t.Errorf("the settings are shown again: unseen %q", unseen)
		}
		w.want("training", RefuseCompacted("training", stream.TopicInfo{Config: seen}).Error())
	})
}
