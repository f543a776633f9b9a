// Package archtest checks the import rules of the tree. The layer of a package follows from its
// path.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers are the folders of internal, from the bottom to the top. A package imports from its own
// layer and from those below it. The first layer is the core, the second the shell; the tools build
// on each other.
var layers = [][]string{
	{"core", "tokenize", "bow", "counts", "smoothing", "multinomial", "bernoulli", "gaussian"},
	{"shell"},
	{"tools/cli", "tools/broker"}, {"tools/lab", "tools/status"}, {"tools/console"}, {"tools/serve"}, {"tools/demo"},
}

// Layers of what is outside of internal, and of support for tests, which only tests import.
const core, commands, tests = 0, 100, 101

// impure are packages that the core does not use. It is a function of its input: live, replay,
// restore and the tests must compute the same bits, and the shell decides what runs at the same
// time.
var impure = []string{
	"os", "io/fs", "path/filepath", "net", "syscall", "embed", "log", "runtime", "plugin", "time", "context", "sync", "math/rand", "crypto/rand",
}

// doors are libraries with traps, and the packages that close them; no other package imports the
// library.
var doors = map[string][]string{
	"github.com/segmentio/kafka-go":      {"internal/shell/stream", "internal/testing/kafkatest", "bench/throughput"},
	"github.com/twmb/franz-go":           {"internal/shell/stream", "internal/testing/kafkatest", "internal/tools/broker", "internal/shell/schema", "test/chaos"},
	"github.com/twmb/avro":               {"internal/shell/schema"},
	"github.com/bufbuild/protocompile":   {"internal/shell/schema"},
	"go.etcd.io/bbolt":                   {"internal/shell/store", "internal/testing/storetest", "test/chaos"},
	"github.com/go-json-experiment/json": {"internal/shell/wire/jsonread"},
	"github.com/cespare/xxhash/v2":       {"internal/core/digest", "internal/testing"},
	// a seed of the process must not show in a count, an order or a file
	"hash/maphash": {"internal/bow"},
	"testing":      {"internal/testing"},
	"C":            {}, // the binaries are static
}

// apart are packages that judge others, and the only packages of this module that they import: they
// share no code with what they judge.
var apart = map[string][]string{
	"internal/testing/recount": {"internal/shell/modellog/logpb"},
}

func layer(pkg string) int {
	inside, isInternal := strings.CutPrefix(pkg, "internal/")
	switch {
	case isIn(pkg, []string{"internal/testing", "test"}):
		return tests
	case !isInternal:
		return commands
	}
	return slices.IndexFunc(layers, func(folders []string) bool { return isIn(inside, folders) })
}

// isIn reports whether pkg is one of the folders or lies in one.
func isIn(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return pkg == f || strings.HasPrefix(pkg, f+"/") })
}

func TestImports(t *testing.T) {
	err := filepath.WalkDir("../../..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		checkFile(t, name, path.Dir(strings.TrimPrefix(filepath.ToSlash(name), "../../../")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, name, pkg string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	own := layer(pkg)
	if own < 0 {
		t.Errorf("%s is in no layer: add its folder to layers, or move it", pkg)
	}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		local, isOurs := strings.CutPrefix(imported, "bayestream/")
		if isOurs && layer(local) > own && own != commands || layer(local) == tests && own != tests {
			t.Errorf("%s imports %s, which is a layer above it", name, local)
		}
		if allowed, judges := apart[pkg]; isOurs && judges && !isIn(local, allowed) {
			t.Errorf("%s imports %s and judges it", name, local)
		}
		if own == core && isIn(imported, impure) {
			t.Errorf("%s imports %s: the core has no I/O, clock, lock or random numbers", name, imported)
		}
		for library, allowed := range doors {
			if isIn(imported, []string{library}) && !isIn(pkg, allowed) {
				t.Errorf("%s imports %s, which only %v may", name, imported, allowed)
			}
		}
	}
}
