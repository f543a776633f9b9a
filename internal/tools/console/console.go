// Package console serves the pages on which a person watches the stream, sees why a message was
// labelled as it was, corrects it, and sees the model learn. openapi.yaml describes the calls that
// the pages make.
//
// A console is a process beside the workers. It follows the model topic with a replica of its own,
// reads the tail of the topics of labels and of the training topic, and fetches the text of a
// message when somebody looks at it. Corrections are records of the training topic. So Kafka is its
// database, any number of consoles may run, and their memory is bounded.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/status"

	"golang.org/x/sync/errgroup"
)

// Options of a console.
type Options struct {
	Kafka config.Kafka
	status.Topics

	EnrichField string         // with the decision in a document
	Key         *spec.TermsKey // of the terms; nil: none
	// snapshot to start from where the model log no longer reaches back; "": none
	Bootstrap     string
	Keep          int      // decisions to remember of each partition
	Memory        int      // bytes for what is remembered; 0: budget.Default
	Workers       []string // their HTTP addresses
	Token         func() ([]byte, error)
	ReadOnly      bool
	Cert, CertKey string // of TLS; "": none
	// is told the address when it is known to be served; nil: nobody asks
	Serving func(url string) error
	Page    http.Handler            // what the browser loads
	Routes  map[string]http.Handler // more calls, by pattern, for who may read
	// are the checks of GET /readyz; nil: those of the console
	Checks  func(context.Context) httpapi.Readiness
	Version string
	Log     *slog.Logger
}

// UsualKeep is how many decisions of each partition are remembered, if nobody says otherwise.
const UsualKeep = 2000

// Console is a running console.
type Console struct {
	options Options
	log     *slog.Logger
	client  *stream.Client
	replica *modellog.Replica
	taken   int64 // Next of the snapshot that was taken last because the log was cut

	looks atomic.Pointer[lens] // nil: none was needed yet

	memory      *memory
	corrections *corrections
	meter       *meter
	workers     []status.Worker // to ask
	watcher     *status.Watcher
	health      atomic.Pointer[status.Status]
	looked      chan chan<- struct{} // of who waits for a look
	trend       *trend

	ready   atomic.Bool
	streams atomic.Int64
	busy    chan struct{} // held while a document is looked at
	guard   httpapi.Guard
}

// atOnce is how many documents are scored for pages at the same time. Others wait.
const atOnce = 4

// Open returns a console that does not run yet. Kafka is not asked for anything.
func Open(ctx context.Context, o Options) (*Console, error) {
	c := &Console{
		options: o, log: o.Log, memory: newMemory(mostKept, cmp.Or(o.Memory, budget.Default())/2), meter: newMeter(),
		trend: newTrend(), busy: make(chan struct{}, atOnce), looked: make(chan chan<- struct{}),
		guard: httpapi.Guard{Who: "console", Log: o.Log},
	}
	c.corrections = newCorrections(c)
	for _, address := range o.Workers {
		c.workers = append(c.workers, status.NewWorker(address, "", true))
	}
	sc := o.Kafka.Stream()
	sc.Log = o.Log
	var err error
	if sc.Schemas, err = o.Kafka.Schemas(nil, o.Log); err != nil {
		return nil, err
	}
	client, err := stream.Dial(sc)
	if err != nil {
		return nil, err
	}
	c.client = client
	c.watcher = status.NewWatcher(client, o.Topics, true)
	state := fold.New(true)
	if o.Bootstrap != "" {
		if state, err = c.snapshot(ctx); err != nil {
			client.Close()
			return nil, err
		}
	}
	c.corrections.restart(state)
	observer := modellog.Observer{Folded: c.corrections.folded, Rebuild: c.rebuild, Accepted: c.corrections.accepted}
	if o.Bootstrap != "" {
		observer.Truncated = c.truncated
	}
	c.replica = modellog.New(client, o.Topics.Model, state, observer, o.Log)
	return c, nil
}

// snapshot returns the state of the snapshot to start from.
func (c *Console) snapshot(ctx context.Context) (*fold.State, error) {
	state, err := store.Peek(ctx, c.options.Bootstrap)
	if err != nil {
		return nil, config.RedactError(fmt.Errorf("bootstrap: %w", err))
	}
	return state, nil
}

// truncated takes a snapshot, because the model log lacks the records that are to be folded next.
func (c *Console) truncated(ctx context.Context, reason *modellog.TruncatedError, swap func(*fold.State)) error {
	state, err := c.snapshot(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", reason, err)
	}
	if state.Next() < reason.Start || state.Next() == c.taken {
		return fmt.Errorf("%w: the snapshot of --bootstrap leads to offset %d only: take a newer one (bayestream copy)",
			reason, state.Next()-1)
	}
	c.taken = state.Next()
	c.corrections.restart(state)
	swap(state)
	return nil
}

// rebuild lets the replica start over.
func (c *Console) rebuild(_ error, swap func()) {
	c.corrections.restart(fold.New(true))
	swap()
}

// Serve follows the topics and answers on the listener, until ctx ends or something fails. It
// closes both.
func (c *Console) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.client.Close()
	server, err := c.opened(l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	g, ctx := errgroup.WithContext(ctx)
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	g.Go(func() error {
		err := serve(server, l)
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	})
	g.Go(func() error {
		<-ctx.Done()
		end, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer done()
		return errors.Join(server.Shutdown(end), server.Close())
	})
	g.Go(func() error { return c.follow(ctx) })
	g.Go(func() error { return c.read(ctx) })
	g.Go(func() error { return c.measure(ctx) })
	err = g.Wait()
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// stopTime is how long open requests may take when the console stops.
const stopTime = time.Second

// follow folds the model log, once its topic is there.
func (c *Console) follow(ctx context.Context) error {
	if _, err := c.awaitTopic(ctx, c.options.Topics.Model); err != nil {
		return err
	}
	return c.replica.Follow(ctx)
}
