package status

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// Bounds of a look.
const (
	lookTime   = 5 * time.Second // until the brokers are away
	recent     = 100             // last records of a partition
	stillAfter = 10 * time.Second
	lastLabels = 200 // offsets of a partition of the labels that are read
)

// Watcher looks at a pipeline, once or again and again. It is safe for concurrent use.
type Watcher struct {
	client *stream.Client
	topics Topics

	mu      sync.Mutex
	seen    map[decided]decisions
	letters letters
	moved   map[place]progress // nil: it looks once
	markers map[place]span     // offsets with no record: marks of transactions, and what they aborted
	barred  map[string]error   // why the records of a topic may not be read
}

// span is the offsets [from, to).
type span struct{ from, to int64 }

// place is a partition.
type place struct {
	topic     string
	partition int
}

// progress is how far a partition was taken, and since when.
type progress struct {
	next  int64
	since time.Time
}

// NewWatcher returns a watcher. One that looks again and again tells what stands still.
func NewWatcher(client *stream.Client, topics Topics, again bool) *Watcher {
	w := &Watcher{client: client, topics: topics, seen: map[decided]decisions{}, letters: newLetters(),
		markers: map[place]span{}, barred: map[string]error{}}
	if again {
		w.moved = map[place]progress{}
	}
	return w
}

// Bar notes that the records of a topic may not be read. It is called before the first look.
func (w *Watcher) Bar(topic string, why error) { w.barred[topic] = why }

