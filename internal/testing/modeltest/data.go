// Package modeltest helps to test models: it checks the laws that every event model must keep, and
// has the data sets, and the comparison with reference values.
package modeltest

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Data returns the path of a data set of testdata/data.
func Data(tb testing.TB, name string) string {
	tb.Helper()
	return existing(tb, filepath.Join(Root(), "testdata", "data", name))
}

// LargeData returns the path of a data set that may not be republished, in the folder
// BAYESTREAM_DATA. Tests that call it have the build tag largesets.
func LargeData(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv("BAYESTREAM_DATA")
	if dir == "" {
		tb.Fatal("BAYESTREAM_DATA does not name the folder of the large data sets")
	}
	return existing(tb, filepath.Join(dir, name))
}

func existing(tb testing.TB, path string) string {
	tb.Helper()
	if _, err := os.Stat(path); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Open returns the content of a file, decompressed if its name ends in .gz. The file is closed when
// the test ends.
func Open(tb testing.TB, path string) io.Reader {
	tb.Helper()
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	if !strings.HasSuffix(path, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return z
}

// Root returns the root folder of the repository.
func Root() string {
	dir, err := os.Getwd() // a test runs in the folder of its package
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("no go.mod above the folder of the test")
		}
		dir = filepath.Dir(dir)
	}
}
