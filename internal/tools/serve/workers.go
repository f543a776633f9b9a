package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"

	"golang.org/x/sync/errgroup"
)

// Workers are an ingest and a classify that run in this process.
type Workers struct {
	Ingest, Classify string // addresses of their HTTP

	Context context.Context //nolint:containedctx // ends when a worker fails: what feeds them must end with it
	cancel  context.CancelFunc
	group   *errgroup.Group
}

// Start starts the workers, whose HTTP is served on the listeners of their configurations.
func Start(ctx context.Context, ic config.Ingest, cc config.Classify, log *slog.Logger) *Workers {
	w := &Workers{Ingest: ic.Listener.Addr().String(), Classify: cc.Listener.Addr().String()}
	ctx, w.cancel = context.WithCancel(ctx)
	w.group, w.Context = errgroup.WithContext(ctx)
	w.group.Go(func() error { return ingest.Run(w.Context, ic, log.With("worker", "ingest")) })
	w.group.Go(func() error { return classify.Run(w.Context, cc, log.With("worker", "classify")) })
	return w
}

// lookEach is the time between two questions whether a worker is ready.
const lookEach = 20 * time.Millisecond

// WaitReady returns when both workers are ready, ctx ends, or one of them has failed.
func (w *Workers) WaitReady(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A worker that failed before it served HTTP would never answer.
	stop := context.AfterFunc(w.Context, func() { cancel(context.Cause(w.Context)) })
	defer stop()
	for _, address := range []string{w.Ingest, w.Classify} {
		for {
			if status, _, err := get(ctx, "http://"+address+"/readyz"); err == nil && status == http.StatusOK {
				break
			}
			select {
			case <-time.After(lookEach):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// Wait returns when both workers have ended, with the error of the one that failed first.
func (w *Workers) Wait() error {
	if err := w.group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Stop ends the workers in order and returns the first error.
func (w *Workers) Stop() error {
	w.cancel()
	return w.Wait()
}

// Listen opens the port that lies step ports behind that of an address, or a free one of its host
// where that port is in use or unknown.
func Listen(ctx context.Context, address string, step int) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w; want host:port, like 127.0.0.1:7430", address, err)
	}
	var config net.ListenConfig
	if n, err := strconv.Atoi(port); err == nil && n > 0 {
		if l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(n+step))); err == nil {
			return l, nil
		}
	}
	return config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

// get asks an address.
func get(ctx context.Context, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	return Ask(req)
}

// Ask sends a request, and returns the whole answer.
func Ask(req *http.Request) (status int, body []byte, err error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}
