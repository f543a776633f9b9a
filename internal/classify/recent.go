package classify

import (
	"bytes"
	"sync"

	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// Bounds on the decisions that a worker remembers, in bytes: a few thousand of usual size, and some hundred between two commits of
// a partition.
const (
	recentBytes = 4 << 20
	keptBytes   = 1 << 20
)

// recent are the decisions that were made last, in JSON, in two halves of a bounded size. A decision that is larger than a
// half is not remembered.
type recent struct {
	bytes  int           // at most
	halves [2]recentHalf // the newer one first
}

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

// add adds a decision. When the newer half is full the older one is forgotten.
func (l *recent) add(partition int, offset int64, decision []byte) {
	if len(decision) > l.bytes/2 {
		return
	}
	if len(l.halves[0].bytes)+len(decision) > l.bytes/2 {
		l.halves[0], l.halves[1] = l.halves[1], l.halves[0]
		l.halves[0].reset()
	}
	h := &l.halves[0]
	h.decisions = append(h.decisions, recentDecision{partition, offset, len(h.bytes)})
	h.bytes = append(h.bytes, decision...)
}

func (l *recent) reset() {
	l.halves[0].reset()
	l.halves[1].reset()
}

func (h *recentHalf) reset() {
	h.decisions = h.decisions[:0]
	h.bytes = h.bytes[:0]
}

// json returns the i-th decision.
func (h *recentHalf) json(i int) []byte {
	end := len(h.bytes)
	if i+1 < len(h.decisions) {
		end = h.decisions[i+1].begin
	}
	return h.bytes[h.decisions[i].begin:end]
}

// last returns the newest decision that is wanted.
func (l *recent) last(wanted func(d *recentDecision, json []byte) bool) (d recentDecision, json []byte, found bool) {
	for k := range l.halves {
		h := &l.halves[k]
		for i := len(h.decisions) - 1; i >= 0; i-- {
			if wanted(&h.decisions[i], h.json(i)) {
				return h.decisions[i], h.json(i), true
			}
		}
	}
	return d, nil, false
}

// recentOfAll are the recent decisions of all partitions that readers of the labels topic can see.
type recentOfAll struct {
	topic  string // of the documents
	mu     sync.Mutex
	recent recent
}

func newRecentOfAll(topic string) *recentOfAll {
	return &recentOfAll{topic: topic, recent: recent{bytes: recentBytes}}
}

// publish adds the recent decisions of a partition, which are visible now, and empties them.
func (a *recentOfAll) publish(of *recent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, h := range []*recentHalf{&of.halves[1], &of.halves[0]} {
		for i, d := range h.decisions {
			a.recent.add(d.partition, d.offset, h.json(i))
		}
	}
	of.reset()
}

// find returns the newest decision on the document of an id, or of a place in the documents topic.
func (a *recentOfAll) find(id string) (source *wire.Ref, decision []byte, found bool) {
	start := wire.DecisionStart(id)
	place := wire.ParsePlace(id)
	if place != nil && place.Topic != a.topic {
		place = nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	d, json, found := a.recent.last(func(d *recentDecision, json []byte) bool {
		return bytes.HasPrefix(json, start) || place != nil && d.partition == place.Partition && d.offset == place.Offset
	})
	return &wire.Ref{Topic: a.topic, Partition: d.partition, Offset: d.offset}, bytes.Clone(json), found
}

// keep remembers the decisions of a batch until they are visible.
func (p *partition) keep(batch []stream.Record) {
	if p.recent == nil {
		return
	}
	for i := range batch {
		if a := &p.answers[i]; !a.dead && a.status != "" {
			p.kept.add(batch[i].Partition, batch[i].Offset, a.decision)
		}
	}
}
