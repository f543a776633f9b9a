package modellog

import (
	"log/slog"
	"runtime"
	"testing"

	"bayestream/internal/core/fold"
)

// TestReadersWhoWait: a change of the state says how long readers waited, and 0 if none did. The fold
// pauses for so long.
func TestReadersWhoWait(t *testing.T) {
	r := New(nil, "model", fold.New(true), Observer{}, slog.New(slog.DiscardHandler))
	if waited := r.update(func(*fold.State) {}); waited != 0 {
		t.Errorf("%v without a reader", waited)
	}
	read := make(chan struct{})
	waited := r.update(func(*fold.State) {
		go func() {
			defer close(read)
			r.Read(func(*fold.State) {})
		}()
		for r.waited.Load() == 0 {
			runtime.Gosched()
		}
	})
	<-read
	if waited <= 0 {
		t.Errorf("%v with a reader", waited)
	}
	if waited := r.update(func(*fold.State) {}); waited != 0 {
		t.Errorf("%v behind the reader", waited)
	}
}
