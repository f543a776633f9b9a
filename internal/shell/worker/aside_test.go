package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/testing/metrictest"
)

// TestReadyWhileFileIsReplaced: the readiness may be asked for while the model file is moved aside.
// It fails under the race detector if the two do not agree on a lock.
func TestReadyWhileFileIsReplaced(t *testing.T) {
	w, err := New(config.Worker{
		Kafka: config.Kafka{Connection: config.Connection{Brokers: []string{"127.0.0.1:9"}}}, ModelTopic: "model", State: filepath.Join(t.TempDir(), "model.db"),
	}, Role{Name: "classify"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for range 100 {
			w.ready()
		}
	}()
	for range 3 {
		w.rebuild(errors.New("the log is another"), func() {})
	}
	<-asked
	if err := w.close(); err != nil {
		t.Error(err)
	}
}

// TestVoidIsNoOtherLog: a new start that a void asks for is not counted among the rebuilds, of
// which an alert tells.
func TestVoidIsNoOtherLog(t *testing.T) {
	w, _ := newIdle(t, config.Worker{State: filepath.Join(t.TempDir(), "model.db")})
	for i, reason := range []error{fmt.Errorf("offset 7: %w", &fold.VoidedError{}), errors.New("the log is another")} {
		w.rebuild(reason, func() {})
		if got := metrictest.Sum(t, w.Metrics.Gatherer(), "bayestream_rebuilds_total"); got != float64(i) {
			t.Errorf("behind %v there are %v rebuilds, want %d", reason, got, i)
		}
	}
	w.closeStore()
}

// TestNoFileIsOpen: without a model file there is no snapshot and no checkpoint, but a sentence.
func TestNoFileIsOpen(t *testing.T) {
	w := &Worker{}
	if _, err := w.copy(); !errors.Is(err, errNoFile) {
		t.Errorf("copy: %v", err)
	}
	if _, err := w.checkpoint(); !errors.Is(err, errNoFile) {
		t.Errorf("checkpoint: %v", err)
	}
}
