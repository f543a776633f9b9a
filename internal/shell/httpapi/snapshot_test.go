package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bayestream/internal/shell/httpapi"
)

// wantGone waits for a copy to be removed that was not sent completely.
func wantGone(t *testing.T, name string) {
	t.Helper()
	for range 6000 { // a minute, on a busy machine
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s was not removed", filepath.Base(name))
}

func TestSnapshot(t *testing.T) {
	content := bytes.Repeat([]byte("bolt"), 1<<20) // several chunks
	for _, ledger := range []bool{true, false} {
		f := copyOf(t, content)
		url := serve(t, httpapi.Options{Role: "ingest", Snapshot: func(context.Context) (*os.File, bool, error) { return f, ledger, nil }})
		r := ask(t, http.MethodGet, url+"/v1/snapshot", nil)
		if r.StatusCode != http.StatusOK || r.body != string(content) {
			t.Errorf("got %d with %d bytes, want 200 with the %d of the file", r.StatusCode, len(r.body), len(content))
		}
		for name, want := range map[string]string{
			"Content-Type": "application/octet-stream", "Content-Length": fmt.Sprint(len(content)), "Bayestream-Ledger": fmt.Sprint(ledger), "ETag": "",
			"Content-Disposition": `attachment; filename="bayestream-ingest.db"`,
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the copy is still there: %v", err)
		}
	}
}

// Whoever has a whole snapshot can ask for the next one at once, and finds nothing left of it.
func TestSnapshotsOneAfterTheOther(t *testing.T) {
	var f *os.File
	url := serve(t, httpapi.Options{Snapshot: func(context.Context) (*os.File, bool, error) { return f, true, nil }}) + "/v1/snapshot"
	content := bytes.Repeat([]byte("bolt"), 1<<14)
	for i := range 100 {
		f = copyOf(t, content)
		r := ask(t, http.MethodGet, url, nil)
		if r.StatusCode != http.StatusOK || r.body != string(content) {
			t.Fatalf("snapshot %d: got %d with %d bytes, want 200 with %d", i, r.StatusCode, len(r.body), len(content))
		}
		if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("snapshot %d: the copy is still there: %v", i, err)
		}
	}
}

func TestSnapshotErrors(t *testing.T) {
	var failure error
	url := serve(t, httpapi.Options{Snapshot: func(context.Context) (*os.File, bool, error) { return nil, false, failure }}) + "/v1/snapshot"
	failure = errors.New("disk full")
	ask(t, http.MethodGet, url, nil).wantFailure(t, 500, "internal")
	failure = fmt.Errorf("no checkpoint yet: %w", httpapi.ErrNotReady)
	ask(t, http.MethodGet, url, nil).wantFailure(t, 503, "not_ready") // and the first error freed the slot
	if r := ask(t, http.MethodHead, url, nil); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: got %d allowing %q, want 405 allowing GET", r.StatusCode, r.Header.Get("Allow"))
	}
}

func TestSnapshotThatCannotBeRead(t *testing.T) {
	f := copyOf(t, nil)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	url := serve(t, httpapi.Options{Snapshot: func(context.Context) (*os.File, bool, error) { return f, false, nil }})
	ask(t, http.MethodGet, url+"/v1/snapshot", nil).wantFailure(t, 500, "internal")
	wantGone(t, f.Name())
}

func TestOneSnapshotAtATime(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	files := []*os.File{copyOf(t, []byte("one")), copyOf(t, []byte("two"))}
	url := serve(t, httpapi.Options{Snapshot: func(context.Context) (*os.File, bool, error) {
		f := files[0]
		files = files[1:]
		if len(files) == 1 {
			close(entered)
			<-release
		}
		return f, true, nil
	}}) + "/v1/snapshot"
	first := make(chan string)
	go func() {
		resp, err := http.Get(url)
		if err != nil {
			first <- err.Error()
			return
		}
		b, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		first <- string(b)
	}()
	<-entered
	r := ask(t, http.MethodGet, url, nil)
	r.wantFailure(t, 429, "busy")
	if r.Header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	close(release)
	if got := <-first; got != "one" {
		t.Errorf("the first got %q, want its snapshot", got)
	}
	if r = ask(t, http.MethodGet, url, nil); r.body != "two" {
		t.Errorf("afterwards: got %d %q, want the second snapshot", r.StatusCode, r.body)
	}
}

