package modelfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"

	"pgregory.net/rapid"
)

// faulty gives n records, some of which cannot be read.
type faulty struct {
	n, next int64
	bad     map[int64]error
	scratch []byte
}

func (f *faulty) Read(rec *dataset.Record) error {
	if f.next == f.n {
		return io.EOF
	}
	f.next++
	if err := f.bad[f.next]; err != nil {
		return err
	}
	f.scratch = fmt.Appendf(f.scratch[:0], "text %d", f.next)
	rec.ID = fmt.Sprint(f.next)
	rec.Input.Segments = append(rec.Input.Segments[:0], segment(f.scratch))
	return nil
}

func (*faulty) Close() error { return nil }

// Answers come in the order of the records and of all of them, however many goroutines answer, and
// end where one record stops it.
func TestLabelAllKeepsTheOrder(t *testing.T) {
	broken := errors.New("broken")
	rapid.Check(t, func(t *rapid.T) {
		r := &faulty{n: rapid.Int64Range(0, 2000).Draw(t, "records"), bad: map[int64]error{}}
		unanswered := map[string]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "faults") {
			at := rapid.Int64Range(1, 2001).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "fault") {
			case 0:
				r.bad[at] = wire.Rejectf(wire.BadRow, "row %d", at)
			case 1:
				unanswered[fmt.Sprint(at)] = true
			default:
				r.bad[at] = broken
			}
		}
		skip := rapid.Bool().Draw(t, "skip")
		answer := func(dst []byte, rec *dataset.Record) ([]byte, error) {
			if unanswered[rec.ID] {
				return dst, wire.Rejectf(wire.NumberRange, "record %s", rec.ID)
			}
			return fmt.Appendf(dst, "%s: %s\n", rec.ID, rec.Input.Segments[0].Text), nil
		}
		var want strings.Builder
		var answered, skipped int64
		var wantErr error
		for i := int64(1); i <= r.n && wantErr == nil; i++ {
			err := r.bad[i]
			if err == nil && unanswered[fmt.Sprint(i)] {
				err = wire.Rejectf(wire.NumberRange, "record %d", i)
			}
			var reject *wire.Reject
			switch {
			case err == nil:
				answered++
				fmt.Fprintf(&want, "%d: text %d\n", i, i)
			case skip && errors.As(err, &reject):
				skipped++
			default:
				wantErr = err
			}
		}
		answers := make([]modelfile.Labeller, rapid.IntRange(1, 4).Draw(t, "goroutines"))
		for i := range answers {
			answers[i] = answer
		}
		var got bytes.Buffer
		bad := &dataset.OnBad{Skip: skip}
		n, err := modelfile.LabelAll(context.Background(), &got, opens(r), bad, answers)
		if n != answered || bad.Skipped != skipped || got.String() != want.String() {
			t.Fatalf("answered %d, skipped %d, %d bytes; want %d, %d, %d", n, bad.Skipped, got.Len(), answered, skipped, want.Len())
		}
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
	})
}

