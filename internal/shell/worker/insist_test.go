package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/processtest"

	"github.com/twmb/franz-go/pkg/kfake"
)

// A start waits out what may pass and says so; anything else ends it at once.
func TestInsist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := &Worker{Metrics: httpapi.NewMetrics("classify"), trouble: map[string]string{}, log: slog.New(slog.NewTextHandler(&log, nil))}
		away := fmt.Errorf("%w: nobody listens", stream.ErrRetriable)
		attempts := 0
		err := w.insist(t.Context(), func(context.Context) error {
			attempts++
			if attempts == 1 {
				return away
			}
			if w.trouble[partKafka] != away.Error() {
				t.Errorf("trouble %q while it waits", w.trouble)
			}
			if attempts < 3 {
				return away
			}
			return nil
		})
		if err != nil || attempts != 3 || len(w.trouble) != 0 || strings.Count(log.String(), "waits for Kafka") != 2 {
			t.Errorf("got %v after %d attempts, trouble %q, log:\n%s", err, attempts, w.trouble, &log)
		}
		wrong := errors.New("the user may not describe the topic")
		attempts = 0
		if err := w.insist(t.Context(), func(context.Context) error { attempts++; return wrong }); !errors.Is(err, wrong) || attempts != 1 {
			t.Errorf("got %v after %d attempts", err, attempts)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(insistEach/2, cancel)
		if err := w.insist(ctx, func(context.Context) error { return away }); !errors.Is(err, context.Canceled) {
			t.Errorf("a stop while it waits: %v", err)
		}
	})
}

// A worker that is started before Kafka answers HTTP, is not ready, and starts when Kafka does.
func TestKafkaStartsAfterTheWorker(t *testing.T) {
	broker, address := processtest.FreeAddress(t), processtest.FreeAddress(t)
	c := config.Default[config.Classify]().Worker
	c.Kafka.Brokers = []string{broker}
	c.State = filepath.Join(t.TempDir(), "model.db")
	c.HTTP = address
	c.CreateTopics = true
	w, err := New(c, Role{Name: "classify"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		nothing := func(context.Context) error { return nil }
		ended <- w.Run(ctx, nothing, func(ctx context.Context) error { <-ctx.Done(); return nil })
	}()
	await(t, address, "/livez", http.StatusOK, "ok")
	await(t, address, "/readyz", http.StatusServiceUnavailable, `"broker","ok":false`)
	_, port, _ := net.SplitHostPort(broker)
	number, _ := strconv.Atoi(port) // of an address that was listened on
	kafkatest.Fake(t, kfake.NumBrokers(1), kfake.Ports(number))
	await(t, address, "/readyz", http.StatusOK, `"ready":true`)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// await asks until the answer has a status and a text.
func await(t *testing.T, address, path string, status int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			body, err := io.ReadAll(response.Body)
			if response.Body.Close() == nil && err == nil && response.StatusCode == status && strings.Contains(string(body), text) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: no answer %d with %s", path, status, text)
}
