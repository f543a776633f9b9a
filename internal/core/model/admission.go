package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
)

// TooManyClassesError says that a delta, or with a Label one document, would bring more classes
// than the spec allows.
type TooManyClassesError struct {
	Label string
	Limit int
}

func (e *TooManyClassesError) Error() string {
	if e.Label != "" {
		return fmt.Sprintf("label %q would be one class more than the %d of limits.classes", e.Label, e.Limit)
	}
	return fmt.Sprintf("there would be more than %d classes: check where the labels come from, or raise limits.classes",
		e.Limit)
}

// Admission keeps the classes of a model and those that a delta will add to it within
// limits.classes.
type Admission struct {
	limit int
	added map[string]bool // classes that the delta has and the model had not
}

// NewAdmission returns an admission for models of the spec.
func NewAdmission(s *spec.Spec) *Admission {
	return &Admission{limit: s.Limits.Classes, added: map[string]bool{}}
}

// Admit reports whether the delta may count documents of label. The model has the given number of
// classes; known says that label is one of them. The error is a *TooManyClassesError.
func (a *Admission) Admit(label string, known bool, classes int) error {
	if known || a.added[label] || classes+len(a.added) < a.limit {
		return nil
	}
	return &TooManyClassesError{Label: label, Limit: a.limit}
}

// Add records that the delta counts a document of label, which was admitted as not known.
func (a *Admission) Add(label string) {
	if !a.added[label] {
		a.added[strings.Clone(label)] = true
	}
}

// Added returns the classes that Add has recorded, by name.
func (a *Admission) Added() []string { return slices.Sorted(maps.Keys(a.added)) }

// Reset begins another delta.
func (a *Admission) Reset() { clear(a.added) }
