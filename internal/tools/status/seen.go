package status

import (
	"slices"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

// decided is a partition of documents, and the topic that has their decisions.
type decided struct {
	place
	labels string
}

// decisions are offsets behind documents that were decided: each that no later one has reached.
type decisions []int64

// mostDecisions is how many of them are kept: a topic that was created again takes one more.
const mostDecisions = 16

// saw returns the decisions with another one.
func (d decisions) saw(next int64) decisions {
	for len(d) > 0 && d[len(d)-1] <= next {
		d = d[:len(d)-1]
	}
	d = append(d, next)
	return d[max(0, len(d)-mostDecisions):]
}

// upTo returns how far a partition is decided that has an end. What lies behind the end, and what
// was decided before that, is of an earlier topic of its name.
func (d decisions) upTo(end int64) int64 {
	for _, next := range d {
		if next <= end {
			return next
		}
	}
	return 0
}

// Saw notes that a document was decided, by a decision in a topic.
func (w *Watcher) Saw(labels string, at *wire.Ref) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := decided{place{at.Topic, at.Partition}, labels}
	w.seen[key] = w.seen[key].saw(at.Offset + 1)
}

// seenUntilNow returns what was decided until now, of each partition of the documents.
func (w *Watcher) seenUntilNow() map[int][]decisions {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[int][]decisions{}
	for at, d := range w.seen {
		if at.topic == w.topics.Documents {
			all[at.partition] = append(all[at.partition], slices.Clone(d))
		}
	}
	return all
}

// decidedUpTo returns how far a partition of the documents is decided or refused. The lock is held.
func (w *Watcher) decidedUpTo(seen []decisions, partition int, end int64) (next int64) {
	for _, d := range seen {
		next = max(next, d.upTo(end))
	}
	for _, offset := range w.letters.of(origin{place{w.topics.Documents, partition}, httpapi.Classify}, end) {
		next = max(next, offset+1)
	}
	return next
}
