package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
)

// running is a worker that runs in this process.
type running struct {
	t      *testing.T
	name   string
	log    *logbook
	cancel context.CancelFunc
	done   chan struct{} // closed when run has returned err
	err    error
}

// start runs a worker until the test ends or stop is called.
func start(t *testing.T, name string, run func(context.Context, *logbook) error) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, name: name, log: &logbook{}, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = run(ctx, r.log)
	}()
	t.Cleanup(func() {
		cancel()
		<-r.done
		if t.Failed() {
			t.Logf("%s ended with %v; its log:\n%s", name, r.err, tail(r.log.text(), 4000))
		}
	})
	return r
}

// stop ends the worker in order and returns how long that took.
func (r *running) stop() time.Duration {
	r.t.Helper()
	begun := time.Now()
	r.cancel()
	if err := r.end(patience); err != nil {
		r.t.Fatalf("%s, told to stop: %v", r.name, err)
	}
	return time.Since(begun)
}

// end waits until the worker ends by itself and returns why it did.
func (r *running) end(limit time.Duration) error {
	r.t.Helper()
	select {
	case <-r.done:
		return r.err
	case <-time.After(limit):
		r.t.Fatalf("%s runs on after %v", r.name, limit)
		return nil
	}
}

// failure waits until the worker ends and checks that its error says each of the words.
func (r *running) failure(words ...string) {
	r.t.Helper()
	err := r.end(patience)
	if err == nil {
		r.t.Fatalf("%s ended without an error, want one with %q", r.name, words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			r.t.Errorf("%s ended with %q, want it to say %q", r.name, err, w)
		}
	}
}

// ready waits until /readyz says yes.
func (r *running) ready() *running {
	r.t.Helper()
	r.eventually("ready", func() (bool, string) {
		status, body := r.get("/readyz")
		return status == http.StatusOK, string(body)
	})
	return r
}

// eventually waits for a condition that says what it still waits for, as long as the worker runs.
func (r *running) eventually(what string, cond func() (bool, string)) {
	r.t.Helper()
	eventually(r.t, patience, what, func() (bool, string) {
		ok, still := cond()
		select {
		case <-r.done:
			if !ok {
				r.t.Fatalf("%s ended before it was %s: %v", r.name, what, r.err)
			}
		default:
		}
		return ok, still
	})
}

// get asks the worker's HTTP; status 0 means that it does not answer.
func (r *running) get(path string) (status int, body []byte) {
	return r.send(http.MethodGet, path, nil)
}

func (r *running) send(method, path string, body []byte) (status int, answer []byte) {
	if r.log.address() == "" {
		return 0, []byte("HTTP is not served yet")
	}
	return send(method, "http://"+r.log.address()+path, body)
}

func send(method, url string, body []byte) (status int, answer []byte) {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, []byte(err.Error())
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer func() { _ = resp.Body.Close() }()
	if answer, err = io.ReadAll(resp.Body); err != nil {
		return 0, []byte(err.Error())
	}
	return resp.StatusCode, answer
}

// state returns the state of the worker as its snapshot has it.
func (r *running) state() (*fold.State, error) {
	if r.log.address() == "" {
		return nil, errors.New("HTTP is not served yet")
	}
	return snapshot(r.t, r.log.address())
}

// must returns the state, which has to be there.
func (r *running) must() *fold.State {
	r.t.Helper()
	s, err := r.state()
	if err != nil {
		r.t.Fatalf("%s: %v", r.name, err)
	}
	return s
}

// snapshot loads and checks what a worker sends at /v1/snapshot.
func snapshot(t *testing.T, address string) (*fold.State, error) {
	status, body := send(http.MethodGet, "http://"+address+"/v1/snapshot", nil)
	if status != http.StatusOK {
		return nil, fmt.Errorf("%d: %s", status, body)
	}
	path := filepath.Join(t.TempDir(), "snapshot.db")
	if err := (&store.Incoming{From: "the snapshot", Reader: bytes.NewReader(body)}).Install(path); err != nil {
		return nil, err
	}
	s, err := store.OpenReadOnly(path, time.Second)
	if err != nil {
		return nil, err
	}
	st, err := s.Load()
	return st, errors.Join(err, s.Check(), s.Close())
}

// metric returns the value of a series, as /metrics writes its name; 0 if it is not there.
func (r *running) metric(name string) float64 {
	r.t.Helper()
	metrics, err := probe.Ask(r.t.Context(), r.log.address())
	if err != nil {
		r.t.Fatalf("%s: %v", r.name, err)
	}
	return metrics[name]
}

// wantMetric waits for a series to have a value: what is counted can be seen a moment before it is
// counted.
func (r *running) wantMetric(series string, want float64) {
	r.t.Helper()
	r.eventually("counted", func() (bool, string) {
		got := r.metric(series)
		return got == want, fmt.Sprintf("%s of %s is %v, want %v", series, r.name, got, want)
	})
}

// counted waits until the worker has counted every committed record of the training topic and
// returns its state then.
func (p *pipeline) counted(r *running) *fold.State {
	r.t.Helper()
	want := map[int]int64{}
	for part := range p.partitions {
		if records := p.read(p.training, part); len(records) > 0 {
			want[part] = records[len(records)-1].Offset + 1
		}
	}
	var state *fold.State
	r.eventually("done counting", func() (bool, string) {
		s, err := r.state()
		if err != nil {
			return false, err.Error()
		}
		for part, end := range want {
			if now, _ := s.Progress(fold.Source{Topic: p.training, Partition: int32(part)}); now.Watermark < end {
				return false, fmt.Sprintf("partition %d: counted up to %d of %d", part, now.Watermark, end)
			}
		}
		state = s
		return true, ""
	})
	return state
}

// folded waits until the worker has folded the model log up to next and returns its state then.
func (r *running) folded(next int64) *fold.State {
	r.t.Helper()
	var state *fold.State
	r.eventually("up to date", func() (bool, string) {
		s, err := r.state()
		if err != nil {
			return false, err.Error()
		}
		state = s
		return s.Next() >= next, fmt.Sprintf("at offset %d of %d", s.Next(), next)
	})
	return state
}

// same checks that the counts of a state are those of a dump.
func same(t *testing.T, who string, s *fold.State, want string) {
	t.Helper()
	got := ""
	if s.Model() != nil {
		got = modeltest.Dump(s.Model())
	}
	if got != want {
		t.Errorf("%s has other counts:\n%s", who, filetest.FirstDifference(got, want))
	}
}
