package modellog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// driftLog is a log of deltas of 1,000 scored records.
type driftLog struct {
	t        *testing.T
	memory   *kafkatest.Memory
	out      bytes.Buffer
	next     int64
	previous uint64
}

func newDriftLog(t *testing.T) *driftLog {
	l := &driftLog{t: t, memory: kafkatest.NewMemory()}
	l.memory.CreateTopic("log", 1)
	l.append(codec.EncodeSpec(spec.Default(), fold.LogID{1}))
	return l
}

func (l *driftLog) append(value []byte, err error) {
	l.t.Helper()
	if err == nil {
		_, err = l.memory.Produce(l.t.Context(), "log", 0, []stream.Record{{Value: value, Time: time.Unix(1_800_000_000, 0)}})
	}
	if err != nil {
		l.t.Fatal(err)
	}
	l.previous = codec.Sum(value)
}

// add appends deltas with so many errors each.
func (l *driftLog) add(errors ...int64) {
	l.t.Helper()
	s := spec.Default()
	for _, n := range errors {
		sums := race.NewSums(len(race.Of(s).Scored()))
		sums.Scored, sums.Decided.Errors = 1000, n
		b := model.NewBuilder(s)
		b.AddDocuments("spam", 1000)
		word := "offer"
		if n > 500 {
			word = "crypto"
		}
		b.AddCount(0, "spam", []byte(word), 1000)
		d := &fold.Delta{
			Ranges:   []fold.Range{{Source: fold.Source{Topic: "training"}, Start: l.next, End: l.next + 1000, Previous: l.previous}},
			Counting: s.Counting(),
			Log:      fold.LogID{1},
			Counts:   b.Delta(),
			Scores:   &fold.Scores{List: race.Of(s).Fingerprint(), Sums: sums, Classes: race.Tallies{"spam": {Records: 1000, Right: 1000 - n, Decided: 1000 - n}}},
		}
		if d.Ranges[0].Start == 0 {
			d.Ranges[0].Previous = 0
		}
		l.append(codec.EncodeDelta(d))
		l.next += 1000
	}
}

// follow follows the log from a state, calls f, and returns the state after the log.
func (l *driftLog) follow(state *fold.State, f func()) *fold.State {
	l.t.Helper()
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() }}
	r := modellog.New(l.memory, "log", state, observe, slog.New(slog.NewTextHandler(&l.out, nil)))
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(l.t.Context())
	go func() { ended <- r.Follow(ctx) }()
	time.Sleep(time.Second)
	f()
	time.Sleep(time.Second)
	stop()
	if err := <-ended; err != nil {
		l.t.Error(err)
	}
	r.Read(func(s *fold.State) { state = s })
	return state
}

// wantLines compares the lines about drifts since the last call.
func (l *driftLog) wantLines(want ...string) {
	l.t.Helper()
	var got []string
	for line := range strings.Lines(l.out.String()) {
		if strings.Contains(line, "the stream has changed") {
			got = append(got, line)
		}
	}
	l.out.Reset()
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && strings.Contains(got[i], want[i])
	}
	if !ok {
		l.t.Errorf("the lines are\n%s\nwant\n%s", strings.Join(got, ""), strings.Join(want, "\n"))
	}
}

// A drift has one line in the log when it is found, with where it showed and what moved. Drifts
// that the log held before have one line together, once they are read, and none when they are
// known.
func TestDriftsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newDriftLog(t)
		first := `offset=3 time=2027-01-15T08:00:00.000Z topic=training partition=0 end=3000 classes=spam words="crypto, offer"`
		state := l.follow(fold.New(false), func() { l.add(1, 1, 900, 900) })
		l.wantLines(first + " drifts=1")

		l.add(100, 1, 1, 1)
		state = l.follow(state, func() {})
		l.wantLines()

		l.follow(fold.New(false), func() {})
		l.wantLines(`in the past: the model log that was read holds drifts" ` + first + " drifts=1 before=9")

		for range 20 {
			l.add(1)
		}
		l.add(950, 950)
		l.follow(fold.New(false), func() { l.add(1) })
		l.wantLines("offset=29")
		state = l.follow(state, func() {
			for range 20 {
				l.add(1)
			}
			l.add(980)
		})
		l.wantLines("in the past", "end=52000")
		if state.Drift().Found != 3 {
			t.Errorf("%d drifts, want 3", state.Drift().Found)
		}
	})
}
