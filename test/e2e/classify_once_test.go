package e2e

import (
	"context"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// mixture writes documents to all partitions, a share of them no JSON, until the returned function is
// called. It says how many are usable, and names the others.
func (p *pipeline) mixture(rng *rand.Rand, bad float64) (stop func() (usable int, dead map[string]wire.Reason)) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	usable := 0
	dead := map[string]wire.Reason{}
	rng = rand.New(rand.NewPCG(rng.Uint64(), 6))
	wg.Go(func() {
		for ctx.Err() == nil {
			part := rng.IntN(p.partitions)
			batch := make([]stream.Record, 1+rng.IntN(50))
			unusable := map[int]bool{}
			for i := range batch {
				batch[i] = document("key", "win a prize or lunch on friday")
				if rng.Float64() < bad {
					batch[i].Value = []byte("not json")
					unusable[i] = true
				}
			}
			base, err := p.client.ProduceRetry(context.WithoutCancel(ctx), p.documents, part, batch)
			if err != nil {
				p.t.Error(err)
				return
			}
			for i := range unusable {
				dead[p.place(p.documents, part, base+int64(i))] = wire.NotJSON
			}
			usable += len(batch) - len(unusable)
			time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
		}
	})
	return func() (int, map[string]wire.Reason) { cancel(); wg.Wait(); return usable, dead }
}

// answeredOnce checks that a reader of committed records sees one answer to each usable document,
// in order, and one dead letter of each other.
func (p *pipeline) answeredOnce(usable int, dead map[string]wire.Reason) {
	p.t.Helper()
	if twice := p.inOrder(p.decided(usable), dead); twice != 0 {
		p.t.Errorf("%d of %d documents were answered twice", twice, usable)
	}
	p.deadLetters(dead)
}

// TestZombieClassify holds a worker still until the group has given its partitions to another, and
// lets it go on. What it had begun never becomes visible.
func TestZombieClassify(t *testing.T) {
	t.Parallel()
	p, _, classify := taught(t, 2)
	classify.stop()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
	first, second := p.process("first"), p.process("second")
	group := &chaos{t: t}
	first.start()
	group.working(first, 2)
	stop := p.mixture(rng, .02)
	second.start()
	group.working(second, 1)
	for range 2 {
		first.signal(syscall.SIGSTOP)
		group.working(second, 2)
		first.signal(syscall.SIGCONT)
		group.working(first, 1)
	}
	p.answeredOnce(stop())
}

// TestClassifiesInTroubleAnswerOnce kills two workers of one group at random points, holds them
// still for a while or until the group has given their partitions away, and stops them in order,
// while documents come.
func TestClassifiesInTroubleAnswerOnce(t *testing.T) {
	t.Parallel()
	faults := 6
	if kafkatest.Real() {
		faults = 10 // test/chaos has hundreds
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 8))
	p, _, classify := taught(t, 3)
	classify.stop()
	workers := []*process{p.process("first"), p.process("second")}
	for _, w := range workers {
		w.start()
	}
	stop := p.mixture(rng, .02)
	var kinds [3]int
	for range faults {
		w := workers[rng.IntN(2)]
		time.Sleep(time.Duration(rng.IntN(2000)) * time.Millisecond)
		kind := rng.IntN(3)
		kinds[kind]++
		switch kind {
		case 0:
			w.kill()
			w.start()
		case 1:
			w.signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(rng.IntN(8000)) * time.Millisecond)
			w.signal(syscall.SIGCONT)
		case 2:
			w.ready(patience)
			w.stop(patience)
			w.start()
		}
	}
	usable, dead := stop()
	p.answeredOnce(usable, dead)
	t.Logf("%d documents, %d bad ones; %d killed, %d held still, %d stopped", usable, len(dead), kinds[0], kinds[1], kinds[2])
}
