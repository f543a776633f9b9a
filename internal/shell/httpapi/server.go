package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/wire"
)

// ErrNotReady is returned, wrapped, by Classify and Snapshot while there is no spec or no model
// file. The client gets 503 with the text of the error, and may retry.
var ErrNotReady = errors.New("the worker is not ready")

// Options of a Server.
type Options struct {
	Addr     string       // host:port; port 0 selects a free port; empty: do not listen
	Listener net.Listener // instead of Addr; nil: it is opened
	Role     string
	Metrics  *Metrics
	Ready    func() Readiness
	State    func(f func(*fold.State)) // calls f with the state, under the lock that protects it
	Worker   func() Worker

	// Classify writes the decision, in JSON, for the body of a request, a document record, or those
	// for a list of them; with spans also the text as it was read, and where the terms of the evidence
	// are in it. A *wire.Reject, before anything is written, is an error of the client. Nil: it is not
	// offered, and so with Correct and Decision.
	Classify func(ctx context.Context, to io.Writer, body []byte, spans bool) error

	// Correct writes what a correction says to the training topic, and returns what became of it
	// within the time to wait. A *wire.Reject is an error of the client, and so is a *RefusedError.
	Correct func(ctx context.Context, c *wire.Correction, wait time.Duration) (Corrected, error)

	// Decision returns the newest decision, in JSON, on the document of an id or of a place.
	Decision func(id string) (decision []byte, found bool)

	// Token returns the token of the calls about single documents of the topics; nil: there is none,
	// and they are answered on loopback only.
	Token func() ([]byte, error)

	// Snapshot returns a copy of the model file, and whether it holds the ledgers. The server closes
	// and removes the copy.
	Snapshot func(ctx context.Context) (file *os.File, ledger bool, err error)

	Memory *budget.Budget // for the bodies of requests; nil: there is no bound

	Log *slog.Logger // nil: slog.Default
}

// writeTimeout is how long a request may take.
const writeTimeout = 60 * time.Second

// Server serves the HTTP side of one worker.
type Server struct {
	options Options
	log     *slog.Logger
	http    *http.Server

	addr   string // address it listens on, or ""
	guard  Guard
	cancel context.CancelFunc
	done   chan struct{} // closed when the server stops accepting

	roomTime time.Duration // how long a request waits for room for its body
	pace     pace          // of readers of snapshots
	copying  sync.Mutex    // held while a snapshot is made and sent, one at a time
	working  sync.RWMutex  // read-held by every request: Shutdown waits for all
	closed   bool          // under working
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	s := &Server{options: o, log: cmp.Or(o.Log, slog.Default()), roomTime: usualRoomTime, pace: usualPace,
		done: make(chan struct{})}
	s.guard = Guard{Who: "worker", Log: s.log}
	s.http = Bounded(s.handler(), slog.NewLogLogger(s.log.Handler(), slog.LevelWarn))
	return s
}

// Bounded returns a server with limits on its connections. What sends for long extends the time to
// write as long as its reader reads.
func Bounded(handler http.Handler, errors *log.Logger) *http.Server {
	const maxHeader = 64 << 10
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: writeTimeout,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader, ErrorLog: errors,
	}
}

// Start listens and returns the address, "" if Options has none. It must be called once.
func (s *Server) Start() (addr string, err error) {
	listener := s.options.Listener
	if listener == nil && s.options.Addr == "" {
		return "", nil
	}
	if listener == nil {
		if listener, err = s.listen(); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.addr = listener.Addr().String()
	s.guard.Loopback = OnLoopback(listener.Addr())
	s.cancel = cancel
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	go s.serve(listener)
	s.log.Info("HTTP is served", "address", s.addr)
	if !s.guard.Loopback {
		s.log.Warn("HTTP is open to other machines without authentication: anyone who can connect can read the model",
			"address", s.addr)
	}
	return s.addr, nil
}

// listen opens the address.
func (s *Server) listen() (l net.Listener, err error) {
	if s.guard.Host, _, err = net.SplitHostPort(s.options.Addr); err != nil {
		return nil, fmt.Errorf("HTTP address %q: %w; want host:port, like 127.0.0.1:7431", s.options.Addr, err)
	}
	l, err = new(net.ListenConfig).Listen(context.Background(), "tcp", s.options.Addr)
	if err != nil {
		return nil, fmt.Errorf("HTTP cannot listen: %w; choose another address with --http, or port 0 for a free port", err)
	}
	return l, nil
}

// OnLoopback reports whether only this machine can connect to an address.
func OnLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

func (s *Server) serve(l net.Listener) {
	defer close(s.done)
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.log.Error("HTTP server failed", "address", s.addr, "error", err)
	}
}

// Shutdown stops accepting, waits for running requests until ctx ends and then aborts them. When it
// returns no request is running, so what the functions of Options use can be closed.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.addr == "" {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if err != nil && ctx.Err() != nil {
		s.log.Warn("HTTP requests were aborted by the shutdown")
		err = nil
	}
	s.cancel()
	err = errors.Join(err, s.http.Close())
	s.working.Lock()
	s.closed = true
	s.working.Unlock()
	<-s.done
	if err != nil {
		return fmt.Errorf("stop HTTP: %w", err)
	}
	return nil
}
