package modeltest

import "bayestream/internal/core/spec"

// A tester is a *testing.T, or one like it.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// Spec returns the spec of a YAML.
func Spec(t tester, yaml string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
