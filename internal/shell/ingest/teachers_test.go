package ingest

import (
	"fmt"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/testing/modeltest"
)

// TestTeachersWeightChanges: what is taken out is what was counted, whatever the spec says by then
// that a name may teach.
func TestTeachersWeightChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bound := func(weight int) string { return fmt.Sprintf("teachers: {llm: {weight: %d}}\n", weight) }
		l := startLoop(t, func(c *config.Ingest) { c.Spec = specFile(t, bound(5)) })
		defer l.end()
		l.learn()
		for _, step := range []struct {
			weight int // of the name from now on; 0: as before
			record string
			want   int64 // documents
		}{
			{0, `{"id":"a","text":"one two","label":"x","by":"llm","weight":9}`, 5},
			{2, `{"id":"b","text":"two three","label":"x","by":"llm","weight":9}`, 7},
			{0, `{"id":"a","label":"y","by":"llm"}`, 4},
			{7, `{"id":"b","text":"two three","label":"x","by":"llm","weight":9}`, 9},
			{1, `{"id":"b","label":"y"}`, 9},
			{0, `{"id":"b","label":null}`, 2},
			{0, `{"id":"a","label":null}`, 0},
		} {
			if step.weight > 0 {
				s := modeltest.Spec(t, bound(step.weight))
				if _, err := l.propose(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			l.train(step.record)
			l.settle()
			l.replica.Read(func(s *fold.State) {
				if n := s.Model().Classes().Total(); n != step.want {
					t.Errorf("%d documents behind %s, want %d", n, step.record, step.want)
				}
			})
		}
	})
}
