package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"bayestream/internal/fold"
	"bayestream/internal/modellog"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/stream"
)

// DifferenceError says in what a model file and the model log are not the same.
type DifferenceError struct{ Detail string }

func (e *DifferenceError) Error() string {
	return "the file is not what the model log says: " + e.Detail + "; stop the worker, move the file away, and let it be rebuilt from the log"
}

// FoldLog folds the records of a model topic onto state, up to and without the offset end; -1 stands for
// all that it holds now. each is told of every record, and may be nil.
func FoldLog(ctx context.Context, client *stream.Client, topic string, state *fold.State, end int64, each func(fold.Entry, fold.Outcome)) error {
	start, last, err := client.Offsets(ctx, topic, 0)
	if err != nil {
		return fmt.Errorf("model topic %q: %w", topic, err)
	}
	if end < 0 {
		end = last
	}
	if start > state.Next() {
		return &modellog.TruncatedError{Topic: topic, Next: state.Next(), Start: start}
	}
	if end > last {
		return &DifferenceError{Detail: fmt.Sprintf("the file has folded %d records, topic %q holds %d", end, topic, last)}
	}
	for state.Next() < end {
		got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: state.Next()})
		if err != nil {
			return fmt.Errorf("model topic %q: %w", topic, err)
		}
		if len(got.Records) == 0 && got.Next > state.Next() {
			return fmt.Errorf("model topic %q has no records from offset %d to %d: %w", topic, state.Next(), got.Next, fold.ErrHole)
		}
		for i := range got.Records {
			if state.Next() == end {
				break
			}
			if err := foldRecord(state, &got.Records[i], got.LeaderEpoch, each); err != nil {
				return fmt.Errorf("model topic %q: %w", topic, err)
			}
		}
	}
	return nil
}

func foldRecord(state *fold.State, rec *stream.Record, epoch int32, each func(fold.Entry, fold.Outcome)) error {
	var e fold.Entry
	var err error
	if m := state.Model(); m != nil {
		e, err = codec.Decode(rec.Value, m.Spec())
	} else {
		e, err = codec.Decode(rec.Value, nil)
	}
	if err != nil {
		return fmt.Errorf("offset %d: %w", rec.Offset, err)
	}
	e.Offset, e.Epoch, e.CRC = rec.Offset, epoch, codec.Checksum(rec.Value)
	outcome, err := state.Fold(e)
	if err == nil && each != nil {
		each(e, outcome)
	}
	return err
}

// CompareWithLog folds the log as far as the state of a file has, and compares them: every count, the
// scoring, how far each source was counted, and the ledgers where the file has them. The error is a
// *DifferenceError where they differ.
func CompareWithLog(ctx context.Context, client *stream.Client, topic string, state *fold.State) error {
	fresh := fold.New(state.KeepsLedger())
	if err := FoldLog(ctx, client, topic, fresh, state.Next(), nil); err != nil {
		return err
	}
	if fresh.Model() == nil {
		return &DifferenceError{Detail: fmt.Sprintf("the first %d records of the log hold no spec", state.Next())}
	}
	a, b := state.Anchor(), fresh.Anchor()
	if a.Offset != b.Offset || a.CRC != b.CRC {
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

// firstDifference returns a sentence about the first line in which two dumps differ, "" if none does.
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
	a, b := state.Sources(), fresh.Sources()
	if !slices.Equal(a, b) {
		return &DifferenceError{Detail: fmt.Sprintf("the file counts the partitions %v, the log %v", a, b)}
	}
	for _, src := range a {
		p, _ := state.Progress(src)
		q, _ := fresh.Progress(src)
		if p != q {
			return &DifferenceError{Detail: fmt.Sprintf("%s/%d was counted up to offset %d in the file, %d in the log", src.Topic, src.Partition, p.Watermark, q.Watermark)}
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
	var list []fold.LedgerChange
	for c := range a.All() {
		list = append(list, c)
	}
	i, equal := 0, true
	for c := range b.All() {
		equal = equal && i < len(list) && list[i].Offset == c.Offset && list[i].ID == c.ID && *list[i].Put == *c.Put
		i++
	}
	return equal && i == len(list)
}
