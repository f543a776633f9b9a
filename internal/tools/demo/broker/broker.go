// Package broker runs a Kafka broker inside this process, for `bayestream demo`
// and for nothing else: franz-go's kfake speaks the real protocol over TCP on
// loopback, with consumer groups and transactions, but it is one node without
// replication, and its author calls it a fake. With a directory its topics,
// records and group offsets survive a restart; writes go through the page cache,
// so a crash of the machine may cost the last ones.
package broker

import (
	"fmt"
	"log/slog"
	"os"

	"bayestream/internal/tools/demo/broker/session"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Broker is a running broker.
type Broker struct {
	// Addrs are the addresses it listens on, host:port on 127.0.0.1. The port
	// is another one after each start.
	Addrs []string

	cluster      *kfake.Cluster
	stopSessions func()
	lock         *dirLock
}

// Start starts a broker with its data in dir, which is made when it is missing
// and which no other broker may use at the same time. With an empty dir the data
// stays in memory and is gone after Close.
func Start(dir string) (*Broker, error) {
	options := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("bayestream-demo"),
		kfake.WithLogger(errorLogger{}),
	}
	b := new(Broker)
	if dir != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("start the embedded broker: %w", err)
		}
		lock, err := lockDir(dir)
		if err != nil {
			return nil, fmt.Errorf("start the embedded broker: %w", err)
		}
		b.lock = lock
		options = append(options, kfake.DataDir(dir))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		b.lock.release()
		return nil, fmt.Errorf("start the embedded broker: %w", err)
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

// Logf implements kfake.Logger.
func (errorLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	if level == kfake.LogLevelError {
		slog.Error("embedded broker: " + fmt.Sprintf(format, args...))
	}
}
