package classify

import (
	"bytes"
	"slices"
	"sync"
	"unsafe"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// recentHalf are decisions in order.
type recentHalf struct {
	decisions []recentDecision
	bytes     []byte // of all of them
}

// recentDecision is the decision on a record.
type recentDecision struct {
	partition int
	offset    int64
	begin     int // of its bytes
}

func (h *recentHalf) reset() {
	h.decisions = emptied(h.decisions)
	h.bytes = emptied(h.bytes)
}

// add adds a decision.
func (h *recentHalf) add(partition int, offset int64, decision []byte) {
	h.decisions = append(h.decisions, recentDecision{partition, offset, len(h.bytes)})
	h.bytes = append(h.bytes, decision...)
}

// size returns how many bytes the decisions take.
func (h *recentHalf) size() int { return len(h.bytes) + len(h.decisions)*recentSize }

// recentSize is what a decision takes beside its bytes.
const recentSize = int(unsafe.Sizeof(recentDecision{}))

// json returns the i-th decision.
func (h *recentHalf) json(i int) []byte {
	end := len(h.bytes)
	if i+1 < len(h.decisions) {
		end = h.decisions[i+1].begin
	}
	return h.bytes[h.decisions[i].begin:end]
}

// recentOfAll are the recent decisions of all partitions that readers of the labels topic can see,
// in JSON, in two halves of a bounded size. A decision that is larger than a half is not remembered.
type recentOfAll struct {
	topic  string // of the documents
	mu     sync.Mutex
	bytes  int           // of both halves, at most
	halves [2]recentHalf // the newer one first
	room   *budget.Room
}

// newRecentOfAll remembers decisions as far as a budget has room for them.
func newRecentOfAll(topic string, memory *budget.Budget) *recentOfAll {
	return &recentOfAll{topic: topic, bytes: memory.Share(budget.Recent), room: memory.Open(budget.Recent)}
}

// add adds a decision. When the newer half is full the older one is forgotten.
func (a *recentOfAll) add(partition int, offset int64, decision []byte) {
	most := a.bytes/2 - recentSize
	if len(decision) > most {
		return
	}
	if a.halves[0].size()+len(decision) > most {
		a.halves[1] = a.halves[0]
		a.halves[0] = recentHalf{}
	}
	a.halves[0].add(partition, offset, decision)
}

// publish adds the recent decisions of a partition, which are visible now, and empties them.
func (a *recentOfAll) publish(of *recentHalf) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, d := range of.decisions {
		a.add(d.partition, d.offset, of.json(i))
	}
	a.room.Resize(a.halves[0].size() + a.halves[1].size())
	of.reset()
}

// find returns the newest decision on the document of an id, or of a place in the documents topic.
func (a *recentOfAll) find(id string) (decision []byte, found bool) {
	start := wire.DecisionStart(id)
	place := wire.ParsePlace(id)
	if place != nil && place.Topic != a.topic {
		place = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for k := range a.halves {
		h := &a.halves[k]
		for i, d := range slices.Backward(h.decisions) {
			isThere := place != nil && d.partition == place.Partition && d.offset == place.Offset
			if json := h.json(i); isThere || bytes.HasPrefix(json, start) {
				return bytes.Clone(json), true
			}
		}
	}
	return nil, false
}

// decided answers GET /v1/decisions/{id}.
func (c *classifier) decided(id string) (decision []byte, found bool) { return c.recent.find(id) }

// keep remembers the decisions of a batch until they are visible, as far as there is room.
func (p *partition) keep(batch []stream.Record) {
	if p.recent == nil {
		return
	}
	for i := range batch {
		a := &p.answers[i]
		if !a.dead && a.status != "" && p.waiting.Grow(len(a.decision)+recentSize) {
			p.kept.add(batch[i].Partition, batch[i].Offset, a.decision)
		}
	}
}
