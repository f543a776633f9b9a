package tune

import (
	"slices"

	"bayestream/internal/core/spec"
	"bayestream/internal/tools/lab/evaluate"

	"go.yaml.in/yaml/v3"
)

// The field of a temper, which has a value of its own in a grid: auto is the temper with the least
// log loss on the documents that points are compared on. Finding it costs one more evaluation, not
// one for each temper.
const (
	temperPath = "text.temper"
	auto       = "auto"
	none       = "null"
)

// withoutTemper returns a point without the temper that is to be found, and whether one is.
func withoutTemper(point []Setting) (plain []Setting, fit bool) {
	plain = slices.Clone(point)
	i := slices.Index(plain, Setting{temperPath, auto})
	if i < 0 {
		return plain, false
	}
	plain[i].Value = none
	return plain, true
}

// best returns the best temper of a report, nil if it is to have none.
func best(found *evaluate.TemperReport) *spec.Temper {
	if found == nil || found.Best == found.None {
		return nil
	}
	t := found.Best.Temper()
	return &t
}

// setTemper sets the temper of a point that was to be found; nil is none.
func (r *Result) setTemper(t *spec.Temper) {
	s := *r.spec
	text := *s.Text
	text.Temper = t
	s.Text = &text
	r.spec = &s
	r.fit = false
	value := none
	if t != nil {
		value = t.String()
	}
	r.Point = slices.Clone(r.Point)
	r.Point[slices.Index(r.Point, Setting{temperPath, auto})].Value = value
}

// takeTemper sets the temper of a point to what the same point has in a log. It returns false if
// the log has none.
func (r *Result) takeTemper(logged []Setting) bool {
	i := slices.IndexFunc(logged, func(s Setting) bool { return s.Path == temperPath })
	if i < 0 {
		return false
	}
	var t *spec.Temper
	if err := yaml.Unmarshal([]byte(logged[i].Value), &t); err != nil {
		return false
	}
	r.setTemper(t)
	return true
}
