package e2e

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
)

// The flood: each partition has a backlog of large records in compressed batches, so that all of it
// together is many times what the worker may use.
const (
	floodPartitions = 64
	floodBatches    = 4
	floodRecords    = 16       // in a batch
	floodValue      = 64 << 10 // bytes of a record, most of them of a field that is not used
	floodLimit      = 128 << 20
)

// flood writes the backlog to a topic and returns its size in bytes.
func (p *pipeline) flood(topic, format string) (size int) {
	p.t.Helper()
	client := kafkatest.DialConfig(p.t, stream.Config{Brokers: p.brokers, Compression: "zstd"})
	padding := strings.Repeat("x", floodValue)
	for partition := range floodPartitions {
		for b := range floodBatches {
			var records []stream.Record
			for i := range floodRecords {
				value := fmt.Sprintf(format, fmt.Sprintf("%d-%d-%d", partition, b, i), padding)
				size += len(value)
				records = append(records, stream.Record{Value: []byte(value)})
			}
			ctx, cancel := context.WithTimeout(p.t.Context(), patience)
			_, err := client.ProduceRetry(ctx, topic, partition, records)
			cancel()
			if err != nil {
				p.t.Fatal(err)
			}
		}
	}
	return size
}

// flooded runs a worker under GOMEMLIMIT until it has read the backlog, and returns the peak of its
// memory.
func (p *pipeline) flooded(name string, args []string, counter string, fetched int) (peak int) {
	p.t.Helper()
	w := worker(p.t, name, name, args...)
	p.t.Setenv("GOMEMLIMIT", strconv.Itoa(floodLimit))
	w.start()
	begun := time.Now()
	eventually(p.t, patience, "through the backlog", func() (bool, string) {
		metrics, _ := probe.Ask(p.t.Context(), w.address()) // 0 until it answers
		got := int(metrics.Sum("bayestream_" + counter))
		return got >= fetched, fmt.Sprintf("%d of %d records", got, fetched)
	})
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.PID()))
	if err != nil {
		p.t.Fatal(err)
	}
	kilobytes, err := strconv.Atoi(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1])
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("%s: peak of %d MiB with GOMEMLIMIT of %d MiB, %s", name, kilobytes>>10, floodLimit>>20, time.Since(begun).Round(100*time.Millisecond))
	w.stop(patience)
	return kilobytes << 10
}

// TestFloodStaysInMemory: what all partitions hold at once is bounded in bytes, whatever waits in
// them.
func TestFloodStaysInMemory(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1))
	p := newPipelineAt(t, cluster.ListenAddrs(), "flood")
	p.createTopic(p.training, floodPartitions, nil)
	p.createTopic(p.documents, floodPartitions, nil)
	p.partitions = floodPartitions
	size := p.flood(p.training, `{"id":%q,"label":"x","text":"apple","padding":"%s"}`)
	p.flood(p.documents, `{"id":%q,"text":"apple","padding":"%s"}`)
	t.Logf("%d MiB of values in each topic", size>>20)
	records := floodPartitions * floodBatches * floodRecords
	for _, w := range []struct {
		name    string
		args    []string
		counter string
	}{{"ingest", p.ingestFlags(), "learned_records_total"}, {"classify", p.classifyFlags(), "decisions_total"}} {
		if peak := p.flooded(w.name, w.args, w.counter, records); peak > floodLimit*3/2 {
			t.Errorf("%s took %d MiB, want at most %d and a half", w.name, peak>>20, floodLimit>>20)
		}
	}
}