// ReadLabels reads the last decisions of each partition: a console that reads all of them calls Saw.
func (w *Watcher) ReadLabels(ctx context.Context) error {
	for _, name := range w.topics.Labels {
		_, exists, err := w.client.FindTopic(ctx, name)
		if err != nil || !exists {
			continue // Look says so
		}
		tail, err := w.client.TailFrom(ctx, name, stream.TailStart{})
		if err != nil {
			return err
		}
		for p := range tail.From {
			tail.From[p] = max(tail.From[p], tail.Until[p]-lastLabels)
		}
		err = w.client.EachOf(ctx, tail, func(r *stream.Record) error {
			if _, source := wire.ReadSource(r); source != nil {
				w.Saw(name, source)
			}
			return nil
		})
		switch {
		case errors.As(err, new(*stream.RightError)):
			w.Bar(name, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// Model is what a replica of the model log says.
type Model struct {
	next    int64 // the offset to fold next
	learned int64
	classes int
	drifts  int64
	drifted time.Time
	taken   map[fold.Source]int64 // the next offset to count
	anchors map[fold.Source]fold.Anchor
}

// ModelOf returns what a state says.
func ModelOf(state *fold.State) *Model {
	m := &Model{next: state.Next(), taken: map[fold.Source]int64{}, anchors: map[fold.Source]fold.Anchor{}}
	for _, source := range state.Sources() {
		progress, _ := state.Progress(source)
		m.taken[source] = progress.Watermark
		m.anchors[source] = progress.Anchor
	}
	if state.Model() != nil {
		m.learned, m.classes = state.Model().Classes().Total(), len(state.Model().ClassNames())
	}
	m.note(httpapi.NewDrift(state))
	return m
}

// note notes the drifts; nil: none are looked for.
func (m *Model) note(d *httpapi.Drift) {
	if d != nil && len(d.Alarms) > 0 {
		m.drifts, m.drifted = d.Found, d.Alarms[len(d.Alarms)-1].Time
	}
}

// hasCounted reports whether records of a topic were read for the model.
func (m *Model) hasCounted(topic string) bool {
	for source := range m.taken {
		if source.Topic == topic {
			return true
		}
	}
	return false
}

// Look looks now. m is nil where nothing is known of the model. The workers and the findings are the
// caller's to set.
func (w *Watcher) Look(ctx context.Context, now time.Time, m *Model) *Status {
	s := &Status{Topics: []Topic{}, Workers: []Worker{}, Findings: []Finding{}, Letters: Letters{Reasons: []Letter{}}}
	if err := w.Ping(ctx); err != nil {
		s.Away = err.Error()
		return s
	}
	if m != nil {
		s.Learned, s.Classes, s.Drifts, s.Drifted = &m.learned, &m.classes, m.drifts, m.drifted
	}
	w.look(ctx, s, m, now)
	return s
}

// Ping asks the brokers whether they are there.
func (w *Watcher) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return w.client.Ping(ctx)
}

func (w *Watcher) look(ctx context.Context, s *Status, m *Model, now time.Time) {
	deadTopic, tail := w.measure(ctx, dead, w.topics.Dead)
	if deadTopic.Trouble == "" && deadTopic.Partitions > 0 {
		if err := w.readLetters(ctx, tail); err != nil {
			deadTopic.Trouble = err.Error()
		}
	}
	seen := w.seenUntilNow() // before the ends: what is decided lies before them, or is of another topic
	in, inTail := w.measure(ctx, training, w.topics.Training)
	out, outTail := w.measure(ctx, documents, w.topics.Documents)
	logTopic, _ := w.measure(ctx, modelLog, w.topics.Model)
	decided, isDecidedKnown := w.measureLabels(ctx)
	if m != nil {
		in.Deleted = in.isAbsent() && m.hasCounted(in.Name)
		logTopic.Deleted = logTopic.isAbsent() && m.next > 0
	}
	var id stream.TopicID
	if in.Partitions > 0 {
		id, _ = w.client.TopicID(ctx, in.Name, 0) // else it is not known
	}
	learned := func(p int) int64 {
		source := fold.Source{Topic: in.Name, Partition: int32(p)}
		if m.anchors[source].IsOfOther(id) {
			return 0
		}
		return decisions{m.taken[source]}.upTo(inTail.Until[p])
	}
	labelled := func(p int) int64 { return w.decidedUpTo(seen[p], p, outTail.Until[p]) }
	if m != nil {
		w.findMarkers(ctx, inTail, learned)
	}
	w.findMarkers(ctx, outTail, labelled)
	w.mu.Lock()
	if m != nil {
		w.await(&in, httpapi.Ingest, inTail, now, learned)
	}
	if isDecidedKnown && out.Partitions > 0 {
		refused := w.await(&out, httpapi.Classify, outTail, now, labelled)
		s.Labelled = new(out.Records - *out.Waiting - refused)
	}
	s.Letters = w.letters.count()
	w.mu.Unlock()
	s.Topics = append(append(s.Topics, in, out, logTopic, deadTopic), decided...)
}

// measureLabels measures the topics of the decisions, and reports whether all can be read.
func (w *Watcher) measureLabels(ctx context.Context) (all []Topic, known bool) {
	known = true
	for _, name := range w.topics.Labels {
		t, _ := w.measure(ctx, labels, name)
		all, known = append(all, t), known && t.Trouble == ""
	}
	return all, known
}

// measure asks how large a topic is.
func (w *Watcher) measure(ctx context.Context, role, name string) (Topic, stream.Tail) {
	t := Topic{Role: role, Name: name}
	if why := w.barred[name]; why != nil {
		t.Trouble = why.Error()
		return t, stream.Tail{}
	}
	info, exists, err := w.client.FindTopic(ctx, name)
	if err == nil && !exists {
		return t, stream.Tail{}
	}
	tail := stream.Tail{Topic: name}
	for p := range info.Partitions {
		first, end, offsetsErr := w.client.Offsets(ctx, name, p)
		if offsetsErr != nil {
			err = fmt.Errorf("partition %d: %w", p, offsetsErr)
			break
		}
		tail.From = append(tail.From, first)
		tail.Until = append(tail.Until, end)
		t.Records += end - first
	}
	if err != nil {
		t.Trouble = err.Error()
		return t, stream.Tail{}
	}
	t.Partitions = info.Partitions
	return t, tail
}

// mostMarkers is how many offsets may be marks of transactions: each transaction leaves one.
const mostMarkers = 64

// findMarkers looks whether the few offsets of a partition that seem to wait hold a record at all.
func (w *Watcher) findMarkers(ctx context.Context, tail stream.Tail, next func(partition int) int64) {
	for p, end := range tail.Until {
		w.mu.Lock()
		at := place{tail.Topic, p}
		from := max(tail.From[p], next(p))
		isKnown := w.markers[at] == span{from, end}
		w.mu.Unlock()
		if isKnown || end <= from || end-from > mostMarkers {
			continue
		}
		got, err := w.client.Fetch(ctx, stream.FetchRequest{Topic: tail.Topic, Partition: p, Offset: from, Committed: true,
			MaxWait: time.Millisecond})
		if err != nil || len(got.Records) > 0 || got.Next < min(end, got.LastStable) {
			continue // it waits, as far as known
		}
		w.mu.Lock()
		w.markers[at] = span{from, end}
		w.mu.Unlock()
	}
}

// await sets what waits in a topic for a worker, of whose partitions next is what comes next. It
// returns how many records became dead letters. The lock is held.
func (w *Watcher) await(t *Topic, role string, tail stream.Tail, now time.Time,
	next func(partition int) int64) (refused int64) {
	if t.Partitions == 0 {
		return 0
	}
	waiting, still := int64(0), false
	for p, end := range tail.Until {
		at, taken := place{t.Name, p}, max(tail.From[p], next(p))
		lag := max(0, end-taken)
		if w.markers[at] == (span{taken, end}) {
			lag = 0
		}
		waiting += lag
		still = still || w.moved != nil && lag > 0 && w.isStill(at, taken, now)
		last := min(recent, taken-tail.From[p])
		t.Recent += last
		letters := w.letters.of(origin{at, role}, end)
		t.Refused += between(letters, taken-last, taken)
		refused += between(letters, tail.From[p], taken)
	}
	t.Waiting = &waiting
	if w.moved != nil {
		t.Still = &still
	}
	return refused
}

// isStill reports whether a partition was taken as far ten seconds ago.
func (w *Watcher) isStill(at place, taken int64, now time.Time) bool {
	was, known := w.moved[at]
	if !known || was.next != taken {
		was = progress{taken, now}
		w.moved[at] = was
	}
	return now.Sub(was.since) > stillAfter
}

// readLetters reads the dead letters that came since the last look.
func (w *Watcher) readLetters(ctx context.Context, tail stream.Tail) error {
	w.mu.Lock()
	for p, until := range tail.Until {
		if w.letters.next[p] > until { // the topic was created again
			w.letters = newLetters()
		}
	}
	for p := range tail.From {
		from := max(tail.From[p], w.letters.next[p])
		tail.From[p] = max(from, tail.Until[p]-mostLetters)
		w.letters.passed += tail.From[p] - from
	}
	w.mu.Unlock()
	err := w.client.EachOf(ctx, tail, func(r *stream.Record) error {
		l, ok := wire.ReadLetter(r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.letters.next[r.Partition] = r.Offset + 1
		if ok {
			w.letters.add(&l)
		}
		return nil
	})
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		for p, until := range tail.Until {
			w.letters.next[p] = max(w.letters.next[p], until)
		}
	}
	return err
}

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
