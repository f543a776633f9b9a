package fold_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/drift"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/storetest"
)

// A drift is found in what the deltas of a stream say about its decisions, at the offset and time
// of the delta. Upkeep, a file and scores of another list say nothing, and a spec with other
// candidates starts the test over.
func TestDriftIsFoundInTheFold(t *testing.T) {
	s := newState(t, specOf(t, twoCandidates))
	next := func(n, errors int64) *fold.Delta {
		d := scored(t, s, n)
		d.Scores.Sums.Decided.Errors = errors
		d.Scores.Classes = race.Tallies{"ham": {Records: n, Right: n - errors, Decided: n}}
		return d
	}
	for range 4 {
		mustFold(t, s, next(200, 2), fold.Accepted)
	}
	file := next(100, 100)
	file.Ranges[0].Source, file.Ranges[0].Start, file.Ranges[0].End, file.Ranges[0].Previous = fold.Import("file"), 0, 1, 0
	mustFold(t, s, file, fold.Accepted)
	if got := s.Drift(); got.Found != 0 || got.Usual.Scored != 800 || got.Last() != nil || got.Usual.Classes["ham"].Records != 800 {
		t.Fatalf("a quiet stream and a file: %+v", got)
	}
	d := next(100, 90)
	storetest.Fold(t, s, fold.Entry{Time: 12345, Delta: d, CRC: 7}, fold.Accepted)
	got := s.Drift().Last()
	at := drift.Mark{Offset: s.Next() - 1, Time: 12345}
	if got == nil || got.Place != (drift.Place{Mark: at, Topic: training.Topic, End: 900}) || got.Since != at || len(got.Classes) != 1 || got.Classes[0].Name != "ham" {
		t.Fatalf("the drift is %+v", got)
	}
	mustFold(t, s, next(50, 40), fold.Accepted)
	storetest.Fold(t, s, fold.Entry{Spec: specOf(t, strings.Replace(twoCandidates, "decision: {", "decision: {reject: 0.1, ", 1))}, fold.Respecified)
	if got := s.Drift(); got.Usual.Scored != 50 {
		t.Errorf("a spec that decides alike starts the test over: %+v", got)
	}
	storetest.Fold(t, s, fold.Entry{Spec: specOf(t, twoOthers)}, fold.Respecified)
	if got := s.Drift(); got.Usual.Scored != 0 || len(got.Usual.Classes) != 0 || got.Found != 1 || got.Last().Offset != at.Offset {
		t.Errorf("after another list %+v", got)
	}
	storetest.Fold(t, s, fold.Entry{Control: &fold.Control{Log: s.Log(), Reset: &fold.Reset{}}}, fold.Controlled)
	if got := s.Drift(); got.Found != 0 || got.Last() != nil {
		t.Errorf("after a reset %+v", got)
	}
}

// drifting appends the deltas of a stream that changes, now and then, what its classes are about.
type drifting struct {
	*scribe
	about  [3]int
	errors int
	last   map[fold.Source]*drifted
}

// drifted is a document of a source that the next delta may replace.
type drifted struct {
	class  string
	weight int64
	model.Features
}

func (s *drifting) delta() {
	draw := s.draw
	src := s.sources[draw(2)]
	p, _ := s.state.Progress(src)
	n := int64(20 + draw(200))
	sums := race.NewSums(len(s.state.Race().List().Scored()))
	classes := race.Tallies{}
	b := model.NewBuilder(s.spec)
	f := &model.Features{}
	for i := range n {
		class := draw(3)
		f.Bag.Use(f.Bag.Lexicon())
		for range 1 + draw(4) {
			f.Bag.Add(fmt.Appendf(nil, "w%d-%d", s.about[class], draw(3000)*draw(2)))
		}
		b.Observe(string(rune('a'+class)), 1, f)
		decided := class
		if draw(100) < s.errors {
			decided = (class + 1) % 3
			sums.Decided.Errors++
		}
		if i%3 > 0 || decided != class {
			classes.Score(string(rune('a'+class)), string(rune('a'+decided)))
			sums.Scored++
		}
	}
	s.replace(src, b)
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: p.Watermark, End: p.Watermark + n}},
		Counting: s.spec.Counting(),
		Log:      s.state.Log(),
		Counts:   b.Delta(),
		Scores:   &fold.Scores{List: s.state.Race().List().Fingerprint(), Sums: sums, Classes: classes},
	}
	d.BuildOn(s.state.Basis(src))
	if draw(5) == 0 {
		d.Scores = nil
	}
	s.append(codec.EncodeDelta(d))
}