// Who writes to a full disk, and who is told to stop, ends.
func TestLabelAllEnds(t *testing.T) {
	answer := func(dst []byte, rec *dataset.Record) ([]byte, error) { return append(dst, rec.ID...), nil }
	full := errors.New("full")
	if _, err := modelfile.LabelAll(t.Context(), failing{full}, opens(&faulty{n: 100_000}), &dataset.OnBad{}, []modelfile.Labeller{answer}); !errors.Is(err, full) {
		t.Errorf("on a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := modelfile.LabelAll(ctx, io.Discard, opens(&faulty{n: 1 << 40}), &dataset.OnBad{}, []modelfile.Labeller{answer}); !errors.Is(err, context.Canceled) {
		t.Errorf("when told to stop: %v", err)
	}
}

// Who is told to stop while a slow input is read does not wait until a batch is full.
func TestLabelAllEndsBetweenRecords(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &stopping{faulty: faulty{n: 1 << 40}, at: 10, stop: cancel}
	answer := func(dst []byte, _ *dataset.Record) ([]byte, error) { return dst, nil }
	if _, err := modelfile.LabelAll(ctx, io.Discard, opens(r), &dataset.OnBad{}, []modelfile.Labeller{answer}); !errors.Is(err, context.Canceled) || r.next > 10 {
		t.Errorf("%v after %d records, told to stop at 10", err, r.next)
	}
}

// Long answers do not pile up while they wait for their turn.
func TestLabelAllHoldsFewLongAnswers(t *testing.T) {
	const size = 1 << 20
	var held, most atomic.Int64
	answer := func(dst []byte, _ *dataset.Record) ([]byte, error) {
		if n := held.Add(size); n > most.Load() {
			most.Store(n)
		}
		return append(dst, make([]byte, size)...), nil
	}
	written := writerFunc(func(p []byte) (int, error) {
		held.Add(int64(-len(p)))
		return len(p), nil
	})
	n, err := modelfile.LabelAll(t.Context(), written, opens(&faulty{n: 600}), &dataset.OnBad{}, []modelfile.Labeller{answer, answer})
	if err != nil || n != 600 || most.Load() > 150*size {
		t.Errorf("%d answers, %v; %d MiB were held at a time", n, err, most.Load()>>20)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// stopping calls stop when it comes to a record.
type stopping struct {
	faulty
	at   int64
	stop func()
}

func (s *stopping) Read(rec *dataset.Record) error {
	if s.next+1 == s.at {
		s.stop()
	}
	return s.faulty.Read(rec)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// opens returns an opener of a reader that never waits.
func opens(r dataset.Reader) modelfile.Opener {
	return func(func()) (dataset.Reader, error) { return r, nil }
}

// pausing calls waiting before each record and then looks at what was written.
type pausing struct {
	faulty
	waiting func()
	look    func(read int64)
}

func (p *pausing) Read(rec *dataset.Record) error {
	p.waiting()
	p.look(p.next)
	return p.faulty.Read(rec)
}

// While the reader waits for input, all that came in before is answered: it waits as long as it
// takes to be written.
func TestLabelAllAnswersWhileItWaits(t *testing.T) {
	written := make(chan string, 1)
	w := writerFunc(func(p []byte) (int, error) {
		written <- string(p)
		return len(p), nil
	})
	r := &pausing{faulty: faulty{n: 600}}
	r.look = func(read int64) {
		if read == 0 {
			return
		}
		if got, want := <-written, fmt.Sprintf("text %d\n", read); got != want {
			t.Errorf("before record %d: %q was written, want %q", read+1, got, want)
		}
	}
	open := func(waiting func()) (dataset.Reader, error) {
		r.waiting = waiting
		return r, nil
	}
	answer := func(dst []byte, rec *dataset.Record) ([]byte, error) {
		return append(append(dst, rec.Input.Segments[0].Text...), '\n'), nil
	}
	n, err := modelfile.LabelAll(t.Context(), w, open, &dataset.OnBad{}, []modelfile.Labeller{answer, answer})
	if err != nil || n != 600 {
		t.Errorf("%d answers, %v", n, err)
	}
}

// An error of opening ends the work.
func TestLabelAllReturnsTheErrorOfOpening(t *testing.T) {
	locked := errors.New("locked")
	open := func(func()) (dataset.Reader, error) { return nil, locked }
	answer := func(dst []byte, _ *dataset.Record) ([]byte, error) { return dst, nil }
	if n, err := modelfile.LabelAll(t.Context(), io.Discard, open, &dataset.OnBad{}, []modelfile.Labeller{answer}); n != 0 || !errors.Is(err, locked) {
		t.Errorf("%d answers, %v", n, err)
	}
}

func segment(text []byte) model.Segment { return model.Segment{Text: text} }
