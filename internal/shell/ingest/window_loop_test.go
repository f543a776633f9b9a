package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
)

// startWindow starts a loop whose spec has a window.
func startWindow(t *testing.T, window string) *loop {
	t.Helper()
	file := filepath.Join(t.TempDir(), "spec.yaml")
	filetest.Write(t, file, fmt.Appendf(nil, "limits: {window: %s}", window))
	return startLoop(t, func(c *config.Ingest) { c.Spec = file })
}

// nameless is a training record without an id.
func nameless(n int) string { return fmt.Sprintf(`{"label":"a","text":"word%d"}`, n) }

// wantWindow checks what is said of the window: how many documents could not be taken out.
func (l *loop) wantWindow(gone int64, says string) {
	l.t.Helper()
	l.replica.Read(func(s *fold.State) {
		w := s.Window()
		if w.Gone != gone || w.IsExact() != (gone == 0) || int64(w.Owed) != gone || !strings.Contains(w.String(), says) {
			l.t.Errorf("the window is %+v, %q, want %d that cannot be taken out and %q", *w, w, gone, says)
		}
	})
}

// TestWindowLoop counts documents with ids and without them: those that leave the window are taken
// out, after a restart too, and all but one once a later spec makes the window shorter.
func TestWindowLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startWindow(t, "{records: 3}")
		l.train(nameless(1), document(1, "b"), nameless(2), nameless(3), document(1, "a"))
		l.learn()
		l.wantCounted(5, 3)
		l.wantWindow(0, "{records: 3}, exact: the counts are those of the newest 3 documents of each partition")
		l.train(`{"id":"d1","label":null}`)
		l.wantCounted(6, 2)
		l.end()

		l = startAgain(l)
		defer l.end()
		l.train(nameless(4), nameless(5))
		l.learn()
		l.wantCounted(8, 3)
		shorter := modeltest.Spec(t, "limits: {window: {records: 1}}")
		if _, err := l.propose(t.Context(), shorter); err != nil {
			t.Fatal(err)
		}
		l.wantCounted(8, 1)
		l.train(nameless(6), nameless(7), nameless(8))
		l.wantCounted(11, 1)
		l.wantWindow(0, "exact")
		if l.host.Trouble != nil {
			t.Errorf("trouble: %v", l.host.Trouble)
		}
	})
}

// TestWindowWithoutText: a document whose text is gone when it leaves the window stays counted,
// once and for all, and the window is not called exact any more. What comes behind it leaves as
// before.
func TestWindowWithoutText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startWindow(t, "{records: 2}")
		l.train(nameless(1), document(1, "b"))
		l.learn()
		l.wantCounted(2, 2)
		l.memory.Truncate("training", 0, 1)
		l.train(nameless(2), nameless(3), nameless(4))
		l.wantCounted(5, 3)
		l.wantWindow(1, "not exact: documents that have left the window stay counted, because their texts are gone: 1")
		l.end()

		l = startAgain(l)
		defer l.end()
		l.train(nameless(5))
		l.learn()
		l.wantCounted(6, 3)
		l.wantWindow(1, "not exact")
		l.wantOwed(1, l.upkeep())
	})
}

// TestWindowIsReadAtOnce takes out a backlog with few requests: the texts stand one behind the
// other.
func TestWindowIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startWindow(t, "{records: 1000}")
		const n = 1000
		var all []string
		for i := range n {
			all = append(all, nameless(i))
		}
		l.train(all...)
		l.learn()
		l.wantCounted(n, n)
		l.end()
		l = startAgain(l) // has no texts in memory
		defer l.end()
		requests := 0
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "fetch" && r.Topic == "training" && r.Offset < n {
				requests++
			}
			return nil
		})
		l.train(all...)
		l.learn()
		l.wantCounted(2*n, n)
		if requests > n/4 {
			t.Errorf("%d requests for the texts of %d documents that stand one behind the other", requests, n)
		}
	})
}

// topicsWith are topics whose records are kept so long.
type topicsWith map[string]string

