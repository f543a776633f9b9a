package categorical_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/categorical"
	"bayestream/internal/counts"
	"bayestream/internal/testing/modeltest"
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
		f.tables = append(f.tables, counts.NewTable(counts.Options{}))
		f.likes = append(f.likes, categorical.New(alpha, given))
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
		f.likes[i].Prepare(f.tables[i], &f.classes)
		if !f.likes[i].Set(buf, f.tables[i], &f.classes, []byte(v)) {
			continue
		}
		for _, c := range f.classes.Live() {
			out[c] += buf[c]
		}
	}
	return out
}

// PlayTennis (Mitchell 1997, table 3.2) with the maximum-likelihood estimate, alpha 0: shall we play on a
// sunny, cool, humid and windy day?
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
	f.likes[0].Prepare(f.tables[0], &f.classes)
	buf := make([]float64, f.classes.Cap())
	if f.likes[0].Set(buf, f.tables[0], &f.classes, []byte("ES")) {
		t.Error("a value never seen and not given votes")
	}
	if !f.likes[0].Set(buf, f.tables[0], &f.classes, []byte("IT")) {
		t.Error("a given value without count does not vote")
	}
	if want := math.Log(1.0 / 4); math.Abs(buf[0]-want) > 1e-15 { // K = 3: FR, DE and the given IT
		t.Errorf("given value: got %v, want %v", buf[0], want)
	}
}

// TestDigits compares with scikit-learn on the pixels of its 8x8 digits.
func TestDigits(t *testing.T) {
	type input struct {
		Train [][]int
		Y     []int
		T     [][]int
	}
	var file struct {
		Cases []struct {
			Name   string
			Params struct {
				Alpha  float64
				Values int `json:"categories_per_feature"`
			}
			Input map[string]json.RawMessage
			Want  struct {
				LogPosterior [][]float64 `json:"log_posterior"`
			}
		}
	}
	modeltest.Vectors(t, "categorical.json", &file)
	var in input
	for name, into := range map[string]any{"train": &in.Train, "y": &in.Y, "T": &in.T} {
		if err := json.Unmarshal(file.Cases[0].Input[name], into); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var values []string
			for v := range c.Params.Values {
				values = append(values, strconv.Itoa(v))
			}
			f := newFields(len(in.Train[0]), c.Params.Alpha, values)
			for i, x := range in.Train {
				f.learn(strconv.Itoa(in.Y[i]), text(x)...)
			}
			for i, x := range in.T {
				checkPosterior(t, f, f.joint(text(x)...), c.Want.LogPosterior[i])
			}
		})
	}
}

func text(x []int) []string {
	var out []string
	for _, v := range x {
		out = append(out, strconv.Itoa(v))
	}
	return out
}

func checkPosterior(t *testing.T, f *fields, joint, want []float64) {
	t.Helper()
	top, sum := slices.Max(joint), 0.0
	for _, v := range joint {
		sum += math.Exp(v - top)
	}
	for i, c := range f.classes.Live() {
		if got := joint[c] - top - math.Log(sum); math.Abs(got-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
			t.Fatalf("class %s: got %v, want %v", f.classes.Name(c), got, want[i])
		}
	}
}
