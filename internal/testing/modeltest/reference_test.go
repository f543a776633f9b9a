package modeltest_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// reference is one case of a file of testdata/vectors; its README says how they are made.
type reference struct {
	Name   string
	Params json.RawMessage
	Input  json.RawMessage
	Want   json.RawMessage
}

// decode reads the parts of a case; a nil destination is left out.
func (r *reference) decode(t *testing.T, params, input, want any) {
	t.Helper()
	parts := []struct {
		raw  json.RawMessage
		into any
	}{{r.Params, params}, {r.Input, input}, {r.Want, want}}
	for _, p := range parts {
		if p.into == nil {
			continue
		}
		if err := json.Unmarshal(p.raw, p.into); err != nil {
			t.Fatal(err)
		}
	}
}

// checks runs a case of each file.
var checks = map[string]func(*testing.T, *reference){
	"categorical":    checkCategorical,
	"discrete":       checkDiscrete,
	"discriminative": checkDiscriminative,
	"evaluation":     checkEvaluation,
	"gaussian":       checkGaussian,
	"lectures":       checkLecture,
	"moments":        checkMoments,
}

// TestReferenceCases compares every case of every file with what the packages compute, and logs how
// many there are.
func TestReferenceCases(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(modeltest.Root(), "testdata", "vectors", "*.json*"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, path := range paths {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		check, ok := checks[name]
		if !ok {
			t.Errorf("%s: no check for its cases", path)
			continue
		}
		ran := 0
		t.Run(name, func(t *testing.T) {
			for _, r := range readReferences(t, path) {
				t.Run(r.Name, func(t *testing.T) { check(t, &r) })
				ran++
			}
		})
		t.Logf("%s: %d cases", name, ran)
		total += ran
	}
	t.Logf("%d reference cases in %d files", total, len(paths))
	if total < 235 || len(paths) != len(checks) {
		t.Errorf("ran %d cases of %d files, want at least 235 of %d", total, len(paths), len(checks))
	}
}

// readReferences returns the cases of a file; an input that is a name becomes what it names.
func readReferences(t *testing.T, path string) []reference {
	t.Helper()
	var file struct {
		Inputs map[string]json.RawMessage
		Cases  []reference
	}
	if err := json.NewDecoder(modeltest.Open(t, path)).Decode(&file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i := range file.Cases {
		r := &file.Cases[i]
		var name string
		if json.Unmarshal(r.Input, &name) != nil {
			continue // the input itself
		}
		input, ok := file.Inputs[name]
		if !ok {
			t.Fatalf("%s: %s: there is no input %q", path, r.Name, name)
		}
		r.Input = input
	}
	return file.Cases
}

// near fails the test if a value is further from the wanted one than the tolerance times max(1,
// |want|).
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// nearAll does so for each of several values.
func nearAll(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", what, len(got), len(want))
	}
	for i := range want {
		near(t, what, got[i], want[i], tolerance)
	}
}

func learn(t *testing.T, m *model.Model, docs ...modeltest.Document) {
	t.Helper()
	modeltest.Learn(t, m, 1, docs...)
}
