package modellog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// numbersLog returns a log of a spec with one block of numbers, and n deltas of one document each.
func numbersLog(tb testing.TB, n int) *storetest.Log {
	tb.Helper()
	s := modeltest.Spec(tb, "numbers: [{fields: [x]}]\ntext: null\n")
	first, err := codec.EncodeSpec(s, fold.LogID{})
	if err != nil {
		tb.Fatal(err)
	}
	log := &storetest.Log{}
	log.Append(first)
	builder := model.NewBuilder(s)
	var previous uint64
	for i := range int64(n) {
		builder.Reset()
		f := model.Features{Numbers: []model.Number{{Value: i * i % 1000 * 1e9, Present: true}}}
		builder.Observe(fmt.Sprintf("class %d", i%3), 1, &f)
		d := &fold.Delta{Ranges: []fold.Range{{Source: fold.Source{Topic: "t"}, Previous: previous, Start: i, End: i + 1}},
			Counting: s.Counting(),
			Counts:   builder.Delta()}
		value, err := codec.EncodeDelta(d)
		if err != nil {
			tb.Fatal(err)
		}
		previous = codec.Sum(value)
		log.Append(value)
	}
	return log
}

// shrinking is a log that loses its last record once somebody has asked for its end.
type shrinking struct {
	*storetest.Log
	asked bool
}

func (s *shrinking) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	first, end, err = s.Log.Offsets(ctx, topic, partition)
	if s.asked {
		end--
	}
	s.asked = true
	return first, end, err
}

func (s *shrinking) Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	if err := ctx.Err(); err != nil {
		return stream.Fetched{}, err
	}
	s.asked = true
	return (&storetest.Log{Records: s.Records[:len(s.Records)-1]}).Fetch(ctx, request)
}

// TestReplayOfALogThatShrinks: a reader does not wait for ever for records that a new leader has
// lost.
func TestReplayOfALogThatShrinks(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := modellog.Replay(ctx, &shrinking{Log: numbersLog(t, 3)}, "log", fold.New(false), -1, nil)
	if !errors.Is(err, stream.ErrRetriable) || !strings.Contains(err.Error(), "has lost records") {
		t.Errorf("Replay: %v", err)
	}
	nothing := func(*stream.Record) error { return nil }
	if err := modellog.Each(ctx, &shrinking{Log: numbersLog(t, 3)}, "log", 0, 4, nothing); !errors.Is(err, stream.ErrRetriable) {
		t.Errorf("Each: %v", err)
	}
}

// TestReplayFitsOnce: the densities of a block of numbers are fitted after the last record of a
// log, not at every record: a log has hundreds of thousands.
func TestReplayFitsOnce(t *testing.T) {
	log := numbersLog(t, 50)
	state := fold.New(false)
	if _, _, err := storetest.FoldRecord(state, &log.Records[0], 0); err != nil {
		t.Fatal(err)
	}
	block := state.Model().Numbers(0)
	each := func(e fold.Entry, outcome fold.Outcome) {
		if outcome != fold.Accepted {
			t.Errorf("record %d: %s, want %s", e.Offset, outcome, fold.Accepted)
		}
		if _, _, fitted := block.Moments(0, 0); fitted {
			t.Fatalf("the densities were fitted after record %d of %d", e.Offset, len(log.Records))
		}
	}
	if err := modellog.Replay(t.Context(), log, "log", state, -1, each); err != nil {
		t.Fatal(err)
	}
	if mean, _, fitted := block.Moments(0, 0); !fitted || mean == 0 {
		t.Errorf("after the log the mean is %v, fitted: %v; want the densities fitted", mean, fitted)
	}
}
