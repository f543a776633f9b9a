package worker

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/testing/kafkatest"
)

// TestTroubleEndsWithGeneration: what was wrong with a partition is no longer this worker's trouble
// when the group has given it to another; what is wrong with the worker itself stays.
func TestTroubleEndsWithGeneration(t *testing.T) {
	w := &Worker{Metrics: httpapi.NewMetrics("classify"), trouble: map[string]string{}}
	w.ReportPartition(3, errors.New("the leader is away"))
	w.report("model file", errors.New("the disk is full"))
	if got := slices.Sorted(maps.Keys(w.trouble)); !slices.Equal(got, []string{"model file", "partition 3"}) {
		t.Fatalf("trouble with %q", got)
	}
	w.generation([]int{1})
	if got := slices.Sorted(maps.Keys(w.trouble)); !slices.Equal(got, []string{"model file"}) {
		t.Errorf("after a new generation there is trouble with %q, want the model file alone", got)
	}
}

// TestWaitingForDocumentsIsNoStart: a worker whose model lacks documents says so first, not that it
// is still starting. Without a spec it is.
func TestWaitingForDocumentsIsNoStart(t *testing.T) {
	for hasSpec, want := range map[bool]string{true: "model", false: "start"} {
		w, _ := newIdle(t, config.Worker{})
		w.Client = kafkatest.Dial(t)
		if _, err := w.Client.Topic(t.Context(), kafkatest.Topic(t, 1, nil)); err != nil { // a broker answers
			t.Fatal(err)
		}
		if !hasSpec {
			w.Replica.Swap(fold.New(false))
		}
		w.ReportModel(errors.New("fewer than 1 documents are learned"))
		checks := slices.DeleteFunc(w.ready().Checks, func(c httpapi.Check) bool { return c.OK || c.Name == "fold" })
		if len(checks) == 0 || checks[0].Name != want {
			t.Errorf("with a spec %v the first check that does not hold is of %+v, want %s", hasSpec, checks, want)
		}
	}
}
