package console

import (
	"testing"

	"bayestream/internal/model"
	"bayestream/internal/spec"
)

// The length of a text votes where what decides scores it, and says so.
func TestLengthVotesWhereItIsScored(t *testing.T) {
	for _, votes := range []bool{false, true} {
		yaml := "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: multinomial, alpha: 0.1, length: true}]}"
		if votes {
			yaml = "text: {length: true}"
		}
		s, err := spec.Parse([]byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		m := model.New(s)
		f := &model.Features{}
		f.Bag.Add([]byte("word"))
		for _, label := range []string{"a", "b"} {
			b := model.NewBuilder(s)
			b.Observe(label, 1, f)
			if err := m.Apply(b.Delta()); err != nil {
				t.Fatal(err)
			}
		}
		var d model.Decision
		model.NewScorer().Decide(&d, m, f, "", model.Options{})
		values := valuesOf(m, &model.Input{}, f, &d)
		if len(values) != 1 || values[0].Value == nil || *values[0].Value != "1" || values[0].Votes != votes || (values[0].Weight != nil) != votes {
			t.Errorf("%s: %+v, want the length 1, which votes: %v", yaml, values, votes)
		}
	}
}
