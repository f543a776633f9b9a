package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// ErrNotReady is what Classify and Snapshot return, wrapped, while there is nothing to answer with: no
// spec, or no model file. The client gets 503 and the sentence, and may ask again.
var ErrNotReady = errors.New("the worker is not ready")

// Options of a Server. What is nil is not offered.
type Options struct {
	Addr    string // host:port; port 0 takes a free one; empty: nothing is served
	Role    string
	Version string // of the release; empty: what the build says
	Metrics *Metrics
	Ready   func() Readiness

	// Classify answers the body of a request, a document record, with a decision in JSON. A
	// *wire.Reject is the client's fault.
	Classify func(ctx context.Context, body []byte) ([]byte, error)

	// Snapshot returns a copy of the model file, and whether the ledgers are in it. The server
	// closes the copy and removes it.
	Snapshot func(ctx context.Context) (file *os.File, ledger bool, err error)

	Log *slog.Logger // nil: slog.Default
}

// Times after which a connection is given up. The one for writing is moved on by a snapshot as
// long as its reader reads.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// Server serves the HTTP side of one worker.
type Server struct {
	options Options
	log     *slog.Logger
	http    *http.Server

	addr     string // what it listens on, "" while it does not
	host     string // as configured
	loopback bool   // nobody but this machine can connect
	cancel   context.CancelFunc
	done     chan struct{} // closed when nothing is accepted any more

	copying sync.Mutex   // held by the one snapshot that is made and sent
	working sync.RWMutex // read-held by every request: Shutdown waits for all
	closed  bool         // under working
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	s := &Server{options: o, log: o.Log, done: make(chan struct{})}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	return s
}

// Start returns a server that listens.
func Start(o Options) (*Server, error) {
	s := New(o)
	if _, err := s.Start(); err != nil {
		return nil, err
	}
	return s, nil
}

// Start listens and returns the address, "" where none was asked for. It is called once.
func (s *Server) Start() (addr string, err error) {
	if s.options.Addr == "" {
		return "", nil
	}
	if s.host, _, err = net.SplitHostPort(s.options.Addr); err != nil {
		return "", fmt.Errorf("HTTP address %q: %w; want host:port, like 127.0.0.1:7431", s.options.Addr, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.options.Addr)
	if err != nil {
		cancel()
		return "", fmt.Errorf("HTTP cannot listen: %w; choose another address with --http, or port 0 for a free one", err)
	}
	s.addr, s.loopback, s.cancel = listener.Addr().String(), onLoopback(listener.Addr()), cancel
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	go s.serve(listener)
	s.log.Info("HTTP is served", "address", s.addr)
	if !s.loopback {
		s.log.Warn("HTTP is open to other machines and asks for no password: whoever reaches it can read the model", "address", s.addr)
	}
	return s.addr, nil
}

func onLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// Addr returns the address it listens on, "" if it does not.
func (s *Server) Addr() string { return s.addr }

func (s *Server) serve(l net.Listener) {
	defer close(s.done)
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.log.Error("HTTP is not served any more", "address", s.addr, "error", err)
	}
}

// Shutdown accepts nothing more, waits for the requests under way until ctx ends and cuts off what is
// left then. When it returns no request runs any more: what the functions of Options use can
// be closed.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.addr == "" {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if err != nil && ctx.Err() != nil {
		s.log.Warn("HTTP requests were cut off by the stop")
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
