package status

import (
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// TestStandsStill: a watcher that looks again tells whether what waits is taken.
func TestStandsStill(t *testing.T) {
	topics := Topics{Training: kafkatest.Topic(t, 1, nil), Documents: "none", Labels: []string{"none"}, Model: "none", Dead: kafkatest.Topic(t, 1, nil)}
	kafkatest.Produce(t, topics.Training, 0, make([]stream.Record, 10)...)
	w := NewWatcher(kafkatest.Dial(t), topics, true)
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	look := func(after time.Duration, taken int64) Topic {
		t.Helper()
		m := &Model{taken: map[fold.Source]int64{{Topic: topics.Training}: taken}}
		return w.Look(t.Context(), at.Add(after), m).topic(training)
	}
	for _, c := range []struct {
		after          time.Duration
		taken, waiting int64
		still          bool
	}{{0, 4, 6, false}, {stillAfter, 4, 6, false}, {stillAfter + 1, 4, 6, true}, {stillAfter + 2, 5, 5, false}, {3 * stillAfter, 10, 0, false}} {
		if got := look(c.after, c.taken); *got.Waiting != c.waiting || *got.Still != c.still || got.Recent != c.taken {
			t.Errorf("%+v: %+v, %d wait, still is %v", c, got, *got.Waiting, *got.Still)
		}
	}
}

// TestAnotherTopicWaits: of a topic that was created again all waits, however far the one before it
// was counted.
func TestAnotherTopicWaits(t *testing.T) {
	topics := Topics{Training: kafkatest.Topic(t, 1, nil), Documents: "none", Labels: []string{"none"}, Model: "none", Dead: "none"}
	kafkatest.Produce(t, topics.Training, 0, make([]stream.Record, 3)...)
	source := fold.Source{Topic: topics.Training}
	m := &Model{taken: map[fold.Source]int64{source: 9}, anchors: map[fold.Source]fold.Anchor{source: {TopicID: [16]byte{1}}}}
	got := NewWatcher(kafkatest.Dial(t), topics, false).Look(t.Context(), time.Now(), m).topic(training)
	if *got.Waiting != 3 {
		t.Errorf("%d wait, want 3", *got.Waiting)
	}
}

// TestMarkersDoNotWait: the mark of a transaction at the end of a partition is no record that waits,
// and neither is what was aborted. A record behind it is.
func TestMarkersDoNotWait(t *testing.T) {
	topics := Topics{Training: kafkatest.Topic(t, 1, nil), Documents: "none", Labels: []string{"none"}, Model: "none", Dead: kafkatest.Topic(t, 1, nil)}
	committed, aborted := kafkatest.Begin(t), kafkatest.Begin(t)
	committed.Produce(topics.Training, 0, make([]stream.Record, 3)...)
	committed.Commit()
	aborted.Produce(topics.Training, 0, make([]stream.Record, 2)...)
	aborted.Abort()
	for _, again := range []bool{false, true} {
		w := NewWatcher(kafkatest.Dial(t), topics, again)
		waits := func(taken int64) int64 {
			t.Helper()
			m := &Model{taken: map[fold.Source]int64{{Topic: topics.Training}: taken}}
			return *w.Look(t.Context(), time.Now(), m).topic(training).Waiting
		}
		if n := waits(3); n != 0 {
			t.Errorf("behind the last record %d wait", n)
		}
		if n := waits(2); n == 0 {
			t.Error("before the last record none waits")
		}
		if n := waits(3); n != 0 {
			t.Errorf("behind the last record, again, %d wait", n)
		}
	}
	kafkatest.Produce(t, topics.Training, 0, stream.Record{})
	m := &Model{taken: map[fold.Source]int64{{Topic: topics.Training}: 3}}
	if got := NewWatcher(kafkatest.Dial(t), topics, false).Look(t.Context(), time.Now(), m).topic(training); *got.Waiting == 0 {
		t.Error("a record behind the marks does not wait")
	}
}

// TestLetters are counted as they come, each once, and tell which of the last records they were.
func TestLetters(t *testing.T) {
	topics := Topics{Training: kafkatest.Topic(t, 1, nil), Documents: "none", Labels: []string{"none"}, Model: "none", Dead: kafkatest.Topic(t, 1, nil)}
	kafkatest.Produce(t, topics.Training, 0, make([]stream.Record, 250)...)
	why := strings.Repeat(": it is long", 40)
	message := "no label: at 239" + why
	bury := func(offsets ...int64) {
		for _, offset := range offsets {
			letter := wire.DeadLetter(&stream.Record{Topic: topics.Training, Offset: offset, Value: []byte(strings.Repeat("é", 200))}, "ingest", wire.Rejectf(wire.NoLabel, "at %d%s", offset, why), 0)
			kafkatest.Produce(t, topics.Dead, 0, letter)
		}
	}
	w := NewWatcher(kafkatest.Dial(t), topics, true)
	look := func() *Status {
		return w.Look(t.Context(), time.Now(), &Model{taken: map[fold.Source]int64{{Topic: topics.Training}: 240}})
	}
	bury(5, 139, 140, 239, 239)
	for range 2 {
		s := look()
		if in := s.topic(training); in.Recent != 100 || in.Refused != 2 || s.Letters.Total != 5 || s.Letters.Reasons[0].Records != 5 {
			t.Errorf("%+v, %+v", in, s.Letters)
		}
		if got := s.Letters.Reasons[0].Message; got != message {
			t.Errorf("the message is cut: %s", got)
		}
		if text := s.Letters.Reasons[0].Text; text != strings.Repeat("é", 100)+"…" {
			t.Errorf("the text is %q", text)
		}
	}
	bury(200)
	if s := look(); s.topic(training).Refused != 3 || s.Letters.Reasons[0].Message != "no label: at 200"+why {
		t.Errorf("one more: %+v", s.Letters)
	}
}

// TestTopicsAreCreatedAgain: what was learned, decided and refused of earlier topics of the names,
// up to an offset behind the ends of those now, hides nothing that waits. What is decided then does.
func TestTopicsAreCreatedAgain(t *testing.T) {
	topics := Topics{Training: kafkatest.Topic(t, 1, nil), Documents: kafkatest.Topic(t, 1, nil), Labels: []string{"none"}, Model: "none",
		Dead: kafkatest.Topic(t, 1, nil)}
	kafkatest.Produce(t, topics.Training, 0, make([]stream.Record, 5)...)
	kafkatest.Produce(t, topics.Documents, 0, make([]stream.Record, 5)...)
	w := NewWatcher(kafkatest.Dial(t), topics, true)
	decide := func(labels string, from, to int64) {
		for offset := from; offset < to; offset++ {
			w.Saw(labels, &wire.Ref{Topic: topics.Documents, Offset: offset})
		}
	}
	bury := func(offset int64) {
		kafkatest.Produce(t, topics.Dead, 0, wire.DeadLetter(&stream.Record{Topic: topics.Documents, Offset: offset}, httpapi.Classify,
			wire.Rejectf(wire.NotJSON, "no"), 0))
	}
	want := func(taken, inTraining, inDocuments, labelled int64) {
		t.Helper()
		s := w.Look(t.Context(), time.Now(), &Model{taken: map[fold.Source]int64{{Topic: topics.Training}: taken}})
		if in, out := s.Waiting(); *in != inTraining || *out != inDocuments || *s.Labelled != labelled {
			t.Errorf("%d and %d wait, %d are labelled, want %d, %d and %d", *in, *out, *s.Labelled, inTraining, inDocuments, labelled)
		}
	}
	decide("labels", 0, 5)
	want(5, 0, 0, 5)
	decide("labels", 5, 40) // of the topic before, as the rest here
	decide("others", 5, 30)
	bury(2)
	bury(40)
	want(6, 5, 5, 0)
	decide("labels", 0, 2)
	want(0, 5, 3, 2)
	bury(2)
	want(0, 5, 2, 2)
	decide("labels", 3, 5)
	want(5, 0, 0, 4)
}

// TestLettersOfOthers: dead letters of another worker, and those of documents that were deleted, say
// nothing of what is labelled.
func TestLettersOfOthers(t *testing.T) {
	topics := Topics{Training: "none", Documents: kafkatest.Topic(t, 1, nil), Labels: []string{"none"}, Model: "none", Dead: kafkatest.Topic(t, 1, nil)}
	kafkatest.Produce(t, topics.Documents, 0, make([]stream.Record, 9)...)
	kafkatest.DeleteRecords(t, topics.Documents, 0, 2)
	for stage, offsets := range map[string][]int64{httpapi.Ingest: {1, 2, 3, 4, 5, 6, 7, 8}, httpapi.Classify: {0, 1, 5, 5}} {
		for _, offset := range offsets {
			kafkatest.Produce(t, topics.Dead, 0, wire.DeadLetter(&stream.Record{Topic: topics.Documents, Offset: offset}, stage,
				wire.Rejectf(wire.NoLabel, "no"), 0))
		}
	}
	w := NewWatcher(kafkatest.Dial(t), topics, false)
	w.Saw("labels", &wire.Ref{Topic: topics.Documents, Offset: 6})
	s := w.Look(t.Context(), time.Now(), nil)
	if d := s.topic(documents); *d.Waiting != 2 || *s.Labelled != 4 || d.Refused != 1 {
		t.Errorf("%d wait, %d are labelled, %d refused, want 2, 4 and 1", *d.Waiting, *s.Labelled, d.Refused)
	}
}