// A copy may take longer than any other request, and its context must not end meanwhile.
func TestSnapshotOutlivesTheTimeouts(t *testing.T) {
	f := copyOf(t, []byte("slow"))
	s := httpapi.New(httpapi.Options{Addr: "127.0.0.1:0", Metrics: httpapi.NewMetrics(httpapi.Ingest), Log: slog.New(slog.DiscardHandler), Snapshot: func(ctx context.Context) (*os.File, bool, error) {
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-time.After(600 * time.Millisecond):
			return f, true, nil
		}
	}})
	s.Hurry(200 * time.Millisecond)
	r := ask(t, http.MethodGet, start(t, s)+"/v1/snapshot", nil)
	if r.StatusCode != http.StatusOK || r.body != "slow" {
		t.Errorf("got %d %q, want the snapshot", r.StatusCode, r.body)
	}
}

// hollow is a copy of zeros.
func hollow(t *testing.T, size int64) *os.File {
	t.Helper()
	f := copyOf(t, nil)
	if err := os.Truncate(f.Name(), size); err != nil {
		t.Fatal(err)
	}
	return f
}

// A reader that goes away leaves neither the file nor the slot behind, and one whose copy is cut
// short must not take it for a whole one.
func TestSnapshotCutShort(t *testing.T) {
	f := hollow(t, 64<<20) // more than sockets hold
	url := serve(t, httpapi.Options{Snapshot: func(context.Context) (*os.File, bool, error) { return f, true, nil }}) + "/v1/snapshot"
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, resp.Body, 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = resp.Body.Close()
	wantGone(t, f.Name())

	f = hollow(t, 64<<20)
	resp = getFree(t, url)
	defer resp.Body.Close()
	if err := os.Truncate(f.Name(), 0); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Errorf("got %d of %d bytes without an error", n, 64<<20)
	}
}

// getFree asks for a snapshot until the slot is free, which is a moment after the copy before is
// gone.
func getFree(t *testing.T, url string) *http.Response {
	t.Helper()
	for range 6000 { // a minute, on a busy machine
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusTooManyRequests {
			return resp
		}
		_ = resp.Body.Close()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the slot is not free")
	return nil
}

// One who stops reading loses the slot, and another gets it; a page of another site cannot ask.
func TestSnapshotOfAReaderWhoStops(t *testing.T) {
	making := make(chan bool, 2)
	files := make(chan *os.File, 2)
	s := httpapi.New(httpapi.Options{Addr: "127.0.0.1:0", Metrics: httpapi.NewMetrics(httpapi.Ingest), Log: slog.New(slog.DiscardHandler), Snapshot: func(context.Context) (*os.File, bool, error) {
		making <- true
		return <-files, true, nil
	}})
	s.Pace(200 * time.Millisecond)
	url := start(t, s) + "/v1/snapshot"
	ask(t, http.MethodGet, url, nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }).wantFailure(t, 403, "cross_site")
	begun := make(chan *http.Response, 1)
	go func() {
		resp, err := http.Get(url) //nolint:bodyclose // who receives it closes it
		if err != nil {
			t.Error(err)
		}
		begun <- resp
	}()
	<-making
	ask(t, http.MethodGet, url, nil).wantFailure(t, 429, "busy")
	first := hollow(t, 256<<20) // more than sockets hold
	files <- first
	if resp := <-begun; resp != nil { // and is not read
		defer resp.Body.Close()
	}
	wantGone(t, first.Name())
	files <- copyOf(t, []byte("two"))
	resp := getFree(t, url)
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "two" {
		t.Errorf("got %q, %v", body, err)
	}
}

// The deadline moves with what was read, and the whole has one.
func TestSnapshotPace(t *testing.T) {
	const piece = 256 << 10
	for _, c := range []struct {
		passed time.Duration
		n      int64
		want   time.Duration
	}{
		{0, 0, 3 * time.Second},
		{10 * time.Second, 64 << 20, 13 * time.Second},               // a fast reader
		{15 * time.Second, 0, 15*time.Second + 500*time.Millisecond}, // the excess is used up
		// 16 s for 8 MiB, 15 s, and 0.5 s for the next piece
		{30 * time.Second, 8 << 20, 31*time.Second + 500*time.Millisecond},
		{10 * time.Minute, 66 << 20, 147*time.Second + 500*time.Millisecond}, // long past
		{600 * time.Second, 300<<20 - piece, 603 * time.Second},              // at the slowest average, 615 s
	} {
		if got := httpapi.Deadline(c.passed, c.n); got != c.want {
			t.Errorf("%d bytes after %v: until %v, want %v", c.n, c.passed, got, c.want)
		}
	}
}
