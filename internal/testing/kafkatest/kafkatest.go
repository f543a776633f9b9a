// Package kafkatest gives tests a Kafka cluster. By default it consists of
// three of franz-go's kfake brokers in this process, which speak the Kafka
// protocol over loopback and start in a millisecond. With the environment
// variable BAYESTREAM_KAFKA=host:port,... the same tests run against that
// cluster; test/kafka/run.sh starts Apache Kafka and sets it.
//
// Tests share the cluster and use different topics; they must not expect it to
// be empty. The cluster in the process stops when the last test that uses it
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

	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/broker/session"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Variable is the environment variable with the addresses of a real cluster.
const Variable = "BAYESTREAM_KAFKA"

// patience bounds each helper; a real broker on a busy machine can be slow.
const patience = time.Minute

// Real reports whether tests run against a real cluster.
func Real() bool { return os.Getenv(Variable) != "" }

// shared is the cluster in this process and the tests that use it.
var shared struct {
	mutex        sync.Mutex
	cluster      *kfake.Cluster
	stopSessions func()
	users        map[testing.TB]bool
}

// Start returns the addresses of the cluster, which runs at least until tb ends.
// The other functions of this package call it.
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
		shared.cluster = cluster
		shared.stopSessions = session.Watch(cluster)
		shared.users = make(map[testing.TB]bool)
	}
	if !shared.users[tb] {
		shared.users[tb] = true
		tb.Cleanup(func() { release(tb) })
	}
	return shared.cluster.ListenAddrs()
}

// release stops the cluster if tb was its last user.
func release(tb testing.TB) {
	shared.mutex.Lock()
	defer shared.mutex.Unlock()
	delete(shared.users, tb)
	if len(shared.users) == 0 {
		shared.stopSessions()
		shared.cluster.Close()
		shared.cluster = nil
	}
}

// shortSessions allows session timeouts of one second, so that tests that kill a
// member of a group need not wait for the six seconds that brokers require by
// default.
var shortSessions = kfake.GroupMinSessionTimeout(time.Second)

// Fake returns a cluster in this process for this test only, also with
// BAYESTREAM_KAFKA: to inject faults, move leaders or require passwords.
func Fake(tb testing.TB, options ...kfake.Opt) *kfake.Cluster {
	tb.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{shortSessions}, options...)...)
	if err != nil {
		tb.Fatalf("start a broker in the process: %v", err)
	}
	tb.Cleanup(cluster.Close)
	tb.Cleanup(session.Watch(cluster))
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

// unique returns a name that no other test and no earlier run uses.
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
