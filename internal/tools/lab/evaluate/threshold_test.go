package evaluate_test

import (
	"math"
	"testing"

	"bayestream/internal/tools/lab/evaluate"

	"pgregory.net/rapid"
)

// decidedWith returns an outcome of two classes that is labelled a with that risk.
func decidedWith(risk float64, truth string) evaluate.Outcome {
	return evaluate.Outcome{Truth: truth, Label: "a", Classes: []string{"a", "b"}, LogPosterior: []float64{math.Log1p(-risk), math.Log(risk)}}
}

// TestThreshold compares the threshold with a search through all of them: the labels that it
// accepts are wrong no more often than wanted, and no other threshold accepts more.
func TestThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := evaluate.NewScores(evaluate.Options{Unranked: true, Risks: true})
		var risks []float64
		var right []bool
		for range rapid.IntRange(1, 30).Draw(t, "documents") {
			risk := float64(rapid.IntRange(1, 49).Draw(t, "risk")) / 100
			truth := rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(t, "truth")
			o := decidedWith(risk, truth)
			if err := s.Add(&o); err != nil {
				t.Fatal(err)
			}
			risks = append(risks, math.Exp(math.Log(risk)))
			right = append(right, truth == "a")
		}
		none := evaluate.Outcome{Truth: "a"} // the model knew no class
		if err := s.Add(&none); err != nil {
			t.Fatal(err)
		}
		wanted := rapid.SampledFrom([]float64{0.01, 0.1, 0.25, 0.5}).Draw(t, "wanted")
		got := s.Threshold(wanted)
		accept := func(reject float64) (n, wrong int64) {
			for i, risk := range risks {
				if risk <= reject {
					n++
					if !right[i] {
						wrong++
					}
				}
			}
			return n, wrong
		}
		most := int64(0)
		for _, reject := range risks {
			if n, wrong := accept(reject); float64(wrong) <= wanted*float64(n) {
				most = max(most, n)
			}
		}
		if got.N != most || got.Rejected != int64(len(risks))+1-most {
			t.Fatalf("%d are accepted and %d not, want %d and the others", got.N, got.Rejected, most)
		}
		if n, wrong := accept(float64(got.Reject)); most > 0 && (n != got.N || wrong != got.Errors) {
			t.Fatalf("reject %v accepts %d with %d errors, it says %d with %d", got.Reject, n, wrong, got.N, got.Errors)
		}
	})
}

// TestThresholdOfNothing: where the surest label is wrong no threshold leads to the error, and
// without risks none is known.
func TestThresholdOfNothing(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{Unranked: true, Risks: true})
	add(t, s, decidedWith(0.01, "b"))
	if got := s.Threshold(0.1); got.N != 0 || got.Rejected != 1 || !math.IsNaN(float64(got.Reject)) {
		t.Errorf("%+v", got)
	}
	if got := evaluate.NewScores(evaluate.Options{}).Threshold(0.1); got != nil {
		t.Errorf("without risks: %+v", got)
	}
}

// TestCosts compares the costs with those of decisions that are made one by one.
func TestCosts(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	var risks []float64
	var truths []string
	for i := range 300 {
		risk := float64(i*7919%997+1) / 1000
		truth := "a"
		if i%10 < int(10*risk) {
			truth = "b"
		}
		o := decidedWith(risk, truth)
		if risk > 0.5 {
			o.Label = "b"
		}
		add(t, s, o)
		risks, truths = append(risks, risk), append(truths, truth)
	}
	for range 3 { // before the model knew another class
		add(t, s, evaluate.Outcome{Truth: "b", Label: "b", Classes: []string{"b"}, LogPosterior: []float64{0}})
		risks, truths = append(risks, 1), append(truths, "b")
	}
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Binary.Costs) == 0 {
		t.Fatal("no costs")
	}
	for _, c := range r.Binary.Costs {
		cost := func(threshold float64) (fp, fn int64) {
			for i, p := range risks {
				switch {
				case p > threshold && truths[i] == "a":
					fp++
				case p <= threshold && truths[i] == "b":
					fn++
				}
			}
			return fp, fn
		}
		fp, fn := cost(c.Cost / (1 + c.Cost))
		if c.FP != fp || c.FN != fn {
			t.Errorf("cost %v: FP %d, FN %d, want %d, %d", c.Cost, c.FP, c.FN, fp, fn)
		}
		best := math.Inf(1)
		for _, threshold := range append([]float64{0}, risks...) {
			fp, fn := cost(threshold)
			best = min(best, (c.Cost*float64(fp)+float64(fn))/303)
		}
		requireNear(t, "best", c.Best, best)
		if c.Best > c.PerDocument || c.Best > c.Trivial {
			t.Errorf("cost %v: best %v, this %v, trivial %v", c.Cost, c.Best, c.PerDocument, c.Trivial)
		}
	}
}
