package worker

import (
	"context"
	"sync"

	"bayestream/internal/core/fold"
)

// receipts tell what became of records of the training topic, by the deltas that this worker folds.
type receipts struct {
	mu   sync.Mutex
	open map[*receipt]struct{}
}

// receipt collects what deltas say of a source while it is open. It must be opened before the
// record is written.
type receipt struct {
	all    *receipts
	source fold.Source

	deltas  []covered     // since it was opened
	changed chan struct{} // closed when there is another one
}

// covered is what a delta says of its records.
type covered struct {
	start, end int64
	skipped    []fold.Skipped
}

// begin opens a receipt for a record of the source. Who opens it must close it.
func (r *receipts) begin(source fold.Source) *receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[*receipt]struct{}{}
	}
	opened := &receipt{all: r, source: source, changed: make(chan struct{})}
	r.open[opened] = struct{}{}
	return opened
}

// note notes a delta that was accepted.
func (r *receipts) note(d *fold.Delta) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for open := range r.open {
		if open.source == d.Source {
			open.deltas = append(open.deltas, covered{d.Start, d.End, d.Skipped})
			close(open.changed)
			open.changed = make(chan struct{})
		}
	}
}

// close ends a receipt.
func (r *receipt) close() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	delete(r.all.open, r)
}

// wait waits for the delta that covers an offset. It returns the reason for which the record was
// skipped, "" if it was counted.
func (r *receipt) wait(ctx context.Context, offset int64) (reason string, err error) {
	for {
		covers, reason, changed := r.look(offset)
		if covers {
			return reason, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// look returns what is known of an offset, and what is closed when there is more.
func (r *receipt) look(offset int64) (covers bool, reason string, changed <-chan struct{}) {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	for _, d := range r.deltas {
		if offset < d.start || offset >= d.end {
			continue
		}
		for _, s := range d.skipped {
			if s.Offset == offset {
				return true, s.Reason, nil
			}
		}
		return true, "", nil
	}
	return false, "", r.changed
}
