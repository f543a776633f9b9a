package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// TestForgetsOnTheWrongPartition corrects and forgets documents on partitions that do not hold
// them, while two ingest are killed at random. In the end each document is what was said of it
// last, to the integer, and a third ingest, which counts the topic again, says the same.
func TestForgetsOnTheWrongPartition(t *testing.T) {
	t.Parallel()
	const kills = 3
	c := newChaos(t)
	workers := []*process{c.worker("first", "ingest", "--training-topic", c.training), c.worker("second", "ingest", "--training-topic", c.training)}
	for _, w := range workers {
		w.start()
	}
	said := newSaid(c)
	c.settle(workers[0])
	for range kills {
		said.more(c)
		time.Sleep(time.Duration(c.rng.IntN(1000)) * time.Millisecond)
		victim := workers[c.rng.IntN(len(workers))]
		victim.kill()
		said.more(c)
		victim.start()
	}
	for _, w := range workers {
		c.settle(w)
	}
	said.compareDead(c)
	forwarded := c.forwarded()
	if forwarded < said.corrections {
		t.Errorf("%d records were forwarded for %d corrections", forwarded, said.corrections)
	}
	apart := *c
	apart.name += "-again"
	again := apart.worker("again", "ingest", "--training-topic", c.training)
	again.start()
	c.settle(again)
	for _, w := range append(workers, again) {
		state, err := w.state()
		if err != nil {
			t.Fatal(err)
		}
		same(t, w.flag("--client-id"), state, dumpOf(t, said.standing()))
	}
	t.Logf("%d corrections, forwarded by %d records, and by %d when they were counted again", said.corrections, forwarded, c.forwarded()-forwarded)
}

// forwarded returns how many records of the training topic were forwarded.
func (c *chaos) forwarded() (n int) {
	c.t.Helper()
	for partition := range chaosPartitions {
		for _, rec := range kafkatest.ReadAll(c.t, c.training, partition) {
			if len(rec.Headers) > 0 {
				n++
			}
		}
	}
	return n
}

// said is what was said of documents.
type said struct {
	documents   []counted // an empty label: it was forgotten
	corrections int
}

// newSaid writes documents to all partitions.
func newSaid(c *chaos) *said {
	c.t.Helper()
	s := &said{}
	for i := range 60 {
		d := counted{label: "spam", weight: 1, text: fmt.Sprintf("word%d of%d", i, i%7)}
		s.documents = append(s.documents, d)
		s.write(c, i%chaosPartitions, fmt.Sprintf(`{"id":"d%d","label":%q,"text":%q}`, i, d.label, d.text))
	}
	return s
}

func (s *said) write(c *chaos, partition int, value string) {
	c.t.Helper()
	if _, err := c.client.ProduceRetry(c.t.Context(), c.training, partition, []stream.Record{{Value: []byte(value)}}); err != nil {
		c.t.Fatal(err)
	}
}

// more says something else of some documents: of each on one partition, which is not its own.
func (s *said) more(c *chaos) {
	c.t.Helper()
	for range 40 {
		i := c.rng.IntN(len(s.documents))
		if s.documents[i].label == "" {
			continue
		}
		label, value := correction(c.rng)
		s.documents[i].label = label
		s.corrections++
		s.write(c, (i+1+i/chaosPartitions%(chaosPartitions-1))%chaosPartitions, fmt.Sprintf(`{"id":"d%d","label":%s}`, i, value))
	}
}

// compareDead checks that no correction is a dead letter, but for those of documents that were
// forgotten then: after a kill a worker reads a relabel again, which it had forwarded, and the
// forget behind it may have been counted meanwhile.
func (s *said) compareDead(c *chaos) {
	c.t.Helper()
	for p := range chaosPartitions {
		for _, rec := range kafkatest.ReadAll(c.t, c.name+"-dead", p) {
			var i int
			if _, err := fmt.Sscanf(string(rec.Value), `{"id":"d%d"`, &i); err != nil || s.documents[i].label != "" || wire.DeadReason(&rec) != string(wire.UnknownID) {
				c.t.Errorf("%s became a dead letter: %s", rec.Value, wire.DeadReason(&rec))
			}
		}
	}
}

// correction returns a label, as it is written too; an empty one forgets.
func correction(rng *rand.Rand) (label, value string) {
	if rng.IntN(6) == 0 {
		return "", "null"
	}
	label = []string{"spam", "ham", "news"}[rng.IntN(3)]
	return label, fmt.Sprintf("%q", label)
}

// standing returns the documents that were not forgotten.
func (s *said) standing() []counted {
	return slices.DeleteFunc(slices.Clone(s.documents), func(d counted) bool { return d.label == "" })
}
