// Package broker runs a Kafka broker inside this process, for `bayestream demo` and
// `bayestream serve`: franz-go's kfake speaks the real protocol over TCP on
// loopback, with consumer groups and transactions, but it is one node without
// replication, and its author calls it a fake. With a directory its topics,
// records and group offsets survive a restart.
package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"

	"bayestream/internal/tools/broker/session"

	"github.com/twmb/franz-go/pkg/kfake"
)

// ErrInUse says that another broker has the directory.
var ErrInUse = errors.New("another broker uses it: stop that, or name another directory")

// Broker is a running broker.
type Broker struct {
	// Addrs are the addresses it listens on, host:port. A free port is another one after each start.
	Addrs []string

	cluster      *kfake.Cluster
	stopSessions func()
	lock         *dirLock
}

// Options of a broker.
type Options struct {
	// Dir has the data. It is made when it is missing, and no other broker may use it at the same time.
	// With an empty Dir the data stays in memory and is gone after Close.
	Dir string
	// Addr is the address to listen on, host:port; "": a free port of 127.0.0.1.
	Addr string
	// Sync makes every write reach the disk before it is answered. Without it writes go through the page
	// cache, and a crash of the machine may cost the last ones.
	Sync bool
}

// Start starts a broker.
func Start(o Options) (*Broker, error) {
	b, err := start(o)
	if err != nil {
		return nil, fmt.Errorf("start the embedded broker: %w", err)
	}
	return b, nil
}

func start(o Options) (*Broker, error) {
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.ClusterID("bayestream"), kfake.WithLogger(errorLogger{})}
	if o.Addr != "" {
		options = append(options, kfake.ListenFn(func(network, _ string) (net.Listener, error) {
			return new(net.ListenConfig).Listen(context.Background(), network, o.Addr)
		}))
	}
	b := new(Broker)
	if o.Dir != "" {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, err
		}
		lock, err := lockDir(o.Dir)
		if err != nil {
			return nil, err
		}
		b.lock = lock
		options = append(options, kfake.DataDir(o.Dir))
	}
	if o.Sync {
		options = append(options, kfake.SyncWrites())
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		b.lock.release()
		return nil, err
	}
	b.cluster, b.Addrs = cluster, cluster.ListenAddrs()
	b.stopSessions = session.Watch(cluster)
	return b, nil
}

// Close stops the broker and writes what is not on disk yet.
func (b *Broker) Close() {
	b.stopSessions()
	b.cluster.Close()
	b.lock.release()
}

// errorLogger passes on the errors of kfake; its other messages are about
// requests that clients get an answer to.
type errorLogger struct{}

func (errorLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	if level == kfake.LogLevelError {
		slog.Error("embedded broker: " + fmt.Sprintf(format, args...))
	}
}
