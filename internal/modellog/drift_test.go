package modellog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/race"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/testing/kafkatest"
)

// A drift has one line in the log, with where it showed.
func TestDriftIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := kafkatest.NewMemory()
		memory.CreateTopic("log", 1)
		add := func(value []byte, err error) uint32 {
			t.Helper()
			if err == nil {
				_, err = memory.Produce(t.Context(), "log", 0, []stream.Record{{Value: value}})
			}
			if err != nil {
				t.Fatal(err)
			}
			return codec.Checksum(value)
		}
		s := spec.Default()
		add(codec.EncodeSpec(s, fold.LogID{1}))
		var previous uint32
		for i, errors := range []int64{1, 1, 900, 900} {
			sums := race.NewSums(len(race.Of(s).Scored()))
			sums.Scored, sums.Decided.Errors = 1000, errors
			b := model.NewBuilder(s)
			b.AddDocuments("spam", 1)
			start := int64(i) * 1000
			previous = add(codec.EncodeDelta(&fold.Delta{
				Counting: s.Counting(), Log: fold.LogID{1}, Source: fold.Source{Topic: "training"}, Start: start, End: start + 1000, Previous: previous,
				Counts: b.Delta(), Scores: &fold.Scores{List: race.Of(s).Fingerprint(), Sums: sums},
			}))
		}
		var out bytes.Buffer
		observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() }}
		r := modellog.New(memory, "log", fold.New(false), observe, slog.New(slog.NewTextHandler(&out, nil)))
		ended := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- r.Follow(ctx) }()
		time.Sleep(time.Second)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if got := out.String(); strings.Count(got, "the stream has changed") != 1 || !strings.Contains(got, "offset=3 topic=training partition=0 end=3000 drifts=1") {
			t.Errorf("the log is\n%s", got)
		}
	})
}
