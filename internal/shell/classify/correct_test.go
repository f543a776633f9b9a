package classify

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// sent is what a correction has written.
type sent struct {
	topic     string
	partition int
	rec       stream.Record
}

// TopicPartitions says that every topic has eight.
func (s *sent) TopicPartitions(context.Context, string) (int, error) { return 8, nil }

// SendCorrection notes the record.
func (s *sent) SendCorrection(_ context.Context, topic string, partition int, rec stream.Record, _ time.Duration) (httpapi.Corrected, error) {
	*s = sent{topic, partition, rec}
	return httpapi.Corrected{ID: string(rec.Key), Topic: topic, Partition: partition, Outcome: httpapi.OutcomeWritten}, nil
}

// corrected runs a test in a loop that has decided on three documents.
func corrected(t *testing.T, test func(l *loop, s *sent)) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Classify) { c.LabelField = "is.label" })
		s := &sent{}
		l.recent = newRecentOfAll("documents", nil)
		l.corrector = s
		defer l.end()
		l.memory.CreateTopic("training", 1)
		l.append("training", []byte(`{"id":"t1","text":"word","is":{"label":"a"}}`), []byte(`{"text":"word","is":{"label":"a"}}`))
		l.model("m", "a")
		l.append("documents", []byte(`{"id":"d1","text":"word"}`), []byte(`{"text":"word"}`), []byte(`{"id":"old","text":"word"}`))
		l.classify(-1)
		l.wantLabels("d1 documents/0/1 old", "m m m")
		test(l, s)
	})
}

// A correction becomes a training record that refers to the document, under its id.
func TestCorrect(t *testing.T) {
	partition := func(id string) int { return stream.Murmur2Partition([]byte(id), 8) }
	corrected(t, func(l *loop, s *sent) {
		for _, c := range []struct {
			said      string
			id        string
			partition int
			value     string
		}{
			{`{"id":"d1","label":"b"}`, "d1", partition("d1"), `{"id":"d1","ref":{"topic":"documents","partition":0,"offset":0},"is":{"label":"b"}}`},
			{`{"id":"documents/0/0","label":"b"}`, "d1", partition("d1"), `{"id":"d1","ref":{"topic":"documents","partition":0,"offset":0},"is":{"label":"b"}}`},
			{`{"source":{"topic":"documents","partition":0,"offset":1},"label":"b"}`, "documents/0/1", partition("documents/0/1"), `{"id":"documents/0/1","ref":{"topic":"documents","partition":0,"offset":1},"is":{"label":"b"}}`},
			{`{"id":"mine","source":"documents/0/1","label":"b"}`, "mine", partition("mine"), `{"id":"mine","ref":{"topic":"documents","partition":0,"offset":1},"is":{"label":"b"}}`},
			{`{"id":"old","label":null}`, "old", partition("old"), `{"id":"old","is":{"label":null}}`},
			{`{"source":"training/0/0","label":"b"}`, "t1", 0, `{"id":"t1","is":{"label":"b"}}`},
		} {
			said, err := wire.ReadCorrection([]byte(c.said))
			if err != nil {
				t.Fatal(err)
			}
			*s = sent{}
			done, err := l.correct(t.Context(), said, 0)
			if err != nil || done.ID != c.id || s.topic != "training" || s.partition != c.partition || string(s.rec.Key) != c.id || string(s.rec.Value) != c.value {
				t.Errorf("%s: %+v, %v; wrote %s/%d %q under %q, want %q in %d", c.said, done, err, s.topic, s.partition, s.rec.Value, s.rec.Key, c.value, c.partition)
			}
		}
	})
}

// What cannot be written, or would be about something else, is refused.
func TestCorrectRefuses(t *testing.T) {
	corrected(t, func(l *loop, s *sent) {
		for said, want := range map[string]string{
			`{"id":"d2","label":"b"}`:                "send_source",
			`{"source":"others/0/0","label":"b"}`:    string(wire.RefDenied),
			`{"source":"documents/0/9","label":"b"}`: string(wire.RefGone),
			`{"source":"documents/7/0","label":"b"}`: string(wire.RefGone),
			`{"source":"training/0/1","label":"b"}`:  "no_id",
			`{"id":"d1","label":"b\tb"}`:             string(wire.BadLabel),
		} {
			c, err := wire.ReadCorrection([]byte(said))
			if err != nil {
				t.Fatal(err)
			}
			_, err = l.correct(t.Context(), c, 0)
			var refused *httpapi.RefusedError
			var reject *wire.Reject
			reason := ""
			switch {
			case errors.As(err, &refused):
				reason = refused.Reason
			case errors.As(err, &reject):
				reason = string(reject.Reason)
			}
			if reason != want || s.topic != "" {
				t.Errorf("%s: %v, wrote to %q; want %s", said, err, s.topic, want)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		if _, err := l.correct(t.Context(), &wire.Correction{ID: "d1", Label: "a"}, 0); !errors.Is(err, httpapi.ErrNotReady) {
			t.Errorf("without a spec: %v", err)
		}
	})
}