func (w topicsWith) Topic(_ context.Context, name string) (stream.TopicInfo, error) {
	kept, ok := w[name]
	if !ok {
		return stream.TopicInfo{}, stream.ErrUnknownTopic
	}
	return stream.TopicInfo{Config: map[string]string{"retention.ms": kept}}, nil
}

// TestWindowNeedsRetention refuses an age that a topic with texts does not keep.
func TestWindowNeedsRetention(t *testing.T) {
	const week = "604800000"
	for _, c := range []struct {
		window string
		topics topicsWith
		says   string // "": the window is taken
	}{
		{"{age: 6d}", topicsWith{"training": week}, ""},
		{"{age: 6d}", topicsWith{"training": week, "texts": "-1"}, ""},
		{"{age: 365d}", topicsWith{"training": "-1"}, ""},
		{"{records: 10}", topicsWith{"training": week}, ""},
		{"{age: 7d}", topicsWith{"training": week}, `topic "training" keeps records for 7d (retention.ms=604800000), and limits.window is {age: 7d}`},
		{"{age: 30d}", topicsWith{"training": "-1", "texts": week}, `topic "texts" keeps records for 7d`},
		{"{age: 30d}", topicsWith{"texts": "-1"}, "does not exist"},
	} {
		s := modeltest.Spec(t, fmt.Sprintf("limits: {window: %s}", c.window))
		in := &ingester{log: discard, config: config.Ingest{TrainingTopic: "training", RefTopics: []string{"texts"}}}
		err := in.checkWindow(t.Context(), c.topics, s.Limits.Window)
		if (err == nil) != (c.says == "") || err != nil && c.says != "does not exist" && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s with %v: %v, want %q", c.window, c.topics, err, c.says)
		}
	}
}

// TestWindowWarnsOfSizes: how many records, or days, a topic keeps by size is not known.
func TestWindowWarnsOfSizes(t *testing.T) {
	for bytes, warns := range map[string]bool{"-1": false, "": false, "1048576": true} {
		for _, window := range []spec.Window{{Records: 10}, {Age: spec.Age{Milliseconds: spec.Day}}} {
			var log strings.Builder
			in := &ingester{log: slog.New(slog.NewTextHandler(&log, nil)), config: config.Ingest{TrainingTopic: "training"}}
			topics := sizedTopics{"retention.ms": "-1", "retention.bytes": bytes}
			if err := in.checkWindow(t.Context(), topics, window); err != nil || strings.Contains(log.String(), "retention.bytes=1048576") != warns {
				t.Errorf("%s with retention.bytes %q: %v, and the log is %q", window, bytes, err, &log)
			}
		}
	}
}

// sizedTopics are topics with these settings.
type sizedTopics map[string]string

func (s sizedTopics) Topic(context.Context, string) (stream.TopicInfo, error) {
	return stream.TopicInfo{Config: s}, nil
}

// TestQuietPartition: records that are ahead of the newest one by more than half of the window are
// refused, because their producer has a wrong clock, until there are so many in a row that the
// partition must have been quiet.
func TestQuietPartition(t *testing.T) {
	b := newBatch(t, "limits: {window: {age: 30d}}", mapView{})
	rec := func(offset int64, day int64) *stream.Record {
		r := at(offset, `{"label":"a","text":"word"}`)
		r.Time = time.UnixMilli(1e12 + day*spec.Day)
		return r
	}
	apply(t, b, nil, rec(0, 0), rec(1, 1), rec(2, 17), rec(3, 400), rec(4, 16))
	if b.learned != 3 || len(b.dead) != 2 {
		t.Fatalf("%d documents, %d dead letters, want 3 and 2", b.learned, len(b.dead))
	}
	for i := range int64(mostAhead + 1) {
		apply(t, b, nil, rec(5+i, 40))
	}
	if b.learned != 4 || len(b.dead) != 2+mostAhead {
		t.Errorf("%d documents, %d dead letters, want 4 and %d: the partition was quiet", b.learned, len(b.dead), 2+mostAhead)
	}
}
