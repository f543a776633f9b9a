package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/tools/status"

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
			var now httpapi.Readiness
			if status.Get(ctx, "http://"+address+"/readyz", &now) == nil && now.Ready {
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
