package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/processtest"
)

// A worker says over HTTP which partitions its group gave to it, and where its model file is.
func TestAWorkerSaysWhatItWorksOn(t *testing.T) {
	c := config.Default[config.Classify]()
	documents := kafkatest.Topic(t, 3, nil)
	c.Kafka.Brokers = kafkatest.Start(t)
	c.ModelTopic, c.DeadTopic, c.Group, c.AllowWeakTopic = kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil), documents, true
	c.State, c.HTTP = filepath.Join(t.TempDir(), "model.db"), processtest.FreeAddress(t)
	w, err := New(c.Worker, Role{Name: "classify", Settings: config.InForce(c)}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		nothing := func(context.Context) error { return nil }
		hold := func(ctx context.Context, _ stream.Assignment) error { <-ctx.Done(); return nil }
		ended <- w.Run(ctx, nothing, func(ctx context.Context) error { return w.Consume(ctx, documents, hold) })
	}()
	var got httpapi.Worker
	for end := time.Now().Add(time.Minute); !slices.Equal(got.Partitions, []int{0, 1, 2}); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %+v", got)
		}
		got = said(t, c.HTTP)
	}
	if got.Role != "classify" || got.Group != documents || got.Topic != documents || got.File != c.State || got.FileBytes == nil || *got.FileBytes == 0 || len(got.Settings) < 20 {
		t.Errorf("got %+v", got)
	}
	if _, err := w.checkpoint(); err != nil {
		t.Fatal(err)
	}
	if c := said(t, c.HTTP).Checkpoint; c == nil || c.AgeSeconds > 60 || c.Seconds <= 0 {
		t.Errorf("the checkpoint is %+v", c)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestATokenIsCheckedAtTheStart: a worker does not start with a token that each request would fail by.
func TestATokenIsCheckedAtTheStart(t *testing.T) {
	for want, c := range map[string]struct {
		token string
		mode  os.FileMode
	}{"has 5 characters": {"short", 0o600}, "has the mode 0644": {"as long as is asked for", 0o644}} {
		path := filepath.Join(t.TempDir(), "token")
		if err := errors.Join(os.WriteFile(path, []byte(c.token), c.mode), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		w := &Worker{config: config.Worker{HTTPTokenFile: path}}
		if _, err := w.serve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want that the token %s", err, want)
		}
	}
}

// said returns the answer of GET /v1/worker, empty while the worker does not listen.
func said(t *testing.T, address string) (answer httpapi.Worker) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/v1/worker", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || json.Unmarshal(body, &answer) != nil {
		t.Fatalf("got %q, %v", body, err)
	}
	return answer
}
