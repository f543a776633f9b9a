package model_test

import (
	"fmt"
	"math"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// corrected returns a model of so many classes, and the lexicon of its words: each class has a word
// of its own, and documents of the first one correct against the second.
func corrected(t *testing.T, yaml string, classes int) (*model.Model, *bow.Lexicon) {
	t.Helper()
	s := modeltest.Spec(t, yaml)
	m, b, lexicon := model.New(s), model.NewBuilder(s), bow.NewLexicon()
	for class := range classes {
		var f model.Features
		f.Bag.Use(lexicon)
		f.Bag.AddN([]byte("shared"), 2)
		f.Bag.Add(fmt.Appendf(nil, "word%d", class))
		b.Observe(fmt.Sprintf("c%02d", class), 3, &f)
		if class < 2 {
			b.Correct("c00", "c01", 2, &f)
		}
	}
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	return m, lexicon
}

// addedUp returns what the priors, the evidence and the rest of a decision add up to.
func addedUp(d *model.Decision) float64 {
	sum := d.Rest
	for c := range d.Classes {
		switch d.Classes[c].Name {
		case d.Label:
			sum += d.Classes[c].LogPrior
		case d.RunnerUp:
			sum -= d.Classes[c].LogPrior
		}
	}
	for _, e := range d.Evidence {
		sum += e.Weight
	}
	return sum
}

// Evidence says which part of a weight corrections are, for few classes and for many: the rest is the
// weight without them, and all adds up to the margin.
func TestEvidenceOfCorrections(t *testing.T) {
	const race = "text: {corrections: true}\nscoring: {candidates: [{likelihood: %s, alpha: 1, sublinear: true%s}, {likelihood: one_vs_all, alpha: 2, corrections: 1}]}"
	for likelihood, unit := range map[string]float64{"multinomial": math.Sqrt2, "complement": math.Sqrt2 / 2, "one_vs_all": 2} {
		for _, classes := range []int{3, 70} {
			m, lexicon := corrected(t, fmt.Sprintf(race, likelihood, ", corrections: 0.25"), classes)
			plain, _ := corrected(t, fmt.Sprintf(race, likelihood, ""), classes)
			var f model.Features
			f.Bag.Use(lexicon)
			for word, n := range map[string]uint32{"shared": 3, "word0": 1, "word1": 1} {
				f.Bag.AddN([]byte(word), n)
			}
			d, before := modeltest.Decide(m, &f), modeltest.Decide(plain, &f)
			lambda := 0.25 * unit / math.Sqrt(3) // of three tokens a document
			sum := addedUp(d)
			for _, e := range d.Evidence {
				if e.Term == "" {
					continue
				}
				// in each class of the two: what both documents correct
				want := map[string]float64{"shared": 4 * (1 + math.Log(3)), "word0": 2, "word1": 2}[e.Term] * lambda * d.Scoring.Temper
				if d.RunnerUp == "c01" {
					want *= 2
				}
				if math.Abs(e.Correction-want) > 1e-12 {
					t.Errorf("%s, %d classes: %s is corrected by %v, want %v", likelihood, classes, e.Term, e.Correction, want)
				}
			}
			if math.Abs(sum-d.Margin) > 1e-9 || d.Label != "c00" {
				t.Errorf("%s, %d classes: the evidence for %s adds up to %v, the margin is %v", likelihood, classes, d.Label, sum, d.Margin)
			}
			if before.Label == "c00" && before.Margin >= d.Margin {
				t.Errorf("%s, %d classes: the margin is %v, without corrections %v", likelihood, classes, d.Margin, before.Margin)
			}
		}
	}
}

// A document corrects that is decided wrong, or right by a thin margin, until it need not any more;
// also one after the other in one delta.
func TestJudge(t *testing.T) {
	for _, atOnce := range []bool{true, false} {
		m, lexicon := corrected(t, "text: {corrections: true}", 3)
		b, judge := model.NewBuilder(m.Spec()), model.NewJudge()
		var f model.Features
		f.Bag.Use(lexicon)
		f.Bag.Add([]byte("word1"))
		f.Bag.Add([]byte("shared"))
		times := 0
		for ; judge.Ahead(m, b, &f, "c02", 0) != ""; times++ {
			if ahead := judge.Ahead(m, b, &f, "c02", 0); times == 0 && ahead != "c01" || times > 50 {
				t.Fatalf("after %d times it corrects against %q", times, ahead)
			}
			b.Correct("c02", judge.Ahead(m, b, &f, "c02", 0), 1, &f)
			if !atOnce {
				if err := m.Apply(b.Delta()); err != nil {
					t.Fatal(err)
				}
				b.Reset()
			}
		}
		if times < 2 {
			t.Errorf("at once %v: it corrects %d times", atOnce, times)
		}
		if ahead := judge.Ahead(m, b, &f, "new", 0); ahead != "" {
			t.Errorf("a class without documents is corrected against %q", ahead)
		}
		f.Bag.Use(lexicon)
		f.Bag.Add([]byte("unknown"))
		if ahead := judge.Ahead(m, b, &f, "c02", 0); ahead != "" {
			t.Errorf("an unknown word corrects against %q", ahead)
		}
	}
}

// Of the documents of a large model a part is judged; the key 0 always is.
func TestFewAreJudged(t *testing.T) {
	m, lexicon := corrected(t, "text: {corrections: true}", 2)
	b := model.NewBuilder(m.Spec())
	b.AddDocuments("c00", race.AllScored)
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	var f model.Features
	f.Bag.Use(lexicon)
	f.Bag.Add([]byte("word0"))
	judge, judged := model.NewJudge(), 0
	for key := range 300 {
		if judge.Ahead(m, b, &f, "c01", digest.HashString(fmt.Sprint(key))) != "" {
			judged++
		}
	}
	if judged < 30 || judged > 70 || judge.Ahead(m, b, &f, "c01", 0) == "" {
		t.Errorf("%d of 300 documents are judged, want a sixth", judged)
	}
}

// A delta of corrections has the same form however its documents came.
func TestCorrectionsAreCanonical(t *testing.T) {
	s := modeltest.Spec(t, "text: {corrections: true}")
	rapid.Check(t, func(t *rapid.T) {
		type correction struct {
			right, ahead string
			word         string
		}
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		all := rapid.SliceOf(rapid.Custom(func(t *rapid.T) correction {
			return correction{name.Draw(t, "right"), name.Draw(t, "ahead"), rapid.SampledFrom([]string{"u", "v"}).Draw(t, "word")}
		})).Draw(t, "corrections")
		build := func(order []int) string {
			b := model.NewBuilder(s)
			for _, i := range order {
				var f model.Features
				f.Bag.Add([]byte(all[i].word))
				b.Correct(all[i].right, all[i].ahead, 1, &f)
			}
			d := b.Delta()
			if err := d.Validate(s); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%v %v %+v", d.Classes, d.Corrected, d.Corrections)
		}
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		if one, other := build(order), build(rapid.Permutation(order).Draw(t, "order")); one != other {
			t.Fatalf("%s\n%s", one, other)
		}
	})
}

// A class that is only corrected takes no number of a class with documents: there may be as many of
// these, and a number has 16 bits.
func TestCorrectedClassesTakeNoNumbers(t *testing.T) {
	s := modeltest.Spec(t, "text: {corrections: true}")
	m, b := model.New(s), model.NewBuilder(s)
	for class := range 1000 {
		b.AddCorrected(fmt.Sprintf("a%03d", class), 1)
	}
	var f model.Features
	f.Bag.Add([]byte("word"))
	b.Observe("b", 1, &f)
	if err := m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	if id, isKnown := m.Classes().ID("b"); id != 0 || !isKnown || m.Classes().Cap() != 1 {
		t.Errorf("the only class has the number %d of %d", id, m.Classes().Cap())
	}
}
