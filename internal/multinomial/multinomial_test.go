package multinomial_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/multinomial"
)

// laplace is the multinomial of the textbook.
var laplace = multinomial.Form{Kind: multinomial.Multinomial, Alpha: 1}

func learn(classes *counts.Classes, t *counts.Table, label, text string) {
	id := classes.Intern(label)
	for w := range strings.FieldsSeq(text) {
		if err := t.Add(bow.Hash([]byte(w)), []byte(w), id, 1); err != nil {
			panic(err)
		}
	}
	if err := classes.Add(id, 1); err != nil {
		panic(err)
	}
}

// Example 13.1 of Manning, Raghavan and Schütze: is "Chinese Chinese Chinese Tokyo Japan" about
// China?
func ExampleScorer() {
	var classes counts.Classes
	t := counts.NewTable(counts.Options{})
	learn(&classes, t, "china", "Chinese Beijing Chinese")
	learn(&classes, t, "china", "Chinese Chinese Shanghai")
	learn(&classes, t, "china", "Chinese Macao")
	learn(&classes, t, "other", "Tokyo Japan Chinese")

	var doc bow.Bag
	for w := range strings.FieldsSeq("Chinese Chinese Chinese Tokyo Japan") {
		doc.Add([]byte(w))
	}
	l := multinomial.New(laplace, t, &classes, nil)
	l.Prepare()
	joint := make([]float64, classes.Cap())
	multinomial.NewScorer(l).Add(joint, &doc)
	for _, c := range classes.Live() {
		joint[c] += math.Log(float64(classes.Documents(c)) / float64(classes.Total()))
		fmt.Printf("P(%s, d) = %.4f\n", classes.Name(c), math.Exp(joint[c]))
	}
	// Output:
	// P(china, d) = 0.0003
	// P(other, d) = 0.0001
}

// A product of 10,000 small factors underflows; the sum of their logarithms does not.
func TestManyFactorsDoNotUnderflow(t *testing.T) {
	var classes counts.Classes
	table := counts.NewTable(counts.Options{})
	learn(&classes, table, "a", "x y z")
	learn(&classes, table, "b", "x x x")
	var doc bow.Bag
	doc.AddN([]byte("y"), 10_000)
	l := multinomial.New(laplace, table, &classes, nil)
	l.Prepare()
	joint := make([]float64, classes.Cap())
	if known := multinomial.NewScorer(l).Add(joint, &doc); known != 10_000 {
		t.Fatalf("got %d known tokens, want 10,000", known)
	}
	if p := math.Pow(1.0/6, 10_000); p != 0 {
		t.Fatalf("the product is %v: the test needs one that underflows", p)
	}
	want := 10_000 * math.Log(2)
	a, _ := classes.ID("a")
	b, _ := classes.ID("b")
	if got := joint[a] - joint[b]; math.Abs(got-want) > 1e-9*want {
		t.Fatalf("log ratio: got %v, want %v", got, want)
	}
}

func TestNothingKnownSaysNothing(t *testing.T) {
	var classes counts.Classes
	table := counts.NewTable(counts.Options{})
	learn(&classes, table, "a", "")
	var doc bow.Bag
	doc.Add([]byte("unseen"))
	l := multinomial.New(laplace, table, &classes, nil)
	l.Prepare()
	joint := make([]float64, classes.Cap())
	if known := multinomial.NewScorer(l).Add(joint, &doc); known != 0 || joint[0] != 0 {
		t.Fatalf("with an empty vocabulary: got %d known tokens and a score of %v, want 0 and 0", known, joint[0])
	}
}
