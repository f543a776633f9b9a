// Package modeltest holds what tests of models share: the laws that every event model must keep, and
// the way to reference values and real data sets that lie outside the repository.
package modeltest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Data returns the path of a real data set: in $BAYESTREAM_DATA, else in ../shared/data beside the
// checkout. The test is skipped where there is none.
func Data(tb testing.TB, name string) string { return outside(tb, "BAYESTREAM_DATA", "data", name) }

// Vectors decodes a file of reference values: in $BAYESTREAM_VECTORS, else in ../shared/vectors
// beside the checkout. The test is skipped where there is none.
func Vectors(tb testing.TB, name string, into any) {
	tb.Helper()
	path := outside(tb, "BAYESTREAM_VECTORS", "vectors", name)
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

func outside(tb testing.TB, env, folder, name string) string {
	tb.Helper()
	dir := os.Getenv(env)
	if dir == "" {
		dir = filepath.Join(Root(), "..", "shared", folder)
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s is not there: set %s to the folder that holds it", name, env)
	}
	return path
}

// Root returns the root folder of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}
