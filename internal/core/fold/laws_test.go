package fold_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

var training = fold.Source{Topic: "training"}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// chance draws for rapid, so that a failure shrinks.
func chance(t *rapid.T) storetest.Chance {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
}

// newState returns a state with a spec in force.
func newState(t storetest.Fataler, sp *spec.Spec) *fold.State {
	t.Helper()
	s := fold.New(true)
	if got, err := s.Fold(fold.Entry{Spec: sp}); got != fold.Respecified || err != nil {
		t.Fatalf("fold of the spec: %q, %v", got, err)
	}
	return s
}

// foldDelta folds a delta as the next entry, through its bytes in the log.
func foldDelta(t storetest.Fataler, s *fold.State, d *fold.Delta) fold.Outcome {
	t.Helper()
	value, err := codec.EncodeDelta(d)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return foldValue(t, s, value)
}

func foldValue(t storetest.Fataler, s *fold.State, value []byte) fold.Outcome {
	t.Helper()
	_, outcome, err := storetest.FoldRecord(s, &stream.Record{Offset: s.Next(), Value: value}, 3)
	if err != nil {
		t.Fatalf("fold offset %d: %v", s.Next(), err)
	}
	s.Settle()
	return outcome
}

// learnAll folds all records in one delta and returns it.
func learnAll(t storetest.Fataler, sp *spec.Spec, records []storetest.Record) (*fold.State, *fold.Delta) {
	t.Helper()
	s := newState(t, sp)
	d := storetest.NewWriter(t, sp).Delta(t, s, training, records, 0, int64(len(records)))
	if got := foldDelta(t, s, d); got != fold.Accepted {
		t.Fatalf("outcome %q, want accepted", got)
	}
	return s, d
}

// learnFrom folds the records from the watermark on, in deltas of random length.
func learnFrom(t storetest.Fataler, s *fold.State, w *storetest.Writer, records []storetest.Record, draw storetest.Chance) {
	t.Helper()
	p, _ := s.Progress(training)
	for start := p.Watermark; start < int64(len(records)); {
		end := min(start+1+int64(draw(6)), int64(len(records)))
		if got := foldDelta(t, s, w.Delta(t, s, training, records, start, end)); got != fold.Accepted {
			t.Fatalf("offsets %d to %d: outcome %q, want accepted", start, end, got)
		}
		start = end
	}
}

// likelihoods are of words that are counted, of words that are present or absent, and of words that
// are counted where documents correct.
var likelihoods = []string{spec.Multinomial, spec.Bernoulli, storetest.Corrected}

// anyLikelihood draws a likelihood.
func anyLikelihood(draw storetest.Chance) string { return likelihoods[draw(len(likelihoods))] }

// Learned, replaced and forgotten in any order and cut into deltas anyhow, what is left is what the
// remaining documents say, and nothing is left when all are forgotten.
func TestReplaceAndForgetLeaveNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := chance(t)
		sp := storetest.Spec(t, anyLikelihood(draw), 1000, 1000)
		w := storetest.NewWriter(t, sp)
		s := newState(t, sp)
		records := storetest.Records(draw(25), draw)
		learnFrom(t, s, w, records, draw)
		r := newRecount(sp)
		r.partition(records, nil)
		r.mustEqual(t, s.Model())
		modeltest.CheckTables(t, s.Model())

		for id := range r.learned { // in any order
			records = append(records, storetest.Record{ID: id})
		}
		for _, rec := range records { // and what has no id and cannot be forgotten, is taken out by hand
			if rec.ID == "" && rec.Label != "" {
				takeOut(t, s.Model(), rec)
			}
		}
		learnFrom(t, s, w, records, draw)
		if left := modeltest.Dump(s.Model()); left != "" {
			t.Fatalf("everything is forgotten, and still there is\n%s", left)
		}
		mustBeNew(t, s.Model())
	})
}

