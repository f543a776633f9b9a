//go:build kafka

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"bayestream/internal/testing/modeltest"
	"bayestream/test/chaos/kafka"
)

// TestBrokerRestarts kills the only broker of a real cluster and starts it again, then stops it and
// starts it again, while ingest learns and classify labels. Everything is counted once and
// answered, the work goes on soon after each start, and trouble with the broker makes no dead
// letter.
//
// The broker is its own, and it does not run beside other tests of the package: a broker that has
// just started on a busy machine answers everybody with errors for a while.
func TestBrokerRestarts(t *testing.T) {
	b := startBroker(t)
	p := newPipelineAt(t, b.Addresses, "outage")
	p.partitions = chaosPartitions
	p.createTopic(p.training, p.partitions, nil)
	p.createTopic(p.documents, p.partitions, nil)
	ingest, classify := p.startIngest(), p.startClassify()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 5))
	c := &chaos{t: t, rng: rng, client: p.client, training: p.training}
	stopRecords, stopDocuments := c.write(), p.mixture(rng, 0)
	const pause = 2 * time.Second
	time.Sleep(pause)
	ends := map[string]func(context.Context, ...int) error{"kill": b.Kill, "stop": b.Stop}
	for _, end := range []string{"kill", "stop"} {
		if err := ends[end](t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(pause)
		if err := b.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.goesOn(ingest, end)
		for _, r := range []*running{ingest, classify} {
			r.ready()
		}
		time.Sleep(pause)
	}
	stopRecords()
	n, _ := stopDocuments()
	state := p.counted(ingest)
	dump, bad := p.recount()
	same(t, "ingest", state, dump)
	same(t, "classify", classify.folded(state.Next()), dump)
	answers := p.decided(n)
	twice := p.inOrder(answers, nil)
	letters := p.letters()
	for at := range letters {
		if !strings.HasPrefix(at, p.training+"/") {
			t.Errorf("%s is a dead letter", at)
		}
	}
	if len(letters) != bad {
		t.Errorf("%d records have dead letters, %d are bad", len(letters), bad)
	}
	t.Logf("%d records, %d bad; %d documents, %d answers twice", c.written, bad, n, twice)
}

// recovery is how long the work may rest after the broker is back. On an idle machine it is a
// second or two. A busy one, on which Java starts, gets more: the broker may need all of the 20 s
// after which it aborts a transaction, and the 10 s between its looks at them.
const recovery = 90 * time.Second

// goesOn waits until every partition of both workers moves on from where it stands now, just after
// a broker came back.
func (p *pipeline) goesOn(ingest *running, after string) {
	p.t.Helper()
	begun := time.Now()
	stood, took := p.standing(ingest), map[string]time.Duration{}
	for len(took) < len(stood) {
		now := p.standing(ingest)
		for part, at := range now {
			if _, moved := took[part]; !moved && at > stood[part] {
				took[part] = time.Since(begun).Round(10 * time.Millisecond)
			}
		}
		if time.Since(begun) > recovery {
			p.t.Fatalf("%v after %s some still stand: moved %v, stood at %v, stand at %v", recovery, after, took, stood, now)
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.t.Logf("after %s the work went on within %v", after, took)
}

// standing returns how far each partition was counted, and how far it was answered.
func (p *pipeline) standing(ingest *running) map[string]int64 {
	p.t.Helper()
	at := map[string]int64{}
	for part := range p.partitions {
		_, end, err := p.client.Offsets(p.t.Context(), p.labels, part)
		if err != nil {
			p.t.Fatal(err)
		}
		at[fmt.Sprint("classify ", part)] = end
		at[fmt.Sprint("ingest ", part)] = int64(ingest.metric(fmt.Sprintf(`bayestream_source_watermark{partition="%d",topic="%s"}`, part, p.training)))
	}
	return at
}

// startBroker starts a real node with the Kafka that test/kafka/run.sh installed.
func startBroker(t *testing.T) *kafka.Cluster {
	t.Helper()
	if os.Getenv("BAYESTREAM_KAFKA_DIR") == "" {
		t.Fatal("starts a real broker of its own: test/kafka/run.sh go test -run BrokerRestarts ./test/e2e")
	}
	b, err := kafka.Start(t.Context(), modeltest.Root(), kafka.Options{Nodes: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}
