package model_test

import (
	"errors"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// TestAdmission admits labels beside a model of two classes, a and b, that may have three.
func TestAdmission(t *testing.T) {
	s := spec.Default()
	s.Limits.Classes = 3
	a := model.NewAdmission(s)
	admits := func(label string, known, want bool) {
		t.Helper()
		err := a.Admit(label, known, 2)
		var many *model.TooManyClassesError
		if (err == nil) != want || err != nil && (!errors.As(err, &many) || many.Label != label || many.Limit != 3) {
			t.Errorf("Admit(%q): %v, want admitted: %v", label, err, want)
		}
	}
	admits("c", false, true)
	admits("d", false, true) // nothing was added yet
	a.Add("c")
	a.Add("c")
	admits("c", false, true)
	admits("a", true, true)
	admits("d", false, false)
	a.Reset()
	admits("d", false, true)
}
