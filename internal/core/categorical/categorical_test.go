package categorical_test

import (
	"fmt"
	"math"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/counts"
)

// fields are the tables of several categorical fields.
type fields struct {
	classes counts.Classes
	tables  []*counts.Table
	likes   []*categorical.Likelihood
}

func newFields(n int, alpha float64, given []string) *fields {
	f := &fields{}
	for range n {
		table := counts.NewTable(counts.Options{})
		f.tables = append(f.tables, table)
		f.likes = append(f.likes, categorical.New(alpha, given, table, &f.classes))
	}
	return f
}

func (f *fields) learn(label string, values ...string) {
	id := f.classes.Intern(label)
	for i, v := range values {
		if err := f.tables[i].Add(bow.Hash([]byte(v)), []byte(v), id, 1); err != nil {
			panic(err)
		}
	}
	if err := f.classes.Add(id, 1); err != nil {
		panic(err)
	}
}

// joint returns ln P(c) + sum ln P(value|c) by class number.
func (f *fields) joint(values ...string) []float64 {
	out, buf := make([]float64, f.classes.Cap()), make([]float64, f.classes.Cap())
	for _, c := range f.classes.Live() {
		out[c] = math.Log(float64(f.classes.Documents(c)) / float64(f.classes.Total()))
	}
	for i, v := range values {
		f.likes[i].Prepare()
		if !f.likes[i].Set(buf, []byte(v)) {
			continue
		}
		for _, c := range f.classes.Live() {
			out[c] += buf[c]
		}
	}
	return out
}

// PlayTennis (Mitchell 1997, table 3.2) with the maximum-likelihood estimate, alpha 0: shall we
// play on a sunny, cool, humid and windy day?
func ExampleLikelihood() {
	f := newFields(4, 0, nil)
	for _, r := range [][]string{
		{"no", "sunny", "hot", "high", "weak"}, {"no", "sunny", "hot", "high", "strong"}, {"yes", "overcast", "hot", "high", "weak"},
		{"yes", "rain", "mild", "high", "weak"}, {"yes", "rain", "cool", "normal", "weak"}, {"no", "rain", "cool", "normal", "strong"},
		{"yes", "overcast", "cool", "normal", "strong"}, {"no", "sunny", "mild", "high", "weak"}, {"yes", "sunny", "cool", "normal", "weak"},
		{"yes", "rain", "mild", "normal", "weak"}, {"yes", "sunny", "mild", "normal", "strong"}, {"yes", "overcast", "mild", "high", "strong"},
		{"yes", "overcast", "hot", "normal", "weak"}, {"no", "rain", "mild", "high", "strong"},
	} {
		f.learn(r[0], r[1:]...)
	}
	joint := f.joint("sunny", "cool", "high", "strong")
	for _, c := range f.classes.Live() {
		fmt.Printf("P(%s, x) = %.4f\n", f.classes.Name(c), math.Exp(joint[c]))
	}
	// Output:
	// P(no, x) = 0.0206
	// P(yes, x) = 0.0053
}

func TestValuesThatDoNotVote(t *testing.T) {
	f := newFields(1, 1, []string{"IT"})
	f.learn("a", "FR")
	f.learn("b", "DE")
	f.likes[0].Prepare()
	buf := make([]float64, f.classes.Cap())
	if f.likes[0].Set(buf, []byte("ES")) {
		t.Error("a value never seen and not given votes")
	}
	if !f.likes[0].Set(buf, []byte("IT")) {
		t.Error("a given value without count does not vote")
	}
	if want := math.Log(1.0 / 4); math.Abs(buf[0]-want) > 1e-15 { // K = 3: FR, DE and the given IT
		t.Errorf("given value: got %v, want %v", buf[0], want)
	}
}
