package console

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// Actions of a correction, and its outcomes beside the ones in httpapi.
const (
	actionCorrect  = "correct"
	actionForget   = "forget"
	actionUndo     = "undo"
	outcomeRefused = "refused"
)

const mostCorrections = 5000

// headerCorrection is the header of a correction that a console wrote: what it says beside the
// record, as JSON.
const headerCorrection = "bayestream-correction"

// note is what the header of a correction says.
type note struct {
	By     string      `json:"by,omitempty"`
	Source string      `json:"source,omitempty"` // of the document
	Was    *wasSo      `json:"was,omitempty"`    // what was learned before; nil: nothing
	Weight int64       `json:"weight,omitempty"` // the document counts so often; 0: as it did before, or once
	Undoes string      `json:"undoes,omitempty"` // place of a correction
	Before *judgedJSON `json:"before,omitempty"`
}

// wasSo is what a ledger said of an id before a correction.
type wasSo struct {
	Label  string `json:"label"`
	Weight int64  `json:"weight"` // how often the document counted
	Place  string `json:"place"`  // of the text
	Own    string `json:"own"`    // of the record that put it into the ledger
}

// judgedJSON is what the model said of a document.
type judgedJSON struct {
	Label     *string `json:"label"`
	Class     string  `json:"class"`
	Posterior float64 `json:"posterior"`
}

type correctionJSON struct {
	Number  int64            `json:"number"`
	Time    time.Time        `json:"time"`
	By      string           `json:"by"`
	Way     string           `json:"way"`
	ID      string           `json:"id"`
	Source  *string          `json:"source"`
	Place   string           `json:"place"`
	Action  string           `json:"action"`
	Label   *string          `json:"label"`
	Was     *string          `json:"was"`
	Outcome string           `json:"outcome"`
	Reason  string           `json:"reason"`
	Undoes  string           `json:"undoes"`
	Undone  bool             `json:"undone"`
	MayUndo bool             `json:"may_undo"`
	Before  *judgedJSON      `json:"before"`
	After   *judgedJSON      `json:"after"`
	Counts  []countShiftJSON `json:"counts"`

	at   wire.Ref
	note note
}

// countShiftJSON is how many documents a class has more.
type countShiftJSON struct {
	Class     string `json:"class"`
	Documents int64  `json:"documents"`
}

// corrections are the last ones of the training topic.
type corrections struct {
	c        *Console
	mu       sync.Mutex
	list     []*correctionJSON // oldest first
	next     int64
	byPlace  map[wire.Ref]*correctionJSON
	byID     map[string]*correctionJSON // the newest
	outcomes *worker.Outcomes
}

func newCorrections(c *Console) *corrections {
	return &corrections{c: c, byPlace: map[wire.Ref]*correctionJSON{}, byID: map[string]*correctionJSON{},
		outcomes: worker.NewOutcomes()}
}

// learned notes what a training record says: the label of an id, and whether it is a correction.
func (c *Console) learned(rec *stream.Record) {
	l, err := c.lens()
	if err != nil {
		return
	}
	var t wire.Training
	if err := l.decoder.Training(rec, &t); err != nil {
		return
	}
	at := wire.Ref{Topic: strings.Clone(rec.Topic), Partition: rec.Partition, Offset: rec.Offset}
	s := said{at: rec.Time, place: at}
	if t.Kind != wire.Forget {
		s.label = new(t.Label)
	}
	c.memory.learn(t.ID, s)
	x := &correctionJSON{Time: rec.Time.UTC(), Way: "other", ID: t.ID, Action: actionCorrect, Label: s.label, at: at}
	if t.Kind == wire.Forget {
		x.Action = actionForget
	}
	if t.Ref != nil {
		x.note.Source = t.Ref.String()
	}
	for _, h := range rec.Headers {
		if h.Key == headerCorrection && json.Unmarshal(h.Value, &x.note) == nil {
			x.Way = "console"
		}
	}
	if x.Way == "other" && t.Kind == wire.Learn && t.Ref == nil {
		return // it is no correction, but an example
	}
	c.corrections.add(x)
}

// add adds a correction, unless it is known.
func (a *corrections) add(x *correctionJSON) {
	x.complete()
	x.Outcome = httpapi.OutcomeWritten
	if a.insert(x) {
		a.refresh(x)
	}
}

// insert puts a correction into the list, and reports whether it was not there.
func (a *corrections) insert(x *correctionJSON) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byPlace[x.at] != nil {
		return false
	}
	x.Number = a.next
	a.next++
	a.list = append(a.list, x)
	a.byPlace[x.at] = x
	if newest := a.byID[x.ID]; newest == nil || !x.isBefore(newest) {
		a.byID[x.ID] = x
	}
	if place := wire.ParsePlace(x.Undoes); place != nil && a.byPlace[*place] != nil {
		a.byPlace[*place].Undone = true
	}
	if len(a.list) > mostCorrections {
		old := a.list[0]
		a.list = slices.Delete(a.list, 0, 1)
		if a.byPlace[old.at] == old {
			delete(a.byPlace, old.at)
		}
		if a.byID[old.ID] == old {
			delete(a.byID, old.ID)
		}
	}
	return true
}

