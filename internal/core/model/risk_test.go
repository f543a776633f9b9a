package model_test

import (
	"fmt"
	"testing"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// A model is prepared after every delta: a loss that the spec names must not cost a look at each
// pair of classes then.
func TestLossesTakeNoPairs(t *testing.T) {
	const classes = 5000
	prepare := func(decision string) time.Duration {
		s := modeltest.Spec(t, fmt.Sprintf("limits: {classes: %d}\n%s", classes, decision))
		m, b := model.New(s), model.NewBuilder(s)
		for i := range classes {
			b.Observe(fmt.Sprint("class ", i), 1, &model.Features{})
		}
		if err := m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		best := time.Hour
		for range 5 {
			begun := time.Now()
			m.Prepare()
			best = min(best, time.Since(begun))
		}
		return best
	}
	without, with := prepare(""), prepare(`decision: {loss: {"class 0": {"class 1": 3}, "class 5": {"class 7": 2}}}`)
	if with > 100*without {
		t.Errorf("%d classes are prepared in %v, and in %v with two losses", classes, without, with)
	}
}
