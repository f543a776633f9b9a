package console

import (
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// The shape of a text votes where what decides scores it, and says so.
func TestShapeVotesWhereItIsScored(t *testing.T) {
	for _, votes := range []bool{false, true} {
		yaml := "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: multinomial, alpha: 0.1, shape: true}]}"
		if votes {
			yaml = "text: {shape: true}"
		}
		s := modeltest.Spec(t, yaml)
		m := model.New(s)
		f := &model.Features{}
		f.Bag.Add([]byte("word"))
		f.Bag.AddShape(4, 0)
		for _, label := range []string{"a", "b"} {
			b := model.NewBuilder(s)
			b.Observe(label, 1, f)
			if err := m.Apply(b.Delta()); err != nil {
				t.Fatal(err)
			}
		}
		var d model.Decision
		model.NewScorer().Decide(&d, m, f, "", model.Options{})
		values := valuesOf(m, f, &d)
		if len(values) != spec.ShapeTables {
			t.Fatalf("%s: %+v, want the sizes of a shape", yaml, values)
		}
		for i, want := range []string{"1", "4-5", "0"} {
			if v := values[i]; v.Value == nil || *v.Value != want || v.Votes != votes || (v.Weight != nil) != votes {
				t.Errorf("%s: %+v, want %s, which votes: %v", yaml, v, want, votes)
			}
		}
	}
}
