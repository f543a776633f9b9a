package modellog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"bayestream/internal/core/fold"
)

// DifferenceError says where a model file and the model log differ.
type DifferenceError struct{ Detail string }

func (e *DifferenceError) Error() string {
	return "the file is not what the model log says: " + e.Detail +
		"; stop the worker, move the file away, and let it be rebuilt from the log"
}

// Compare folds the log from its start up to where the state of a file is, and compares the
// two: every count, the spec, the watermark of every source, and the ledgers if the file has them.
// The error is a *DifferenceError where they differ.
func Compare(ctx context.Context, log Reader, topic string, state *fold.State) error {
	fresh := fold.New(state.KeepsLedger())
	for _, v := range state.Voids() {
		if v.At >= state.Next() { // found by reading ahead
			fresh.Know(v)
		}
	}
	if err := Replay(ctx, log, topic, fresh, state.Next(), nil); err != nil {
		return err
	}
	if fresh.Model() == nil {
		return &DifferenceError{Detail: fmt.Sprintf("the first %d records of the log hold no spec", state.Next())}
	}
	a := state.Anchor()
	b := fresh.Anchor()
	if a.Offset != b.Offset || a.Checksum != b.Checksum {
		return &DifferenceError{Detail: fmt.Sprintf("the record at offset %d has another checksum", a.Offset)}
	}
	if diff := state.Model().Spec().CountingDifference(fresh.Model().Spec()); diff != "" {
		return &DifferenceError{Detail: diff}
	}
	if !bytes.Equal(state.Model().Spec().YAML(), fresh.Model().Spec().YAML()) {
		return &DifferenceError{Detail: "the spec in force is another one"}
	}
	return errors.Join(compareCounts(state, fresh), compareSources(state, fresh))
}

func compareCounts(state, fresh *fold.State) error {
	var a, b bytes.Buffer
	if err := errors.Join(state.Model().Dump(&a), fresh.Model().Dump(&b)); err != nil {
		return err
	}
	if line := firstDifference(&a, &b); line != "" {
		return &DifferenceError{Detail: line}
	}
	return nil
}

// firstDifference returns a sentence about the first line in which two dumps differ, "" if none
// does.
func firstDifference(file, log *bytes.Buffer) string {
	if bytes.Equal(file.Bytes(), log.Bytes()) {
		return ""
	}
	for {
		a, errA := file.ReadBytes('\n')
		b, errB := log.ReadBytes('\n')
		if !bytes.Equal(a, b) || errors.Is(errA, io.EOF) || errors.Is(errB, io.EOF) {
			return fmt.Sprintf("the file has %q where the log has %q", bytes.TrimSpace(a), bytes.TrimSpace(b))
		}
	}
}

func compareSources(state, fresh *fold.State) error {
	a := state.Sources()
	b := fresh.Sources()
	if !slices.Equal(a, b) {
		return &DifferenceError{Detail: fmt.Sprintf("the file counts the partitions %v, the log %v", a, b)}
	}
	for _, src := range a {
		p, _ := state.Progress(src)
		q, _ := fresh.Progress(src)
		if p != q {
			return &DifferenceError{Detail: fmt.Sprintf("%s/%d was counted up to offset %d in the file, %d in the log",
				src.Topic, src.Partition, p.Watermark, q.Watermark)}
		}
		if !equalLedgers(state.Ledger(src), fresh.Ledger(src)) {
			return &DifferenceError{Detail: fmt.Sprintf("the ledger of %s/%d has other documents", src.Topic, src.Partition)}
		}
	}
	return nil
}

// equalLedgers compares what two ledgers hold, in order. Without ledgers they are equal.
func equalLedgers(a, b *fold.Ledger) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(slices.Collect(a.All()), slices.Collect(b.All()), func(x, y fold.LedgerChange) bool {
		return x.Offset == y.Offset && x.ID == y.ID && *x.Put == *y.Put
	})
}
