package fold_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/storetest"
)

// world is one schedule: a log, two training partitions, and writers who all think that both are
// theirs.
type world struct {
	controls bool // writers append controls too
	t        testing.TB
	rnd      *rand.Rand
	spec     *spec.Spec
	sources  []fold.Source
	records  map[fold.Source][]storetest.Record
	gone     map[fold.Source]int64 // texts before this offset cannot be read any more
	retain   bool                  // texts are kept
	log      []fold.Entry          // as decoded from the bytes that were appended
	late     []fold.Entry          // appends that are on their way
	writers  []*writer
}

// writer is an ingest worker. What it has in flight it appends again until it sees the fold pass
// it.
type writer struct {
	*world
	state    *fold.State
	build    *storetest.Writer
	inFlight map[fold.Source]*chain
}

// chain is what a writer appended on a state and has not seen folded.
type chain struct {
	era, previous uint64 // of the state
	start, end    int64
	sent          []fold.Entry
	pending       storetest.Pending
}

func newWorld(t testing.TB, seed uint64, s *spec.Spec) *world {
	w := &world{t: t, rnd: newRand(seed), spec: s, records: map[fold.Source][]storetest.Record{}, gone: map[fold.Source]int64{}}
	w.retain = w.rnd.IntN(2) == 0
	for p := range int32(2) {
		src := fold.Source{Topic: "training", Partition: p}
		w.sources = append(w.sources, src)
		w.records[src] = storetest.Records(1+w.rnd.IntN(14), w.rnd.IntN)
	}
	w.log = append(w.log, fold.Entry{Spec: s})
	for range 2 {
		w.writers = append(w.writers, w.newWriter())
	}
	return w
}

func (w *world) newWriter() *writer {
	return &writer{world: w, state: fold.New(true), build: storetest.NewWriter(w.t, w.spec), inFlight: map[fold.Source]*chain{}}
}

// step lets something happen.
func (w *world) step() {
	switch n := w.rnd.IntN(20); {
	case n == 0 && len(w.late) > 0: // an append that was given up arrives after all
		i := w.rnd.IntN(len(w.late))
		w.log = append(w.log, w.late[i])
		w.late = slices.Delete(w.late, i, i+1)
	case n == 1: // a crash: another process starts in its place
		w.writers[w.rnd.IntN(len(w.writers))] = w.newWriter()
	case (n == 3 || n == 4) && w.controls:
		w.writers[w.rnd.IntN(len(w.writers))].command()
	case n == 2 && !w.retain: // the broker deletes old records
		src := w.sources[w.rnd.IntN(len(w.sources))]
		w.gone[src] += int64(w.rnd.IntN(3))
	case n < 10:
		w.writers[w.rnd.IntN(len(w.writers))].follow(1 + w.rnd.IntN(4))
	default:
		w.writers[w.rnd.IntN(len(w.writers))].write(w.sources[w.rnd.IntN(len(w.sources))])
	}
}

// append sends a record to the log. Whether it arrives, how often and when, is up to chance, and
// the writer is not told.
func (w *world) append(e fold.Entry) {
	switch w.rnd.IntN(8) {
	case 0: // lost
	case 1:
		w.log = append(w.log, e, e)
	case 2:
		w.late = append(w.late, e)
	default:
		w.log = append(w.log, e)
	}
}

