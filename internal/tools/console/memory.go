package console

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// Bounds on what a console remembers.
const (
	mostKept      = 100_000 // decisions of all partitions
	snippetRunes  = 160
	shownEvidence = 3
	shownClasses  = wire.DefaultClasses
)

// entry is a remembered decision. Its evidence, snippet, truth and correction change under the lock
// of the memory.
type entry struct {
	decisionJSON // the posterior has the largest

	bytes   int       // that it takes
	at      wire.Ref  // of the decision
	source  *wire.Ref // of the document
	isWhole bool      // the posterior has all classes of the decision
	asked   bool      // for the snippet, whatever came
}

// memory are the last decisions, oldest first, and the labels of the training topics that came
// last.
type memory struct {
	mu       sync.RWMutex
	most     int      // decisions
	limit    int      // bytes of decisions
	bytes    int      // that they take
	entries  []*entry // the oldest first
	next     int64    // number of the next decision
	byPlace  map[wire.Ref]*entry
	bySource map[wire.Ref]*entry
	byID     map[string]*entry
	labels   worker.Newest[string, said]
	changed  chan struct{} // closed when there are more decisions
}

// newMemory returns a memory of a number of decisions, and of so many bytes of them and of labels.
func newMemory(most, limit int) *memory {
	return &memory{
		most: most, limit: limit, byPlace: map[wire.Ref]*entry{}, bySource: map[wire.Ref]*entry{}, byID: map[string]*entry{},
		labels: worker.Newest[string, said]{Most: limit, Size: sizeOfSaid}, changed: make(chan struct{}),
	}
}

// add adds decisions in the order in which they came.
func (m *memory) add(list []*entry) {
	if len(list) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range list {
		if m.byPlace[e.at] != nil {
			continue // read twice
		}
		e.Number = m.next
		m.next++
		if said, ok := m.labels.Get(e.ID); ok && !said.at.Before(e.Time) {
			e.Truth = said.label
		}
		m.put(e)
	}
	close(m.changed)
	m.changed = make(chan struct{})
}

// leavePartition forgets where the decisions of a partition stand, because its topic was created
// again. They stay in the history.
func (m *memory) leavePartition(topic string, partition int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.byPlace, func(at wire.Ref, _ *entry) bool { return at.Topic == topic && at.Partition == partition })
}

// put adds a decision as the newest.
func (m *memory) put(e *entry) {
	m.entries = append(m.entries, e)
	m.weighAgain(e)
	m.byPlace[e.at] = e
	m.byID[e.ID] = e
	if e.source != nil {
		m.bySource[*e.source] = e
	}
}

// weighAgain counts the bytes of a decision, and forgets the oldest ones if there are too many.
func (m *memory) weighAgain(e *entry) {
	if m.at(e.Number) != e {
		return // it is forgotten
	}
	m.bytes -= e.bytes
	e.bytes = e.size()
	m.bytes += e.bytes
	for len(m.entries) > m.most || m.bytes > m.limit && len(m.entries) > 1 {
		m.drop()
	}
}

// size returns about how many bytes a decision takes.
func (e *entry) size() int {
	const (
		structure = 512 // of an entry, its places, and what finds it
		one       = 64  // of an element of a list or of a map
	)
	n := structure + len(e.ID) + len(e.at.Topic)
	if e.Snippet != nil {
		n += len(*e.Snippet)
	}
	for _, label := range []*string{e.Label, e.Truth} {
		if label != nil {
			n += len(*label)
		}
	}
	for class := range e.Posterior {
		n += one + len(class)
	}
	for i := range e.Evidence {
		x := &e.Evidence[i]
		n += 2*one + len(x.Term) + len(x.Block) + len(x.Value)
		for _, s := range slices.Concat(x.As, x.Fields) {
			n += one + len(s)
		}
	}
	return n
}

// drop forgets the oldest decision.
func (m *memory) drop() {
	e := m.entries[0]
	m.entries[0] = nil
	m.entries = m.entries[1:]
	m.bytes -= e.bytes
	if m.byPlace[e.at] == e {
		delete(m.byPlace, e.at)
	}
	if m.byID[e.ID] == e {
		delete(m.byID, e.ID)
	}
	if e.source != nil && m.bySource[*e.source] == e {
		delete(m.bySource, *e.source)
	}
}

// at returns the decision of a number; nil if it is not remembered.
func (m *memory) at(number int64) *entry {
	i := int(number - (m.next - int64(len(m.entries))))
	if i < 0 || i >= len(m.entries) {
		return nil
	}
	return m.entries[i]
}

// oldest returns the number of the oldest decision.
func (m *memory) oldest() int64 { return m.next - int64(len(m.entries)) }

// find returns the newest decision on what an id or a place names.
func (m *memory) find(name string) *entry {
	if place := wire.ParsePlace(name); place != nil {
		if e := m.byPlace[*place]; e != nil {
			return e
		}
		if e := m.bySource[*place]; e != nil {
			return e
		}
	}
	return m.byID[name]
}

// said is the label that a training record gives an id.
type said struct {
	label *string // nil: forgotten
	at    time.Time
	place wire.Ref
}

// sizeOfSaid returns about how many bytes the label of an id takes.
func sizeOfSaid(id string, s said) int {
	const structure = 250
	n := structure + len(id)
	if s.label != nil {
		n += len(*s.label)
	}
	return n
}

// learn notes what a training record says of an id.
func (m *memory) learn(id string, s said) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.labels.Put(id, s)
	if e := m.byID[id]; e != nil && !s.at.Before(e.Time) {
		e.Truth = s.label
	}
}

// said returns what the training topics said last of an id.
func (m *memory) said(id string) (said, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.labels.Get(id)
}

// mark notes what became of a correction of an id.
func (m *memory) mark(id string, state *correctionStateJSON) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.byID[id]; e != nil {
		e.Correction = state
	}
}

// describe notes the snippet of a decision; nil: there is no text.
func (m *memory) describe(e *entry, snippet *string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Snippet = snippet
	e.asked = true
	m.weighAgain(e)
}

// lacksEvidence reports whether a decision has no evidence.
func (m *memory) lacksEvidence(e *entry) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(e.Evidence) == 0
}

// weigh notes evidence by the model now.
func (m *memory) weigh(e *entry, evidence []evidenceJSON) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Evidence = evidence
	e.EvidenceBy = new("now")
	m.weighAgain(e)
}

// byTime orders decisions of several partitions as they were made.
func byTime(a, b *entry) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.at.Topic, b.at.Topic), cmp.Compare(a.at.Partition, b.at.Partition),
		cmp.Compare(a.at.Offset, b.at.Offset))
}
