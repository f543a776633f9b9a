package archtest

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// made returns a made-up module of the given files.
func made(t *testing.T, files map[string]string) *tree {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module example\n\ngo 1.26\n")}}
	for name, source := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(source)}
	}
	parsed, err := parse(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// importing returns the source of a package that imports one path.
func importing(path string) string {
	return fmt.Sprintf("// Package p is made up.\npackage p\n\nimport _ %q\n", path)
}

// A rule that nothing can break would hold for ever and mean nothing: each is
// broken here, and found by its name.
func TestEveryImportRuleCatches(t *testing.T) {
	breaking := map[string][][2]string{ // rule: file, import
		"core does no I/O": {
			{"internal/bow/a.go", "os"}, {"internal/model/a.go", "os/signal"}, {"internal/fold/a.go", "net/http"},
			{"internal/tokenize/a.go", "log/slog"}, {"internal/counts/a.go", "io/fs"}, {"internal/counts/deep/a.go", "syscall"},
		},
		"core has no clock":                 {{"internal/model/a.go", "time"}, {"internal/fold/a.go", "context"}},
		"core has no locks":                 {{"internal/gaussian/a.go", "sync"}, {"internal/gaussian/a.go", "sync/atomic"}},
		"core has no chance":                {{"internal/model/a.go", "math/rand/v2"}, {"internal/bow/a.go", "crypto/rand"}},
		"one seeded hash":                   {{"internal/counts/a.go", "hash/maphash"}, {"internal/news/a.go", "hash/maphash"}},
		"news draws from math/rand/v2 only": {{"internal/news/a.go", "math/rand"}},
		"core below shell":                  {{"internal/model/a.go", "example/internal/wire"}, {"internal/bow/a.go", "example/internal/store/sub"}},
		"shell below cmd":                   {{"internal/ingest/a.go", "example/cmd/ingest"}},
		"store knows no broker":             {{"internal/store/a.go", "example/internal/stream"}},
		"kafka-go behind one door": {
			{"internal/modellog/a.go", "github.com/segmentio/kafka-go"}, {"cmd/bayestream/a.go", "github.com/twmb/franz-go/pkg/kfake"},
			{"internal/ingest/a.go", "github.com/segmentio/kafka-go/protocol/fetch"},
		},
		"bbolt behind one door":       {{"internal/console/a.go", "go.etcd.io/bbolt"}},
		"test support stays in tests": {{"internal/wire/a.go", "example/internal/modeltest"}, {"cmd/ingest/a.go", "testing"}},
		"no cgo":                      {{"internal/stream/a.go", "C"}},
	}
	for _, r := range policy {
		if len(breaking[r.name]) == 0 {
			t.Errorf("no case here breaks the rule %q", r.name)
		}
		for _, one := range breaking[r.name] {
			found := checkImports(made(t, map[string]string{one[0]: importing(one[1])}), []rule{r})
			if len(found) != 1 || found[0].rule != r.name {
				t.Errorf("rule %q: %s importing %s gave %v, want one violation", r.name, one[0], one[1], found)
			}
		}
	}
}

func TestAllowedImportsPass(t *testing.T) {
	allowed := map[string]string{
		"internal/news/a.go":             "math/rand/v2",
		"internal/tokenize/a.go":         "golang.org/x/net/html", // not the standard library's net
		"internal/model/a.go":            "example/internal/counts",
		"internal/stream/a.go":           "github.com/segmentio/kafka-go/protocol",
		"internal/broker/a.go":           "github.com/twmb/franz-go/pkg/kfake",
		"internal/store/a.go":            "go.etcd.io/bbolt",
		"internal/ingest/a.go":           "example/internal/stream",
		"internal/bow/a.go":              "hash/maphash",
		"internal/kafkatest/a.go":        "testing",
		"internal/storetest/a.go":        "example/internal/modeltest",
		"cmd/ingest/main.go":             "os/signal",
		"internal/bow/a_test.go":         "os", // tests may do what they like
		"internal/bow/testdata/a.go":     "os",
		"internal/bow/tool/go.mod":       "",
		"internal/bow/tool/a.go":         "os", // a module of its own
		"internal/classify/b.go":         "time",
		"internal/multinomial/kernel.go": "math",
	}
	sources := map[string]string{}
	for name, path := range allowed {
		sources[name] = importing(path)
		if path == "" {
			sources[name] = "module tool\n"
		}
	}
	if found := checkImports(made(t, sources), policy); len(found) > 0 {
		t.Errorf("got %v, want none", found)
	}
}

func TestUnknownPackageIsFound(t *testing.T) {
	parsed := made(t, map[string]string{
		"internal/surprise/a.go":   importing("fmt"),
		"internal/store/sub/b.go":  importing("fmt"),
		"internal/surprise/b.go":   importing("fmt"),
		"cmd/anything/main.go":     importing("fmt"),
		"internal/bow/bow_test.go": importing("fmt"),
	})
	found := checkGroups(parsed)
	if len(found) != 1 || !strings.Contains(found[0].what, "internal/surprise") {
		t.Errorf("got %v, want internal/surprise once", found)
	}
}

func TestGoroutineInCoreIsFound(t *testing.T) {
	const body = "// Package p is made up.\npackage p\n\nfunc f() { go f() }\n"
	parsed := made(t, map[string]string{"internal/fold/a.go": body, "internal/ingest/a.go": body})
	found := checkGoroutines(parsed)
	if len(found) != 1 || found[0].where != "internal/fold/a.go:4" {
		t.Errorf("got %v, want internal/fold/a.go:4 alone", found)
	}
}

func TestLongSourceIsFound(t *testing.T) {
	long := func(lines int) string { // a function of that many lines
		return "func f() {\n" + strings.Repeat("\tprintln()\n", lines-2) + "}\n"
	}
	const head = "// Package p is made up.\npackage p\n\n"
	for name, source := range map[string]string{
		"functions stay short": head + long(maxFunctionLines+1),
		"files stay short":     head + strings.Repeat("// a line\n", maxFileLines),
	} {
		found := checkSizes(made(t, map[string]string{"cmd/x/a.go": source}))
		if len(found) != 1 || found[0].rule != name {
			t.Errorf("%s: got %v, want one violation", name, found)
		}
		generated := "// Code generated by hand. DO NOT EDIT.\n\n" + source
		if found := checkSizes(made(t, map[string]string{"cmd/x/a.go": generated})); len(found) > 0 {
			t.Errorf("%s: generated code gave %v, want none", name, found)
		}
	}
	if found := checkSizes(made(t, map[string]string{"cmd/x/a.go": head + long(maxFunctionLines)})); len(found) > 0 {
		t.Errorf("a function of %d lines gave %v, want none", maxFunctionLines, found)
	}
}

func TestUndocumentedNamesAreFound(t *testing.T) {
	const source = `package p

type T struct{}

func (T) Method() {}

func (T) String() string { return "" }

func F() {}

const C = 1

var (
	V = 2
	W = 3 // W has a comment
)

// Documented constants.
const (
	D = 4
	E = 5
)

type (
	U struct{}
	// Known is known.
	Known struct{}
)

type hidden struct{}

func (*hidden) Len() int { return 0 }
`
	want := []string{"C", "F", "Method", "T", "U", "V", "cmd/x"}
	missing := map[string]bool{}
	for _, v := range checkDocuments(made(t, map[string]string{"cmd/x/a.go": source})) {
		name, _, _ := strings.Cut(v.what, " ")
		missing[name] = true
	}
	for _, name := range want {
		if !missing[name] {
			t.Errorf("%s has no comment and was not found", name)
		}
	}
	if len(missing) != len(want) {
		t.Errorf("found %v, want %v", missing, want)
	}
}
