package bernoulli_test

import (
	"fmt"
	"math"
	"testing"

	"bayestream/internal/bernoulli"
	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

func learn(classes *counts.Classes, t *counts.Table, label string, terms ...string) {
	id := classes.Intern(label)
	for _, w := range terms {
		if err := t.Add(bow.Hash([]byte(w)), []byte(w), id, 1); err != nil {
			panic(err)
		}
	}
	if err := classes.Add(id, 1); err != nil {
		panic(err)
	}
}

// The example of lecture 1: is a text with romney, obama and clinton, and without football, about
// the election? P(romney=1|E) = .8, P(obama=1|E) = .9, ... as counts of 20 documents a class.
func ExampleScorer() {
	present := map[string]map[string]int{
		"election": {"romney": 16, "obama": 18, "clinton": 18, "football": 2},
		"sports":   {"romney": 2, "obama": 1, "clinton": 1, "football": 14},
	}
	var classes counts.Classes
	t := counts.NewTable(counts.Options{CountOfCounts: true})
	for label, words := range present {
		for i := range 20 {
			var terms []string
			for w, n := range words {
				if i < n {
					terms = append(terms, w)
				}
			}
			learn(&classes, t, label, terms...)
		}
	}
	var doc bow.Bag
	for _, w := range []string{"romney", "obama", "clinton"} {
		doc.Add([]byte(w))
	}
	l := bernoulli.New(1e-12, t, &classes) // next to the maximum-likelihood estimate
	l.Prepare()
	joint := make([]float64, classes.Cap())
	bernoulli.NewScorer(l).Add(joint, &doc)
	for _, c := range classes.Live() {
		fmt.Printf("P(%s, x) = %.7f\n", classes.Name(c), 0.5*math.Exp(joint[c]))
	}
	// Output:
	// P(election, x) = 0.2916000
	// P(sports, x) = 0.0000375
}

// The sum by count of counts equals the sum over every term of the vocabulary.
func TestAbsentTermsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var classes counts.Classes
		table := counts.NewTable(counts.Options{CountOfCounts: true})
		alpha := rapid.SampledFrom([]float64{0.01, 1, 10}).Draw(t, "alpha")
		for range rapid.IntRange(1, 15).Draw(t, "documents") {
			terms := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-j]`), 0, 8, rapid.ID[string]).Draw(t, "terms")
			learn(&classes, table, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "label"), terms...)
		}
		var doc bow.Bag
		has := map[string]bool{}
		for _, w := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-m]`), 0, 8, rapid.ID[string]).Draw(t, "document") {
			doc.Add([]byte(w))
			has[w] = true
		}
		l := bernoulli.New(alpha, table, &classes)
		l.Prepare()
		got := make([]float64, classes.Cap())
		bernoulli.NewScorer(l).Add(got, &doc)
		for _, c := range classes.Live() {
			want := 0.0
			for term, cells := range table.Sorted {
				n := 0.0
				for _, cell := range cells {
					if cell.Class() == c {
						n = float64(cell.Count())
					}
				}
				p := (n + alpha) / (float64(classes.Documents(c)) + 2*alpha)
				if has[string(term)] {
					want += math.Log(p)
				} else {
					want += math.Log1p(-p)
				}
			}
			if math.Abs(got[c]-want) > 1e-9*max(1, math.Abs(want)) {
				t.Fatalf("class %s: got %v, want %v", classes.Name(c), got[c], want)
			}
		}
	})
}
