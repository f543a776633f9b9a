package worker

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/shell/config"
	"bayestream/internal/testing/processtest"
)

// TestBootstrapHidesPassword: what a snapshot is fetched with does not get into the log, however
// the fetch fails.
func TestBootstrapHidesPassword(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/snapshot" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write([]byte("no model file"))
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for name, c := range map[string]struct{ url, says string }{
		"nobody listens": {"http://alice:s3cret@127.0.0.1:1/v1/snapshot", "127.0.0.1:1"},
		"not found":      {"http://alice:s3cret@" + host + "/nothing", "404"},
		"no snapshot":    {"http://alice:s3cret@" + host + "/v1/snapshot", "bootstrap: http://******@" + host + "/v1/snapshot is not a model file"},
		"a token":        {"http://s3cret@" + host + "/nothing", "404"},
		"an odd one":     {"http://al@ice:s3c%3Fret@" + host + "/nothing", "bootstrap"},
	} {
		var log bytes.Buffer
		w := &Worker{config: config.Worker{Bootstrap: c.url, State: filepath.Join(t.TempDir(), "model.db")}, log: slog.New(slog.NewTextHandler(&log, nil)), trouble: map[string]string{}}
		err := w.bootstrap(t.Context())
		if strings.Contains(log.String(), "s3c") || len(w.trouble) > 0 {
			t.Errorf("%s: trouble %q, log:\n%s", name, w.trouble, &log)
		}
		if err == nil || strings.Contains(err.Error(), "s3c") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error about %q without the password", name, err, c.says)
		}
	}
}

// slowSource is a server of a snapshot that sends the second half when it is told to.
type slowSource struct {
	url  string
	rest chan struct{}
}

func newSlowSource(t *testing.T, snapshot []byte) slowSource {
	s := slowSource{rest: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		half := len(snapshot) / 2
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(len(snapshot)))
		_, _ = w.Write(snapshot[:half])
		_ = http.NewResponseController(w).Flush()
		select {
		case <-s.rest:
			_, _ = w.Write(snapshot[half:])
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	s.url = "http://alice:s3cret@" + strings.TrimPrefix(server.URL, "http://") + "/v1/snapshot"
	return s
}

// learned returns a snapshot of a model that has learned a record.
func learned(t *testing.T) []byte {
	t.Helper()
	w, learn := newIdle(t, config.Worker{})
	learn(700)
	file, _, err := w.snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fetching is a worker of which the first half of a snapshot has come.
type fetching struct {
	*Worker
	source slowSource
	stop   func()
	ended  chan error
}

// startFetching returns a worker that answers HTTP while its snapshot comes.
func startFetching(t *testing.T) fetching {
	t.Helper()
	snapshot := learned(t)
	f := fetching{source: newSlowSource(t, snapshot), ended: make(chan error, 1)}
	c := config.Default[config.Classify]().Worker
	c.Kafka.Brokers = []string{"127.0.0.1:9"}
	c.State = filepath.Join(t.TempDir(), "model.db")
	c.Bootstrap = f.source.url
	c.HTTP = processtest.FreeAddress(t)
	var err error
	if f.Worker, err = New(c, Role{Name: "classify"}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	f.stop = stop
	go func() {
		nothing := func(context.Context) error { return nil }
		f.ended <- f.Run(ctx, nothing, nothing)
	}()
	size := fmt.Sprintf(" of %.1f MiB of the snapshot at http://******@", float64(len(snapshot))/mebi)
	await(t, c.HTTP, "/readyz", http.StatusServiceUnavailable, size)
	await(t, c.HTTP, "/livez", http.StatusOK, "ok")
	await(t, c.HTTP, "/v1/snapshot", http.StatusServiceUnavailable, "not_ready")
	return f
}

// mustEnd stops the worker and fails if it does not end in order, or the folder of its model file
// has other files.
func (f *fetching) mustEnd(t *testing.T, files ...string) {
	t.Helper()
	f.stop()
	if err := <-f.ended; err != nil {
		t.Errorf("stopped: %v", err)
	}
	got, err := filepath.Glob(filepath.Join(filepath.Dir(f.config.State), "*"))
	if err != nil || !slices.Equal(got, files) {
		t.Errorf("the folder has %q, %v, want %q", got, err, files)
	}
}

// While a snapshot comes the worker answers HTTP. Then it goes on from the snapshot.
func TestHTTPWhileASnapshotComes(t *testing.T) {
	f := startFetching(t)
	close(f.source.rest)
	await(t, f.config.HTTP, "/readyz", http.StatusServiceUnavailable, `"name":"store","ok":true`)
	await(t, f.config.HTTP, "/v1/model", http.StatusOK, `"documents":1`)
	f.mustEnd(t, f.config.State)
	if what, isThere := f.trouble[partSnapshot]; isThere {
		t.Errorf("the check stays: %s", what)
	}
}

func TestStopWhileASnapshotComes(t *testing.T) {
	f := startFetching(t)
	f.mustEnd(t)
}

// What a server packs without end is refused, and the server is not asked for more than is needed to
// see that. Nothing stays in the folder.
func TestBootstrapRefusesWhatHasNoEnd(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		says string
	}{
		"zeros":   {make([]byte, 1<<16), "does not begin with a meta page"},
		"a model": {learned(t), "goes on behind"},
	} {
		sent := make(chan int64, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("Content-Encoding", "gzip")
			out := &counted{w: w}
			packedForever(out, c.body)
			sent <- out.n
		}))
		folder := t.TempDir()
		w := &Worker{config: config.Worker{Bootstrap: server.URL, State: filepath.Join(folder, "model.db")}, log: slog.New(slog.DiscardHandler), trouble: map[string]string{}}
		err := w.bootstrap(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if n := <-sent; n > 32<<20 { // what the buffers of the connection take is the most of it
			t.Errorf("%s: the server sent %d bytes", name, n)
		}
		server.Close()
		if files, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(files) > 0 {
			t.Errorf("%s: the folder has %q, %v", name, files, err)
		}
	}
}

// packedForever writes until the reader is gone, or has taken far too much.
func packedForever(w io.Writer, body []byte) {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	for n := 0; n < 1<<30; n += len(body) {
		if _, err := z.Write(body); err != nil {
			return
		}
	}
}

// counted counts what the connection took.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (n int, err error) {
	n, err = c.w.Write(p)
	c.n += int64(n)
	return n, err
}
