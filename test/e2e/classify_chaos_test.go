package e2e

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// writeDocuments writes documents to all partitions until the returned function is called, which
// says how many there are.
func (p *pipeline) writeDocuments(rng *rand.Rand) (stop func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	written := 0
	rng = rand.New(rand.NewPCG(rng.Uint64(), 2))
	wg.Go(func() {
		for ctx.Err() == nil {
			for part := range p.partitions {
				batch := make([]stream.Record, 1+rng.IntN(50))
				for i := range batch {
					batch[i] = document("key", "win a prize or lunch on friday")
				}
				if _, err := p.client.ProduceRetry(context.WithoutCancel(ctx), p.documents, part, batch); err != nil {
					p.t.Error(err)
					return
				}
				written += len(batch)
			}
			time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
		}
	})
	return func() int { cancel(); wg.Wait(); return written }
}

// process prepares a classify in a process of its own.
func (p *pipeline) process(name string) *process {
	p.t.Helper()
	return worker(p.t, name, "classify", p.classifyFlags()...)
}

// TestKilledClassifyAnswersAll kills classify with SIGKILL at random points while documents come.
// Every document has one answer in the end, and they are in order.
func TestKilledClassifyAnswersAll(t *testing.T) {
	t.Parallel()
	const kills = 3 // test/chaos has hundreds
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	p := newPipeline(t, 2)
	p.startIngest()
	p.teach()
	classify := p.process("killed")
	stop := p.writeDocuments(rng)
	for range kills {
		before := p.answers()
		classify.start()
		eventually(t, patience, "labelling", func() (bool, string) { return p.answers() > before, "no new answers" })
		time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
		classify.kill()
	}
	n := stop()
	classify.start()
	answers := p.decided(n)
	if duplicates := p.inOrder(answers, nil); duplicates != 0 {
		t.Errorf("%d of %d documents were answered twice", duplicates, n)
	}
	p.noDeadLetters()
	for _, rec := range answers[0][:min(100, len(answers[0]))] {
		if _, err := wire.ParseDecision(rec.Value); err != nil {
			t.Fatal(err)
		}
	}
	classify.stop(patience)
	t.Logf("%d documents, %d kills", n, kills)
}

// answers returns how many answers there are.
func (p *pipeline) answers() (n int64) {
	p.t.Helper()
	for part := range p.partitions {
		_, end, err := p.client.Offsets(p.t.Context(), p.labels, part)
		if err != nil {
			return 0 // the topic is not there yet
		}
		n += end
	}
	return n
}

// TestHandOver stops classify with SIGTERM while documents come and starts it again: it finishes
// what it has begun and says where it stopped, so nothing is answered twice.
func TestHandOver(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 2)
	p.startIngest()
	p.teach()
	rng := rand.New(rand.NewPCG(1, 1))
	classify := p.process("stopped")
	stop := p.writeDocuments(rng)
	for range 3 {
		before := p.answers()
		classify.start()
		eventually(t, patience, "labelling", func() (bool, string) { return p.answers() > before, "no new answers" })
		time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		classify.stop(patience)
	}
	n := stop()
	classify.start()
	if duplicates := p.inOrder(p.decided(n), nil); duplicates != 0 {
		t.Errorf("%d of %d documents were answered twice, though every stop was an orderly one", duplicates, n)
	}
}
