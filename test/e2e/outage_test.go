package e2e

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/modeltest"
)

// TestBrokerRestarts kills the first broker of a real cluster and starts it again, then stops it and starts it
// again, while ingest learns and classify labels. Everything is counted once and answered; trouble
// with the broker makes no dead letter. It runs alone, when asked for: it takes the broker of all others away.
func TestBrokerRestarts(t *testing.T) {
	dir := os.Getenv("BAYESTREAM_KAFKA_DIR")
	if dir == "" || os.Getenv("BAYESTREAM_OUTAGE") == "" {
		t.Skip("takes a real broker away from the other tests: BAYESTREAM_OUTAGE=1 test/kafka/run.sh go test -run BrokerRestarts ./test/e2e")
	}
	script := filepath.Join(modeltest.Root(), "test", "kafka", "kafka.sh")
	broker := func(verb string) {
		t.Helper()
		begun := time.Now()
		if out, err := exec.Command(script, verb, dir, "1").CombinedOutput(); err != nil {
			t.Fatalf("kafka.sh %s: %v: %s", verb, err, out)
		}
		t.Logf("%s took %v", verb, time.Since(begun).Round(time.Millisecond))
	}
	t.Cleanup(func() { broker("up") })
	p := newPipeline(t, chaosPartitions)
	ingest, classify := p.startIngest(), p.startClassify()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 5))
	c := &chaos{t: t, rng: rng, client: p.client, training: p.training}
	stopRecords, stopDocuments := c.write(), p.writeDocuments(rng)
	const pause = 3 * time.Second
	time.Sleep(pause)
	for _, end := range []string{"kill", "stop"} {
		broker(end)
		time.Sleep(pause)
		broker("up")
		for _, r := range []*running{ingest, classify} {
			r.ready()
		}
		time.Sleep(pause)
	}
	stopRecords()
	n := stopDocuments()
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
