package modellog

import (
	"fmt"
	"iter"
	"runtime"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

const (
	// sliceBytes is how many bytes of records are folded while readers wait. A larger record is a
	// slice of its own.
	sliceBytes = 16 << 10
	// slicesAhead is how many slices wait for the fold: their counts take some times the bytes of the
	// records.
	slicesAhead = 4
)

// decoded is a record of the log that was decoded ahead of the fold.
type decoded struct {
	entry fold.Entry
	err   error // of codec.Decode
}

// decode does all that needs no state but what a spec has put in force. epoch is the leader's
// of the batch; -1: unknown.
func decode(rec *stream.Record, epoch int32, in fold.Reading) decoded {
	e, err := codec.Decode(rec.Value, rec.Offset, in)
	e.Offset = rec.Offset
	e.Epoch = epoch
	e.CRC = codec.Checksum(rec.Value)
	if e.Delta != nil {
		e.Sum = codec.Sum(rec.Value)
	}
	e.Time = max(0, rec.Time.UnixMilli())
	return decoded{e, err}
}

// fold folds the record into a state of the reading that it was decoded by.
func (d *decoded) fold(state *fold.State) (fold.Outcome, error) {
	if d.err != nil && !state.Ignores(d.entry.Offset) {
		return "", fmt.Errorf("offset %d: %w", d.entry.Offset, d.err)
	}
	if d.err != nil {
		d.entry.Unreadable = d.err
	}
	return state.Fold(d.entry)
}

// ahead yields the records of a fetch in slices, which the caller folds into state. Another
// goroutine decodes those that follow meanwhile. Behind a spec that changes how records are read
// they are decoded again.
func ahead(got *stream.Fetched, state *fold.State) iter.Seq[[]decoded] {
	return func(yield func([]decoded) bool) {
		for next := 0; next < len(got.Records); {
			reading := state.Reading()
			stop := make(chan struct{})
			for slice := range decodeFrom(got, next, reading, stop) {
				if !yield(slice) {
					close(stop)
					return
				}
				next += len(slice)
				if state.Reading() != reading {
					break
				}
			}
			close(stop)
		}
	}
}

// decodeFrom decodes the records of a fetch from one on, until stop is closed. A slice ends behind
// a spec: only there the reading may change.
func decodeFrom(got *stream.Fetched, next int, reading fold.Reading, stop <-chan struct{}) <-chan []decoded {
	slices := make(chan []decoded, slicesAhead)
	go func() {
		defer close(slices)
		for next < len(got.Records) {
			runtime.Gosched() // as behind a fold
			slice := decodeSlice(got, next, reading)
			select {
			case slices <- slice:
			case <-stop:
				return
			}
			next += len(slice)
		}
	}()
	return slices
}

func decodeSlice(got *stream.Fetched, next int, reading fold.Reading) (slice []decoded) {
	size := 0
	for i := next; i < len(got.Records); i++ {
		size += len(got.Records[i].Value)
		if i > next && size > sliceBytes {
			break
		}
		d := decode(&got.Records[i], epochOf(got, i), reading)
		slice = append(slice, d)
		if d.entry.Spec != nil {
			break
		}
	}
	return slice
}
