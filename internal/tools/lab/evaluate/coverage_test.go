package evaluate_test

import (
	"math"
	"testing"

	"bayestream/internal/tools/lab/evaluate"
)

func requireNear(t *testing.T, what string, got evaluate.Number, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-9 {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// TestCoverage: a document is accepted if the others have at most the cost of no decision.
func TestCoverage(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{Unranked: true})
	for range 100 {
		add(t, s, evaluate.Outcome{Truth: "a", Label: "a", Classes: []string{"a", "b"}, LogPosterior: []float64{math.Log(0.97), math.Log(0.03)}})
		add(t, s, evaluate.Outcome{Truth: "a", Label: "b", Classes: []string{"a", "b"}, LogPosterior: []float64{math.Log(0.4), math.Log(0.6)}})
		add(t, s, evaluate.Outcome{Truth: "a", Label: "a", Classes: []string{"a", "b"}, LogPosterior: []float64{0, -20}})
		add(t, s, evaluate.Outcome{Truth: "a"})
	}
	if s.Coverage() == nil {
		t.Fatal("400 documents have no table")
	}
	want := map[float64][2]float64{0.5: {0.75, 2. / 3}, 0.3: {0.5, 1}, 0.05: {0.5, 1}, 0.02: {0.25, 1}, 0.001: {0.25, 1}}
	for _, c := range s.Coverage() {
		if w, ok := want[c.Reject]; ok && (math.Abs(float64(c.Share)-w[0]) > 1e-12 || math.Abs(float64(c.Accuracy)-w[1]) > 1e-12) {
			t.Errorf("at %v: accepted %v, accuracy %v; want %v", c.Reject, c.Share, c.Accuracy, w)
		}
		delete(want, c.Reject)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
}

func TestFewDocumentsHaveNoCoverage(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{Unranked: true})
	for range 199 {
		add(t, s, evaluate.Outcome{Truth: "a"})
	}
	if got := s.Coverage(); got != nil {
		t.Errorf("199 documents: got %+v", got)
	}
}
