//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/recount"

	"github.com/twmb/franz-go/pkg/kgo"
)

// traffic writes training records and documents at a steady rate until it is stopped.
type traffic struct {
	client   *kafka.Client
	document string
	perTick  int           // records of each topic and partition that are written at once, on average
	each     time.Duration // between two records of a topic and partition, on average

	stopped context.CancelFunc
	done    sync.WaitGroup
	mu      sync.Mutex
	places  []place // documents that refs may point at
	seen    int     // documents that were among them, or could have been
	written [2]int64
	bad     int64 // of the documents
}

// place is where a document stands.
type place struct {
	partition int32
	offset    int64
}

const (
	tick       = 50 * time.Millisecond
	catchUp    = time.Second // of what could not be written, so much is written at once afterwards
	mostPlaces = 1 << 16
)

// startTraffic begins to write so many records a second to each of the two topics.
func startTraffic(client *kafka.Client, training, documents string, rate int, seed uint64) *traffic {
	ctx, cancel := context.WithCancel(context.Background())
	perTick := max(1, rate*int(tick)/int(time.Second)/partitions)
	each := time.Second * partitions / time.Duration(rate)
	t := &traffic{client: client, document: documents, perTick: perTick, each: each, stopped: cancel}
	for i, topic := range []string{training, documents} {
		for p := range partitions {
			rng := rand.New(rand.NewPCG(seed, uint64(10*i+p)))
			t.done.Go(func() { t.write(ctx, i, topic, p, rng) })
		}
	}
	return t
}

// write writes to one partition. What cannot be written for a while, because the topic is away, is
// not written.
func (t *traffic) write(ctx context.Context, which int, topic string, p int, rng *rand.Rand) {
	made := maker{rng: rng, topic: t.document, partition: p, places: t.pick}
	for due := time.Now(); ctx.Err() == nil; {
		var batch []*kgo.Record
		for range 1 + rng.IntN(2*t.perTick) {
			rec := made.document()
			if which == 0 {
				rec = made.training()
			}
			rec.Topic, rec.Partition = topic, int32(p)
			batch = append(batch, rec)
		}
		if t.client.Produce(ctx, batch...) == nil {
			t.wrote(which, batch)
		}
		due = due.Add(time.Duration(len(batch)) * t.each)
		if late := time.Now().Add(-catchUp); due.Before(late) {
			due = late
		}
		time.Sleep(time.Until(due))
	}
}

func (t *traffic) wrote(which int, batch []*kgo.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written[which] += int64(len(batch))
	if which == 0 {
		return
	}
	for _, rec := range batch {
		if !recount.Good(rec) {
			t.bad++
		}
		t.seen++
		if at := (place{rec.Partition, rec.Offset}); len(t.places) < mostPlaces {
			t.places = append(t.places, at)
		} else if i := rand.IntN(t.seen); i < mostPlaces { // a sample of all, of bounded size
			t.places[i] = at
		}
	}
}

func (t *traffic) pick(rng *rand.Rand) (place, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.places) == 0 {
		return place{}, false
	}
	return t.places[rng.IntN(len(t.places))], true
}

// stop ends the writing and returns how many training records and documents were acknowledged.
func (t *traffic) stop() (training, documents int64) {
	t.stopped()
	t.done.Wait()
	return t.written[0], t.written[1]
}

// maker makes the records of one partition.
type maker struct {
	rng       *rand.Rand
	topic     string // that refs point at
	partition int
	places    func(*rand.Rand) (place, bool)
	ids       int // given so far
}

// recent is among how many of the newest ids a record that replaces or forgets looks for one: more
// than the ledger holds, so that some were evicted.
const recent = ledger + ledger/3

func (m *maker) id() string {
	m.ids++
	return fmt.Sprintf("p%d-%d", m.partition, m.ids)
}

func (m *maker) known() string {
	return fmt.Sprintf("p%d-%d", m.partition, m.ids-m.rng.IntN(min(m.ids, recent)+1))
}

// training makes a training record: new documents and those without an id, later versions,
// forgotten ones, refs, and now and then a bad one.
func (m *maker) training() *kgo.Record {
	n := m.rng.IntN(1000)
	v := map[string]any{"label": labels[m.rng.IntN(len(labels))]}
	switch {
	case n < 10:
		return m.bad(badTraining[m.rng.IntN(len(badTraining))])
	case n < 20:
		return m.ref(v)
	case n < 100:
		v["label"] = nil
		v["id"] = m.known()
		return record(v)
	case n < 220:
		v["id"] = m.known()
	case n < 850:
		v["id"] = m.id()
	}
	m.content(v)
	if m.rng.IntN(5) == 0 {
		v["weight"] = 1 + m.rng.IntN(5)
	}
	return record(v)
}

// ref makes a record that points at a document.
func (m *maker) ref(v map[string]any) *kgo.Record {
	at, ok := m.places(m.rng)
	if !ok {
		at = place{0, 1 << 40} // none there is
	}
	v["ref"] = map[string]any{"topic": m.topic, "partition": at.partition, "offset": at.offset}
	v["id"] = m.id()
	return record(v)
}

// document makes a document; a few are null, which pass through.
func (m *maker) document() *kgo.Record {
	n := m.rng.IntN(1000)
	switch {
	case n < 10:
		return m.bad(badDocuments[m.rng.IntN(len(badDocuments))])
	case n < 15:
		return &kgo.Record{Key: []byte("null")}
	}
	v := map[string]any{}
	if n < 500 {
		v["id"] = m.id()
	}
	m.content(v)
	rec := record(v)
	rec.Key = []byte(words[m.rng.IntN(len(words))])
	return rec
}

func (m *maker) bad(b bad) *kgo.Record {
	return &kgo.Record{Value: []byte(b.value), Headers: []kgo.RecordHeader{{Key: recount.Expect, Value: []byte(b.reason)}}}
}

// content sets what a document is counted by.
func (m *maker) content(v map[string]any) {
	var text []byte
	for range m.rng.IntN(14) {
		text = append(append(text, words[int(float64(len(words))*m.rng.Float64()*m.rng.Float64())]...), ' ')
	}
	v["text"] = string(text)
	if m.rng.IntN(2) == 0 {
		v["numbers"] = map[string]any{"length": len(text), "digits": float64(m.rng.IntN(2000)-1000) / 8}
	}
	if m.rng.IntN(2) == 0 {
		v["categories"] = map[string]any{"country": []string{"FR", "DE", "", "Côte \"d'Ivoire\""}[m.rng.IntN(4)]}
	}
}
