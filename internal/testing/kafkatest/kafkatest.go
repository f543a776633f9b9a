// Package kafkatest gives tests a Kafka broker. Without further ado it is a
// cluster of three of franz-go's kfake brokers in this process: the real
// protocol over loopback, up in a millisecond. With the environment variable
// BAYESTREAM_KAFKA=host:port,... the same tests run against that cluster:
//
//	test/kafka/run.sh        starts Apache Kafka and does so
//
// Tests share the cluster and keep apart by topic names; they must not count on
// an empty one. The in-process cluster stops when the last test that uses it
// has ended, so that goleak finds nothing.
package kafkatest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/stream"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Variable is the environment variable with the addresses of a real cluster.
const Variable = "BAYESTREAM_KAFKA"

// patience bounds each helper; a real broker on a busy machine takes its time.
const patience = time.Minute

// Real reports whether tests run against a real cluster.
func Real() bool { return os.Getenv(Variable) != "" }

// shared is the cluster in this process and who uses it.
var shared struct {
	mutex   sync.Mutex
	cluster *kfake.Cluster
	users   map[testing.TB]bool
}

// Start returns the addresses of the cluster; it stays up at least until tb has
// ended. The other functions of this package call it by themselves.
func Start(tb testing.TB) []string {
	tb.Helper()
	if Real() {
		return strings.Split(os.Getenv(Variable), ",")
	}
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	if shared.cluster == nil {
		cluster, err := kfake.NewCluster(kfake.NumBrokers(3), shortSessions)
		if err != nil {
			tb.Fatalf("start a broker in the process: %v", err)
		}
		shared.cluster, shared.users = cluster, make(map[testing.TB]bool)
	}
	if !shared.users[tb] {
		shared.users[tb] = true
		tb.Cleanup(func() { release(tb) })
	}
	return shared.cluster.ListenAddrs()
}

func release(tb testing.TB) {
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	delete(shared.users, tb)
	if len(shared.users) == 0 {
		shared.cluster.Close()
		shared.cluster = nil
	}
}

// shortSessions allows session timeouts from a second on. A killed member of a
// group is missed after that time, and tests that kill need not wait for the six
// seconds that brokers want at least.
var shortSessions = kfake.GroupMinSessionTimeout(time.Second)

// Fake returns a cluster in this process of the test's own, whatever the
// environment says: to inject faults, move leaders or ask for passwords.
func Fake(tb testing.TB, options ...kfake.Opt) *kfake.Cluster {
	tb.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{shortSessions}, options...)...)
	if err != nil {
		tb.Fatalf("start a broker in the process: %v", err)
	}
	tb.Cleanup(cluster.Close)
	return cluster
}

// Dial returns a client for the shared cluster, closed when tb ends.
func Dial(tb testing.TB) *stream.Client {
	tb.Helper()
	return DialConfig(tb, stream.Config{Brokers: Start(tb)})
}

// DialConfig returns a client, closed when tb ends.
func DialConfig(tb testing.TB, config stream.Config) *stream.Client {
	tb.Helper()
	client, err := stream.Dial(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(client.Close)
	return client
}

// bounded returns a context for one step of a test.
func bounded(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	tb.Cleanup(cancel)
	return ctx
}

// unique is a name that no other test and no earlier run has.
func unique(tb testing.TB) string {
	safe := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '.'
	}
	name := strings.Map(safe, tb.Name())
	return fmt.Sprintf("%.100s-%x", name, time.Now().UnixNano())
}
