package model_test

import (
	"fmt"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// A model is prepared after every delta: a loss that the spec names must not cost a look at each
// pair of classes then. Only the classes that it names have a column of losses.
func TestLossesTakeNoPairs(t *testing.T) {
	const classes = 1000
	prepare := func(decision string) (allocations float64) {
		s := modeltest.Spec(t, fmt.Sprintf("limits: {classes: %d}\n%s", classes, decision))
		m, b := model.New(s), model.NewBuilder(s)
		for i := range classes {
			b.Observe(fmt.Sprint("class ", i), 1, &model.Features{})
		}
		if err := m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(5, m.Prepare)
	}
	without, with := prepare(""), prepare(`decision: {loss: {"class 0": {"class 1": 3}, "class 5": {"class 7": 2}}}`)
	if with > without+2 {
		t.Errorf("%d classes are prepared in %v allocations, and in %v with two losses", classes, without, with)
	}
}