// replace puts a document of many words in the place of the one of the delta before it, now and
// then.
func (s *drifting) replace(src fold.Source, b *model.Builder) {
	old := s.last[src]
	if old != nil {
		b.Observe(old.class, -old.weight, &old.Features)
	}
	delete(s.last, src)
	if s.draw(3) == 0 {
		return
	}
	doc := &drifted{class: string(rune('a' + s.draw(3))), weight: int64(1 + s.draw(300))}
	for range 1 + s.draw(30) {
		doc.Bag.Add(fmt.Appendf(nil, "w%d", s.draw(100)))
	}
	b.Observe(doc.class, doc.weight, &doc.Features)
	s.last[src] = doc
}

func (s *drifting) change() {
	for i := range s.about {
		if s.draw(2) == 0 {
			s.about[i]++
		}
	}
	s.errors = 50
	for range 1 + s.draw(5) {
		s.delta()
	}
	s.errors = 2
}

// The alarms of a log, what came since the errors rise, and the words that moved are the same
// record by record, in one go, with restarts from checkpoints at any place, and without ledgers. So
// it is with a vocabulary that is frozen, too, and where documents are replaced: whatever the fold
// makes, a checkpoint of it can be read.
func TestDriftsAreTheSameEverywhere(t *testing.T) {
	dir := t.TempDir()
	found, rising := int64(0), 0
	for seed := range uint64(12) {
		draw := rand.New(rand.NewPCG(seed, 3)).IntN
		sp := specOf(t, twoCandidates)
		if seed%2 == 1 {
			sp = specOf(t, twoCandidates+"\nlimits: {terms: 30}")
		}
		s := &drifting{errors: 2, last: map[fold.Source]*drifted{}, scribe: &scribe{
			t: t, draw: draw, spec: sp, log: &storetest.Log{}, state: fold.New(true), sources: []fold.Source{training, {Topic: "training", Partition: 1}},
		}}
		s.append(codec.EncodeSpec(sp, fold.LogID{7}))
		for range 20 {
			switch draw(8) {
			case 0:
				s.change()
			case 1:
				s.append(codec.EncodeControl(&fold.Control{Log: s.state.Log(), Era: s.state.Era(), Rename: &fold.Rename{From: "a", To: string(rune('b' + draw(3)))}}))
			default:
				s.delta()
			}
		}
		live, classify := fold.New(true), fold.New(false)
		file := newFiled(t, filepath.Join(dir, strconv.FormatUint(seed, 10)), draw)
		for n := range s.log.Records {
			prefix := &storetest.Log{Records: s.log.Records[:n+1]}
			follow(t, live, prefix)
			file.follow(prefix)
			if _, err := codec.ReadDrift(codec.DriftProto(live.Drift())); err != nil {
				t.Fatal(err)
			}
			if live.Drift().Rise != nil {
				rising++
			}
			if draw(3) > 0 {
				continue
			}
			mustEqualState(t, "with restarts", storetest.Dump(t, file.state), storetest.Dump(t, live))
		}
		follow(t, classify, s.log)
		mustEqualState(t, "in one go, without ledgers", storetest.Counts(t, classify), storetest.Counts(t, live))
		found += live.Drift().Found
		file.close()
	}
	t.Logf("%d drifts, %d records after which the errors rise", found, rising)
	if found == 0 || rising == 0 {
		t.Error("the test does not test drifts")
	}
}
