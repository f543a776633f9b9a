package worker

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"bayestream/internal/shell/httpapi"
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
