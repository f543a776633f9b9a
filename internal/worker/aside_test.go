package worker

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"bayestream/internal/config"
)

// TestReadyWhileFileIsReplaced: the readiness may be asked for while the model file is moved aside. It fails under
// the race detector if the two do not agree on a lock.
func TestReadyWhileFileIsReplaced(t *testing.T) {
	w, err := Open(t.Context(), config.Worker{
		Kafka: config.Kafka{Brokers: []string{"127.0.0.1:9"}}, ModelTopic: "model", State: filepath.Join(t.TempDir(), "model.db"),
	}, Role{Name: "classify"}, slog.New(slog.DiscardHandler))
	if err != nil {
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
