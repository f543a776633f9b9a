package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
)

const chaosPartitions = 3

// TestZombieIngest holds a worker still until the group has given its partitions to another, and
// lets it go on: what it had begun is void, and everyone passes over it.
func TestZombieIngest(t *testing.T) {
	t.Parallel()
	c := newChaos(t)
	first := c.worker("first", "ingest", "--training-topic", c.training)
	second := c.worker("second", "ingest", "--training-topic", c.training)
	stop := c.write()
	first.start()
	c.working(first, chaosPartitions)
	second.start()
	c.working(second, 1, 2)
	for _, still := range []*process{first, second} {
		other := map[*process]*process{first: second, second: first}[still]
		c.working(still, 1, 2)
		still.signal(syscall.SIGSTOP)
		c.working(other, chaosPartitions)
		still.signal(syscall.SIGCONT)
		c.working(still, 1, 2)
	}
	stop()
	c.settle(first)
	c.settle(second)
	got, err := second.state()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := c.recount()
	same(t, "the second ingest", got, want)
	c.compare(first)
}

// working waits until the group has given a worker one of these numbers of partitions.
func (c *chaos) working(p *process, numbers ...int) {
	c.t.Helper()
	eventually(c.t, patience, "working", func() (bool, string) {
		metrics, _ := probe.Ask(c.t.Context(), p.address()) // 0 until it answers
		n := int(metrics["bayestream_assigned_partitions"])
		return slices.Contains(numbers, n), fmt.Sprintf("it has %d partitions, want %v", n, numbers)
	})
}

type chaos struct {
	t        *testing.T
	rng      *rand.Rand
	client   *stream.Client
	brokers  string
	training string
	name     string // of the group, the model and the dead letters
	written  int
}

func newChaos(t *testing.T) *chaos {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &chaos{t: t, rng: rand.New(rand.NewPCG(seed, 0)), client: kafkatest.Dial(t), brokers: strings.Join(kafkatest.Start(t), ",")}
	c.training = kafkatest.Topic(t, chaosPartitions, nil)
	c.name = c.training
	return c
}

func (c *chaos) worker(name, role string, args ...string) *process {
	args = append(args, "--brokers", c.brokers, "--group", c.name+"-group", "--model-topic", c.name+"-model", "--dead-letter-topic", c.name+"-dead",
		"--create-topics", "--session-timeout", session())
	return worker(c.t, name, role, args...)
}

// write sends records in the background until the returned function is called.
func (c *chaos) write() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	rng := rand.New(rand.NewPCG(c.rng.Uint64(), 1))
	wg.Go(func() {
		for ctx.Err() == nil {
			for p := range chaosPartitions {
				batch := make([]stream.Record, 1+rng.IntN(20))
				for i := range batch {
					batch[i].Value = record(rng, p)
				}
				if _, err := c.client.ProduceRetry(context.WithoutCancel(ctx), c.training, p, batch); err != nil {
					c.t.Error(err)
					return
				}
				c.written += len(batch)
			}
			time.Sleep(time.Duration(rng.IntN(100)) * time.Millisecond)
		}
	})
	return func() { cancel(); wg.Wait() }
}

// record makes a training record: new documents, later labels for the same ids, forgotten ones,
// ones without an id, with weights, and bad ones.
func record(rng *rand.Rand, partition int) []byte {
	label := []string{"spam", "ham", "news"}[rng.IntN(3)]
	var words []string
	for range rng.IntN(12) {
		words = append(words, fmt.Sprintf("word%d", rng.IntN(300)))
	}
	v := map[string]any{"text": strings.Join(words, " "), "label": label}
	switch n := rng.IntN(100); {
	case n < 60:
		v["id"] = fmt.Sprintf("p%d-%d", partition, rng.IntN(400))
	case n < 70:
		v["id"], v["label"] = fmt.Sprintf("p%d-%d", partition, rng.IntN(400)), nil
		delete(v, "text")
	case n < 75:
		v["label"] = 7 // not a string
	case n < 78:
		return []byte("not json")
	case n < 90:
		v["weight"] = 1 + rng.IntN(5)
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// settle waits until the worker has counted everything.
func (c *chaos) settle(p *process) {
	c.t.Helper()
	eventually(c.t, 90*time.Second, "settled", func() (bool, string) {
		s, err := p.state()
		if err != nil {
			return false, err.Error()
		}
		for part := range chaosPartitions {
			_, end, err := c.client.Offsets(context.Background(), c.training, part)
			if err != nil {
				return false, err.Error()
			}
			progress, _ := s.Progress(fold.Source{Topic: c.training, Partition: int32(part)})
			if progress.Watermark != end {
				return false, fmt.Sprintf("partition %d: counted up to %d of %d", part, progress.Watermark, end)
			}
		}
		return true, ""
	})
}

func (c *chaos) recount() (dump string, bad int) {
	c.t.Helper()
	return recount(c.t, chaosPartitions, func(part int) []stream.Record { return kafkatest.ReadAll(c.t, c.training, part) }, func(int, int64) bool { return false })
}

// compare checks ingest and a fresh classify against the recount.
func (c *chaos) compare(ingest *process) {
	c.t.Helper()
	want, bad := c.recount()
	got, err := ingest.state()
	if err != nil {
		c.t.Fatal(err)
	}
	if dump := modeltest.Dump(got.Model()); dump != want {
		c.t.Errorf("ingest differs from the recount:\n%s", filetest.FirstDifference(dump, want))
	}
	classify := c.worker("classify", "classify", "--documents-topic", c.training+"-docs", "--labels-topic", c.training+"-labels", "--wait-documents=0")
	classify.start()
	classify.ready(patience)
	other, err := classify.state()
	if err != nil {
		c.t.Fatal(err)
	}
	if other.Next() != got.Next() {
		c.t.Fatalf("classify is at offset %d of the log, ingest at %d", other.Next(), got.Next())
	}
	if dump := modeltest.Dump(other.Model()); dump != want {
		c.t.Errorf("classify differs from the recount:\n%s", filetest.FirstDifference(dump, want))
	}
	classify.stop(patience)
	c.compareDead(bad)
	c.t.Logf("%d records, %d bad, %d records in the model log, %d classes, %d terms", c.written, bad, got.Next(), len(got.Model().Classes().Live()), got.Model().Text().Vocabulary())
}

// compareDead checks that every bad record is a dead letter, at least once.
func (c *chaos) compareDead(bad int) {
	c.t.Helper()
	sources := map[string]bool{}
	for p := range 4 {
		for _, rec := range kafkatest.ReadAll(c.t, c.name+"-dead", p) {
			place := ""
			for _, h := range rec.Headers {
				if h.Key == wire.DeadTopic || h.Key == wire.DeadPartition || h.Key == wire.DeadOffset {
					place += "/" + string(h.Value)
				}
			}
			sources[place] = true
		}
	}
	if len(sources) != bad {
		c.t.Errorf("%d bad records have dead letters, want %d", len(sources), bad)
	}
}
