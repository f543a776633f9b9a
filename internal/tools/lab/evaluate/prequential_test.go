package evaluate_test

import (
	"math"
	"testing"

	"bayestream/internal/tools/lab/evaluate"

	"pgregory.net/rapid"
)

func tracked(t *rapid.T, got evaluate.Point, list []evaluate.Outcome) {
	s := scoresOf(t, list)
	c := s.Confusion()
	if got.N != int64(len(list)) {
		t.Fatalf("got %d documents, want %d", got.N, len(list))
	}
	alike(t, "accuracy", float64(got.Accuracy), c.Accuracy())
	alike(t, "log loss", float64(got.LogLoss), s.LogLoss())
	alike(t, "kappa", float64(got.Kappa), c.Kappa())
}

// TestTrackerEqualsScores: at every document, of the stream and of the window.
func TestTrackerEqualsScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(1, 12).Draw(t, "window")
		list := outcomes(fourNames).Draw(t, "outcomes")
		tracker := evaluate.NewTracker(window)
		for i := range list {
			if err := tracker.Add(&list[i]); err != nil {
				t.Fatal(err)
			}
			p := tracker.Progress()
			tracked(t, p.Point, list[:i+1])
			tracked(t, p.Window, list[max(0, i+1-window):i+1])
		}
	})
}

func TestTrackerTrace(t *testing.T) {
	tracker := evaluate.NewTracker(10)
	if len(tracker.Trace()) != 0 {
		t.Error("a stream without documents has a trace")
	}
	o := scored("spam", 0.9)
	for n := int64(1); n <= 2000; n++ {
		if err := tracker.Add(&o); err != nil {
			t.Fatal(err)
		}
		trace := tracker.Trace()
		if len(trace) > 513 || trace[len(trace)-1].N != n || int64(len(trace)) < min(n, 256) {
			t.Fatalf("after %d documents: %d points, the last at %d", n, len(trace), trace[len(trace)-1].N)
		}
		for i := 1; i < len(trace)-1; i++ {
			if trace[i].N-trace[i-1].N != trace[0].N {
				t.Fatalf("after %d documents: the points are not evenly spaced: %v", n, trace)
			}
		}
	}
	if w := tracker.Progress().Window; w.N != 10 || w.Accuracy != 1 || math.Abs(float64(w.LogLoss)+math.Log(0.9)) > 1e-15 {
		t.Errorf("window: got %+v", w)
	}
	if err := tracker.Add(&evaluate.Outcome{}); err == nil || tracker.Progress().N != 2000 {
		t.Error("an outcome without truth was scored")
	}
}
