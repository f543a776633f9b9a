package modeltest

import "bayestream/internal/core/spec"

// Spec returns the spec of a YAML.
func Spec(t interface {
	Helper()
	Fatal(args ...any)
}, yaml string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
