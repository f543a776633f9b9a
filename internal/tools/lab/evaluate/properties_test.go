package evaluate_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"bayestream/internal/tools/lab/evaluate"

	"pgregory.net/rapid"
)

// outcomes draws outcomes of models of growing numbers of classes, coarse enough for many ties.
func outcomes(names []string) *rapid.Generator[[]evaluate.Outcome] {
	one := rapid.Custom(func(t *rapid.T) evaluate.Outcome {
		o := evaluate.Outcome{Truth: rapid.SampledFrom(names).Draw(t, "truth")}
		known := rapid.IntRange(0, len(names)).Draw(t, "classes")
		weights, sum := make([]float64, known), 0.0
		for i := range weights {
			weights[i] = float64(rapid.IntRange(0, 4).Draw(t, "weight"))
			sum += weights[i]
		}
		if sum == 0 {
			return o // the model has no class yet
		}
		o.Label = rapid.SampledFrom(names[:known]).Draw(t, "label")
		for i, w := range weights {
			o.Classes, o.LogPosterior = append(o.Classes, names[i]), append(o.LogPosterior, math.Log(w/sum))
		}
		return o
	})
	return rapid.SliceOfN(one, 1, 40)
}

var fourNames = []string{"politics", "science", "sports", "weather"}

func reportOf(t *rapid.T, s *evaluate.Scores) string {
	r, err := s.Report(evaluate.ReportOptions{Positive: s.Classes()[0], Curves: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func scoresOf(t *rapid.T, list []evaluate.Outcome) *evaluate.Scores {
	s := evaluate.NewScores(evaluate.Options{})
	for i := range list {
		if err := s.Add(&list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := outcomes(fourNames).Draw(t, "outcomes")
		want := reportOf(t, scoresOf(t, list))
		if got := reportOf(t, scoresOf(t, rapid.Permutation(list).Draw(t, "order"))); got != want {
			t.Fatalf("in another order:\n%s\nwant\n%s", got, want)
		}
	})
}

// TestAreaIsMannWhitney counts the pairs one by one.
func TestAreaIsMannWhitney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := outcomes(fourNames).Draw(t, "outcomes")
		s := scoresOf(t, list)
		report, err := s.Report(evaluate.ReportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var rest, pairs []float64
		for _, c := range s.Classes() {
			a := mannWhitney(list, c, func(o *evaluate.Outcome) bool { return o.Truth != c })
			if roc := s.ROC(c); roc.AUC != a && !(math.IsNaN(a) && math.IsNaN(roc.AUC)) {
				t.Fatalf("%s against the rest: got %v, counted %v", c, roc.AUC, a)
			}
			if !math.IsNaN(a) {
				rest = append(rest, a)
			}
			for _, d := range s.Classes() {
				a := mannWhitney(list, c, func(o *evaluate.Outcome) bool { return o.Truth == d })
				if c != d && !math.IsNaN(a) {
					pairs = append(pairs, a)
				}
			}
		}
		alike(t, "one against the rest", float64(report.OneVersusRest), mean(rest))
		alike(t, "one against one", float64(report.OneVersusOne), mean(pairs))
	})
}

// mannWhitney is the share of pairs of a document of the class and another one in which the first
// has more of the class's posterior; a tie counts half.
func mannWhitney(list []evaluate.Outcome, class string, other func(*evaluate.Outcome) bool) float64 {
	wins, pairs := 0.0, 0.0
	for i := range list {
		if list[i].Truth != class {
			continue
		}
		for j := range list {
			if !other(&list[j]) {
				continue
			}
			a, b := rank(&list[i], class), rank(&list[j], class)
			pairs++
			switch {
			case math.Abs(a-b) < 1e-9:
				wins += 0.5
			case a > b:
				wins++
			}
		}
	}
	return wins / pairs
}

// rank is the posterior, and even where the model knew no two classes.
func rank(o *evaluate.Outcome, class string) float64 {
	if len(o.Classes) < 2 {
		return .5
	}
	return posterior(o, class)
}

func posterior(o *evaluate.Outcome, class string) float64 {
	if i := slices.Index(o.Classes, class); i >= 0 {
		return math.Exp(o.LogPosterior[i])
	}
	return 0
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func alike(t *rapid.T, what string, got, want float64) {
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// TestScoresByDefinition computes each mean again, document by document.
func TestScoresByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := outcomes(fourNames[:rapid.IntRange(1, 4).Draw(t, "names")]).Draw(t, "outcomes")
		s := scoresOf(t, list)
		loss, brier, right := 0.0, 0.0, 0.0
		for i := range list {
			o := &list[i]
			loss -= math.Log(max(posterior(o, o.Truth), 1e-15))
			for _, c := range s.Classes() {
				p := posterior(o, c)
				if c == o.Truth {
					p--
				}
				brier += p * p
			}
			if o.Label == o.Truth {
				right++
			}
		}
		n := float64(len(list))
		if len(s.Classes()) == 2 {
			brier /= 2
		}
		alike(t, "log loss", s.LogLoss(), loss/n)
		alike(t, "Brier score", s.Brier(), brier/n)
		alike(t, "accuracy", s.Confusion().Accuracy(), right/n)
		alike(t, "calibration error", s.ECE(), calibrationError(s.Reliability(), n))
	})
}

func calibrationError(bins []evaluate.Bin, n float64) float64 {
	sum := 0.0
	for _, b := range bins {
		if b.N > 0 {
			sum += float64(b.N) / n * math.Abs(float64(b.Accuracy-b.Confidence))
		}
	}
	return sum
}

// TestROCIsMonotone also checks that the corners draw the same curve.
func TestROCIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scoresOf(t, outcomes(fourNames[:2]).Draw(t, "outcomes"))
		roc := s.ROC(s.Classes()[0])
		if math.IsNaN(roc.AUC) {
			return
		}
		for i := 1; i < len(roc.Points); i++ {
			a, b := roc.Points[i-1], roc.Points[i]
			if b.FPR < a.FPR || b.TPR < a.TPR || b.Threshold > a.Threshold || b.Threshold == a.Threshold && i > 1 {
				t.Fatalf("point %v after %v", b, a)
			}
		}
		area, last := 0.0, roc.Points[0]
		for _, p := range roc.Corners() {
			area += float64(p.FPR-last.FPR) * float64(p.TPR+last.TPR) / 2
			last = p
		}
		alike(t, "area under the corners", area, roc.AUC)
	})
}
