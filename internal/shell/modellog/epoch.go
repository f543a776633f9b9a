package modellog

import (
	"context"

	"bayestream/internal/core/fold"
)

// An Epoch is the time during which a replica follows one and the same log. It ends when the
// replica finds another log under the name of its topic and starts over with an empty state: then
// everything that was read from the state is void. The zero Epoch has ended.
type Epoch struct {
	replica *Replica
	number  int
}

func (r *Replica) currentEpoch() Epoch {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return Epoch{replica: r, number: r.epoch}
}

// Holds reports whether the replica still follows the log of the epoch.
func (e Epoch) Holds() bool { return e.Read(func(*fold.State) {}) }

// Read calls f with the state under a shared lock, if the epoch holds, and reports whether it does.
// f must not keep the state.
func (e Epoch) Read(f func(*fold.State)) bool {
	if e.replica == nil {
		return false
	}
	e.replica.mu.RLock()
	defer e.replica.mu.RUnlock()
	if e.number != e.replica.epoch {
		return false
	}
	f(e.replica.state)
	return true
}

// Wait returns true when cond holds, or false when the epoch has ended. The error says that ctx has
// ended or that the replica has stopped following.
func (e Epoch) Wait(ctx context.Context, cond func(*fold.State) bool) (holds bool, err error) {
	err = e.replica.wait(ctx, func() bool {
		holds = e.number == e.replica.epoch
		return !holds || cond(e.replica.state)
	})
	return holds, err
}
