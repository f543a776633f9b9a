package wire_test

import (
	"encoding/json"
	"math"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"

	"pgregory.net/rapid"
)

// TestPriorsOfAnEncoder: classes with equal priors share their digits only while they are equal,
// whichever decisions come one after the other.
func TestPriorsOfAnEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e wire.DecisionEncoder
		for range rapid.IntRange(1, 6).Draw(t, "decisions") {
			d := &model.Decision{ModelInfo: model.ModelInfo{Documents: rapid.Int64Range(1, 2).Draw(t, "documents")}}
			for _, name := range []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(3, 5).Draw(t, "classes")] {
				prior := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), -0.1, -2.5e-9, -20}).Draw(t, name)
				d.Classes = append(d.Classes, model.ClassScore{Name: name, LogPrior: prior})
			}
			var got struct{ Prior map[string]float64 }
			out := e.Append(nil, "id", wire.Source{}, d)
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, c := range d.Classes {
				if p, ok := got.Prior[c.Name]; !ok || p != c.LogPrior {
					t.Fatalf("the prior of %s is %v, want %v: %s", c.Name, p, c.LogPrior, out)
				}
			}
		}
	})
}