// isBefore reports whether a correction stands before another one in their partition: what a console
// writes itself it knows before it has read what stands there.
func (x *correctionJSON) isBefore(y *correctionJSON) bool {
	return x.at.Topic == y.at.Topic && x.at.Partition == y.at.Partition && x.at.Offset < y.at.Offset
}

// leavePartition forgets where the corrections of a partition stand, because its topic was created
// again. They stay in the list.
func (a *corrections) leavePartition(topic string, partition int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	leaves := func(at wire.Ref) bool { return at.Topic == topic && at.Partition == partition }
	maps.DeleteFunc(a.byPlace, func(at wire.Ref, _ *correctionJSON) bool { return leaves(at) })
	maps.DeleteFunc(a.byID, func(_ string, x *correctionJSON) bool { return leaves(x.at) })
}

// refresh sets the outcome of a correction if it is known by now: its delta may have come before
// the correction was read.
func (a *corrections) refresh(x *correctionJSON) {
	outcome, reason := a.outcome(x.at)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle(x, outcome, reason)
}

// complete sets what follows from the note.
func (x *correctionJSON) complete() {
	x.Place = x.at.String()
	x.By, x.Undoes, x.Before = x.note.By, x.note.Undoes, x.note.Before
	if x.note.Source != "" {
		x.Source = &x.note.Source
	}
	if x.Undoes != "" {
		x.Action = actionUndo
	}
	if x.note.Was != nil {
		x.Was = &x.note.Was.Label
	}
	x.Counts = x.shifts()
}

// shifts returns how the documents of classes change by a correction. What was learned before is
// known only of one that a console wrote.
func (x *correctionJSON) shifts() []countShiftJSON {
	shift := map[string]int64{}
	weight := max(1, x.weight())
	if x.Was != nil {
		shift[*x.Was] -= weight
	}
	if x.Label != nil && x.Way == "console" {
		shift[*x.Label] += weight
	}
	out := []countShiftJSON{}
	for class, n := range shift {
		if n != 0 {
			out = append(out, countShiftJSON{class, n})
		}
	}
	slices.SortFunc(out, func(a, b countShiftJSON) int { return strings.Compare(a.Class, b.Class) })
	return out
}

// settle sets the outcome, and marks the decision on the document of a correction, if none follows
// it. A correction that was passed over changes no count. The lock is held.
func (a *corrections) settle(x *correctionJSON, outcome, reason string) {
	x.Outcome = outcome
	x.Reason = reason
	x.Counts = x.shifts()
	if outcome == httpapi.OutcomeSkipped {
		x.Counts = []countShiftJSON{}
	}
	if a.byID[x.ID] == x {
		a.c.memory.mark(x.ID, &correctionStateJSON{Place: x.Place, Action: x.Action, Label: x.Label, Outcome: x.Outcome,
			Reason: x.Reason})
	}
}

// counts returns how many corrections have which outcome.
func (a *corrections) counts() (n correctionCountsJSON) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.list {
		switch x.Outcome {
		case httpapi.OutcomeWritten:
			n.Written++
		case httpapi.OutcomeCounted:
			n.Counted++
		}
	}
	return n
}

// find returns the correction at a place; false: it is not remembered.
func (a *corrections) find(place string) (correctionJSON, bool) {
	at := wire.ParsePlace(place)
	if at == nil {
		return correctionJSON{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.byPlace[*at]
	if x == nil {
		return correctionJSON{}, false
	}
	return *x, true
}

// undoable reports whether a correction can be taken back: a console wrote it, so that it is known
// what was before, and nothing else was said of the document since.
func (a *corrections) undoable(x *correctionJSON) bool {
	a.mu.Lock()
	newest := a.byID[x.ID]
	a.mu.Unlock()
	return x.Way == "console" && x.Action != actionUndo && !x.Undone &&
		x.Outcome != httpapi.OutcomeSkipped && newest != nil &&
		newest.at == x.at
}

// judged notes what the model says behind a correction.
func (a *corrections) judged(at wire.Ref, after *judgedJSON) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x := a.byPlace[at]; x != nil {
		x.After = after
	}
}

type correctionsJSON struct {
	Corrections []correctionJSON `json:"corrections"`
	Next        *int64           `json:"next"`
	More        bool             `json:"more"`
}

// listCorrections answers GET /v1/corrections.
func (c *Console) listCorrections(_ *http.Request, q *query) (any, error) {
	before := q.integer("before", math.MaxInt64, 0, math.MaxInt64)
	limit := q.limit()
	if err := q.check(); err != nil {
		return nil, err
	}
	page := correctionsJSON{Corrections: []correctionJSON{}}
	for _, x := range c.corrections.newest(before, limit+1) {
		if len(page.Corrections) == limit {
			page.More = true
			page.Next = &page.Corrections[limit-1].Number
			break
		}
		x.MayUndo = !c.options.ReadOnly && c.corrections.undoable(&x)
		page.Corrections = append(page.Corrections, x)
	}
	return page, nil
}

// newest returns copies of the newest corrections with a smaller number than before.
func (a *corrections) newest(before int64, most int) (out []correctionJSON) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range slices.Backward(a.list) {
		if x.Number < before && len(out) < most {
			out = append(out, *x)
		}
	}
	return out
}