// fold folds the next record of the log. It returns no outcome where the state starts over because
// of a void.
func (w *world) fold(s *fold.State) fold.Outcome {
	e := w.log[s.Next()]
	e.Offset = s.Next()
	if e.Delta != nil {
		w.mustImply(s, e.Delta)
	}
	outcome, err := s.Fold(e)
	var voided *fold.VoidedError
	if errors.As(err, &voided) {
		v := voided.Void
		if w.log[v.From].CRC == v.FirstCRC && w.log[v.To-1].CRC == v.LastCRC {
			s.Restart(s.VoidsWith(v))
		} else {
			s.Refuse(v.At)
		}
		return ""
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return outcome
}

// follow folds up to n records more.
func (wr *writer) follow(n int) {
	for ; n > 0 && wr.state.Next() < int64(len(wr.log)); n-- {
		wr.fold(wr.state)
	}
}

// write does the next thing for a partition: builds a delta at the watermark, goes on with the
// chain, or sends again what it has not seen folded.
func (wr *writer) write(src fold.Source) {
	if wr.state.Model() == nil {
		wr.follow(1)
		return
	}
	p, known := wr.state.Progress(src)
	c := wr.inFlight[src]
	if c != nil && (p.Watermark != c.start || p.Previous != c.previous || wr.state.Era() != c.era) {
		c = nil // folded, or overtaken: begin again from what is folded
	}
	switch {
	case c == nil:
		c = &chain{era: wr.state.Era(), previous: p.Previous, start: p.Watermark, end: p.Watermark, pending: storetest.Pending{}}
		wr.inFlight[src] = c
		if wr.upkeep(src, c) {
			return
		}
	case wr.rnd.IntN(2) == 0:
		wr.append(c.sent[wr.rnd.IntN(len(c.sent))])
		return
	case !wr.retain || !known || c.sent[0].Delta.IsUpkeep():
		// No chain behind upkeep. No chain where a text that is read today may be gone tomorrow; and none
		// without a watermark: if its first delta were lost, the second would be taken for the beginning.
		return
	}
	if have := int64(len(wr.records[src])); c.end < have {
		wr.extend(src, c, min(have, c.end+1+int64(wr.rnd.IntN(5))))
	} else if len(c.sent) == 0 {
		delete(wr.inFlight, src)
	}
}

func (wr *writer) extend(src fold.Source, c *chain, end int64) {
	wr.build.Gone = func(offset int64) bool { return offset < wr.gone[src] }
	d := wr.build.Delta(wr.t, wr.state, src, wr.records[src], c.end, end, c.pending)
	if n := len(c.sent); n > 0 {
		d.Ranges[0].Previous = c.sent[n-1].Sum
	}
	e := wr.entry(codec.EncodeDelta(d))
	c.end, c.sent = end, append(c.sent, e)
	wr.append(e)
}

// entry returns a record of the log, as it is decoded from its bytes.
func (wr *writer) entry(value []byte, err error) fold.Entry {
	if err != nil {
		wr.t.Fatal(err)
	}
	e, err := codec.Decode(value, wr.state.Next(), wr.state.Reading())
	if err != nil || e.Unreadable != nil {
		wr.t.Fatal(err, e.Unreadable)
	}
	e.CRC = codec.Checksum(value)
	e.Sum = codec.Sum(value)
	return e
}

// mustImply checks what the law says of previous: it implies generation and start.
func (w *world) mustImply(s *fold.State, d *fold.Delta) {
	p, known := s.Progress(d.Ranges[0].Source)
	isSame := known && d.Era == s.Era() && d.Ranges[0].Previous == p.Previous
	if isSame && (d.Ranges[0].Generation != p.Generation || d.Ranges[0].Start != p.Watermark) {
		w.t.Fatalf("offset %d: generation %d and start %d follow the delta that was counted last, behind which they are %d and %d",
			s.Next(), d.Ranges[0].Generation, d.Ranges[0].Start, p.Generation, p.Watermark)
	}
}

// finish lets everything arrive that is on its way, and one writer do the rest.
func (w *world) finish() {
	w.rnd.Shuffle(len(w.late), func(i, j int) { w.late[i], w.late[j] = w.late[j], w.late[i] })
	w.log, w.late = append(w.log, w.late...), nil
	last := w.newWriter()
	for _, src := range w.sources {
		for {
			last.follow(math.MaxInt)
			p, _ := last.state.Progress(src)
			if p.Watermark >= int64(len(w.records[src])) && !last.owes(src) {
				break
			}
			last.write(src)
		}
	}
	last.follow(math.MaxInt)
	w.log, w.late = append(w.log, w.late...), nil
}

// replay folds the log from its start. It returns the state, an independent recount of what the log
// says, and how often each outcome was.
func (w *world) replay(keepLedger bool) (s *fold.State, l *reading, outcomes map[fold.Outcome]int) {
	s = fold.New(keepLedger)
	for s.Next() < int64(len(w.log)) {
		if s.Next() == 0 { // at the start, or again because of a void
			l = newReading(w)
			outcomes = map[fold.Outcome]int{}
		}
		e := w.log[s.Next()]
		outcome := w.fold(s)
		if outcome == "" {
			continue
		}
		outcomes[outcome]++
		switch outcome {
		case fold.Accepted:
			l.delta(e.Delta)
		case fold.Controlled:
			l.control(e.Control)
		}
	}
	return s, l, outcomes
}

// check compares every replica with the independent recount.
func (w *world) check() (right *fold.State, outcomes map[fold.Outcome]int) {
	right, l, outcomes := w.replay(true)
	for _, src := range w.sources {
		if p, _ := right.Progress(src); p.Watermark != int64(len(w.records[src])) || l.covered[src] != p.Watermark {
			w.t.Fatalf("%v: watermark %d, recounted %d of %d records", src, p.Watermark, l.covered[src], len(w.records[src]))
		}
		if n := len(l.owed[src]); w.retain && n > 0 {
			w.t.Fatalf("%v: %d forgotten documents are still counted", src, n)
		}
	}
	l.recount.mustEqual(w.t, right.Model())
	for i, wr := range w.writers {
		wr.follow(math.MaxInt)
		if got, want := storetest.Dump(w.t, wr.state), storetest.Dump(w.t, right); got != want {
			w.t.Fatalf("writer %d has\n%s\na replay gives\n%s", i, got, want)
		}
	}
	classify, _, _ := w.replay(false)
	if got, want := storetest.Counts(w.t, classify), storetest.Counts(w.t, right); got != want {
		w.t.Fatalf("without ledgers:\n%s\nwith them:\n%s", got, want)
	}
	return right, outcomes
}

// addAll is a fold without the rule: it adds every delta of the log.
func (w *world) addAll() *model.Model {
	m := model.New(w.spec)
	for _, e := range w.log {
		if e.Delta != nil && m.Apply(e.Delta.Counts) != nil {
			break // below zero: wrong already
		}
	}
	return m
}

// schedules are run per likelihood.
const schedules = 250

// eachLikelihood runs a test with both likelihoods, side by side.
func eachLikelihood(t *testing.T, f func(t *testing.T, likelihood string)) {
	for _, likelihood := range likelihoods {
		t.Run(likelihood, func(t *testing.T) {
			t.Parallel()
			f(t, likelihood)
		})
	}
}

// runZombies runs schedules, each of a world and so many steps, and looks at what each comes to. It
// returns how many there were, with the outcomes of their deltas.
func runZombies(t *testing.T, likelihood string, n int, set func(*world), look func(w *world, right *fold.State)) (int, map[fold.Outcome]int) {
	s := storetest.Spec(t, likelihood, 1000, 1000)
	if testing.Short() || raceEnabled {
		n /= 10
	}
	total := map[fold.Outcome]int{}
	var seed uint64
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last seed was %d", seed)
		}
	})
	for ; seed < uint64(n); seed++ {
		w := newWorld(t, seed, s)
		set(w)
		for range 20 + w.rnd.IntN(70) {
			w.step()
		}
		w.finish()
		right, outcomes := w.check()
		for outcome, k := range outcomes {
			total[outcome] += k
		}
		look(w, right)
	}
	return n, total
}