// takeOut observes a record with negative weight.
func takeOut(t storetest.Fataler, m *model.Model, rec storetest.Record) {
	t.Helper()
	b := model.NewBuilder(m.Spec())
	x, err := model.NewExtractor(m.Spec())
	if err != nil {
		t.Fatalf("extractor: %v", err)
	}
	var f model.Features
	in := rec.Input()
	x.Extract(&f, &in)
	b.Observe(rec.Label, -rec.Weight, &f)
	if rec.Ahead != "" {
		b.Correct(rec.Label, rec.Ahead, -rec.Weight, &f)
	}
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatalf("take out: %v", err)
	}
}

// mustBeNew compares what a dump does not show.
func mustBeNew(t storetest.Fataler, m *model.Model) {
	t.Helper()
	modeltest.CheckTables(t, m)
	if n := len(m.Classes().Live()); n > 0 || m.Classes().Total() != 0 {
		t.Fatalf("%d classes with %d documents are left", n, m.Classes().Total())
	}
	for i, table := range m.Tables() {
		if table.Admitted() != 0 || table.Vocabulary() != 0 {
			t.Fatalf("table %d has %d terms, %d of them with counts", i, table.Admitted(), table.Vocabulary())
		}
	}
	if n := m.SumsRows(); n != 0 {
		t.Fatalf("%d classes have sums of numbers", n)
	}
}

// A document that is learned and forgotten again leaves the counts as they were, whatever was
// learned before and after.
func TestForgetInvertsLearn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := chance(t)
		sp := storetest.Spec(t, anyLikelihood(draw), 1000, 1000)
		w := storetest.NewWriter(t, sp)
		s := newState(t, sp)
		records := storetest.Records(draw(15), draw)
		learnFrom(t, s, w, records, draw)
		before := modeltest.Dump(s.Model())
		one := storetest.Document("only once", draw)
		records = append(records, one, storetest.Record{ID: one.ID})
		learnFrom(t, s, w, records, draw)
		if after := modeltest.Dump(s.Model()); after != before {
			t.Fatalf("before:\n%s\nafter learning and forgetting %+v:\n%s", before, one, after)
		}
	})
}

// A vocabulary at its limit is frozen: no term comes, none goes, no count is negative, and what is
// forgotten leaves the counts of the admitted terms at nothing.
func TestFrozenVocabulary(t *testing.T) {
	froze := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := chance(t)
		limit := 2 + draw(8)
		sp := storetest.Spec(t, anyLikelihood(draw), limit, 1000)
		w := storetest.NewWriter(t, sp)
		s := newState(t, sp)
		records := storetest.Records(5+draw(25), draw)
		for i := range records { // all with an id, so that all can be forgotten
			if records[i].ID == "" {
				records[i].ID = "id" + string(rune('a'+i))
			}
		}
		var admitted string
		for n := range records {
			learnFrom(t, s, w, records[:n+1], draw)
			modeltest.CheckTables(t, s.Model())
			text := s.Model().Text()
			if text.Admitted() > limit || text.Frozen() != (text.Admitted() == limit) {
				t.Fatalf("%d terms of %d, frozen %v", text.Admitted(), limit, text.Frozen())
			}
			if now := terms(s.Model()); text.Frozen() && admitted == "" {
				admitted = now
			} else if text.Frozen() && now != admitted {
				t.Fatalf("the frozen vocabulary was\n%s\nand is\n%s", admitted, now)
			}
		}
		if admitted != "" {
			froze++
		}
		r := newRecount(sp)
		r.partition(records, nil)
		for id := range r.learned {
			records = append(records, storetest.Record{ID: id})
		}
		learnFrom(t, s, w, records, draw)
		if left := modeltest.Dump(s.Model()); left != "" {
			t.Fatalf("everything is forgotten, and still there is\n%s", left)
		}
	})
	if froze == 0 {
		t.Error("no vocabulary was ever frozen: the test tests nothing")
	}
}

// terms returns the admitted terms of the text, those at zero included.
func terms(m *model.Model) string {
	var all []string
	for _, word := range storetest.Words() {
		if m.Text().Lookup(bow.Hash([]byte(word)), []byte(word)) >= 0 {
			all = append(all, word)
		}
	}
	return strings.Join(all, " ")
}
