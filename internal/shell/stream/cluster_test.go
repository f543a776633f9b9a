//go:build cluster

package stream_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// nodes returns a function that runs kafka.sh on the cluster of three nodes
// that run.sh started.
func nodes(t *testing.T) func(args ...string) {
	dir := os.Getenv("BAYESTREAM_KAFKA_DIR")
	if dir == "" || len(kafkatest.Start(t)) < 3 {
		t.Fatal("needs three real brokers: KAFKA_NODES=3 test/kafka/run.sh")
	}
	script, err := filepath.Abs("../../../test/kafka/kafka.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		start := time.Now()
		command := append([]string{args[0], dir}, args[1:]...)
		if out, err := exec.Command(script, command...).CombinedOutput(); err != nil {
			t.Errorf("kafka.sh %v: %v: %s", command, err, out)
		}
		t.Logf("%v took %s", args, time.Since(start).Round(100*time.Millisecond))
	}
	t.Cleanup(func() { run("up") })
	return run
}

// TestNodesDie kills one node of three and stops another while a writer writes
// and two members of a group read: what was acknowledged is read.
func TestNodesDie(t *testing.T) {
	const partitions = 6
	run := nodes(t)
	topic := kafkatest.Topic(t, partitions, nil)
	all := newLedger()
	for _, name := range []string{"A", "B"} {
		client := kafkatest.Dial(t)
		consume(t, client, stream.GroupConfig{Group: topic, Topic: topic}, all.reader(name, client))
	}
	writer := kafkatest.Dial(t)
	// A node that was killed takes half a minute to come back when the machine
	// is busy.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	stop := make(chan struct{})
	var acknowledged atomic.Int64
	var longest atomic.Int64
	var writers sync.WaitGroup
	for p := range partitions {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				start := time.Now()
				if _, err := writer.ProduceRetry(ctx, topic, p, []stream.Record{{Value: fmt.Appendf(nil, "%d/%d", p, i)}}); err != nil {
					t.Error(err)
					return
				}
				acknowledged.Add(1)
				if took := int64(time.Since(start)); took > longest.Load() {
					longest.Store(took)
				}
			}
		})
	}
	eventually(t, "both members read", func() bool { return all.partitions("A") > 0 && all.partitions("B") > 0 })
	const pause = 3 * time.Second
	time.Sleep(pause)
	run("kill", "1")
	time.Sleep(pause)
	run("up", "1")
	time.Sleep(pause)
	run("stop", "2")
	time.Sleep(pause)
	run("up", "2")
	time.Sleep(pause)
	close(stop)
	writers.Wait()
	sent := int(acknowledged.Load())
	eventually(t, "everything acknowledged is read", func() bool { return all.distinct() >= sent })
	twice := 0
	for _, n := range all.seen {
		twice += n - 1
	}
	t.Logf("%d records acknowledged, all read, %d read twice; the longest write took %s", sent, twice, time.Duration(longest.Load()).Round(time.Millisecond))
}