// mustCome checks that outcomes come often enough to test the rule.
func mustCome(t *testing.T, n int, total map[fold.Outcome]int, outcomes ...fold.Outcome) {
	t.Helper()
	for _, o := range outcomes {
		if total[o] < n/20 {
			t.Errorf("%q came %d times in %d schedules: they do not test the rule", o, total[o], n)
		}
	}
}

// TestZombies runs two writers who know nothing of each other, with crashes, lost acknowledgements,
// duplicates, late appends, records that are gone, over thousands of schedules: in each, every
// record is counted once in every replica.
func TestZombies(t *testing.T) {
	t.Parallel()
	eachLikelihood(t, func(t *testing.T, likelihood string) {
		wrongWithout := 0
		n, total := runZombies(t, likelihood, schedules, func(*world) {}, func(w *world, right *fold.State) {
			if dump(t, w.addAll()) != dump(t, right.Model()) {
				wrongWithout++
			}
		})
		t.Logf("%d schedules: %v; without the rule %d of them are wrong", n, total, wrongWithout)
		mustCome(t, n, total, fold.Accepted, fold.Stale, fold.Gap)
		if wrongWithout < n/2 {
			t.Errorf("without the rule %d of %d schedules would be wrong: they do not need it", wrongWithout, n)
		}
		if total[fold.Invalid]+total[fold.Foreign] > 0 {
			t.Errorf("outcomes %v: no writer makes such deltas", total)
		}
	})
}
