package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
)

// bootstrap fetches a snapshot if no model file exists. A folder may have none yet.
func (w *Worker) bootstrap(ctx context.Context) error {
	if w.config.Bootstrap == "" {
		return nil
	}
	if _, err := os.Stat(w.config.State); err == nil {
		w.log.Info("the model file exists, the snapshot is not needed", "state", w.config.State)
		return nil
	}
	_, err := w.fetch(ctx, w.config.State)
	if errors.Is(err, store.ErrNoSnapshot) {
		w.log.Info("the folder has no snapshot: the model log is read from its start", "folder", w.config.Bootstrap)
		return nil
	}
	return err
}

const mebi = 1 << 20

// fetch installs a snapshot under a path that is free. One without the ledger is refused where one
// is needed, instead of rebuilding from a log that may not reach back far enough.
func (w *Worker) fetch(ctx context.Context, path string) (*fold.State, error) {
	from := config.Redact(w.config.Bootstrap)
	w.log.Info("a snapshot is fetched", "from", from)
	w.report(partSnapshot, fmt.Errorf("the snapshot at %s is asked for", from))
	defer w.report(partSnapshot, nil)
	state, err := store.Fetch(ctx, w.config.Bootstrap, path, func(done, size int64) {
		w.report(partSnapshot, fmt.Errorf("%.1f of %.1f MiB of the snapshot at %s are fetched", float64(done)/mebi,
			float64(size)/mebi, from))
	})
	if err == nil && w.role.Ledger && !state.KeepsLedger() {
		err = errors.Join(fmt.Errorf("%s: %w; take the snapshot of an ingest worker", from, errNoLedger), os.Remove(path))
	}
	if err != nil {
		return nil, config.RedactError(fmt.Errorf("bootstrap: %w", err))
	}
	return state, nil
}

// truncated takes a snapshot, because the model log lacks the records that are to be folded next.
// The error says why there is none that leads on; the replica asks again.
func (w *Worker) truncated(ctx context.Context, reason *modellog.TruncatedError, swap func(*fold.State)) error {
	incoming := w.config.State + ".incoming"
	if err := os.Remove(incoming); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("bootstrap: %w", err)
	}
	state, err := w.fetch(ctx, incoming)
	if err != nil {
		return fmt.Errorf("%w: %w", reason, err)
	}
	if state.Next() < reason.Start || state.Next() == w.taken {
		return errors.Join(fmt.Errorf("%w: the snapshot of --bootstrap leads to offset %d only: "+
			"take a newer one (bayestream copy)",
			reason, state.Next()-1), os.Remove(incoming))
	}
	return w.replace(incoming, state.Next(), reason, swap)
}

// replace puts a snapshot in the place of the model file, and its state into the replica.
func (w *Worker) replace(incoming string, next int64, reason error, swap func(*fold.State)) error {
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	w.closeStore()
	aside, err := store.MoveAside(w.config.State, "truncated", time.Now())
	if err != nil {
		return err
	}
	if err := store.Place(incoming, w.config.State); err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	state, err := w.tryLoad()
	if err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	w.taken = next
	swap(state)
	w.log.Warn("the model log lacks records that are needed: a snapshot takes their place", "reason", reason, "next", next,
		"moved", aside)
	return nil
}
