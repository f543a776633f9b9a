package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// source is what the documents speak of.
type source struct {
	packages map[string]map[string]bool // by the name of a folder under internal: "Fold", "State", "State.Fold"
	tests    map[string]bool            // names of tests, examples, benchmarks and fuzz targets
	literals []string                   // texts in the code; those that + joins are one
}

// module reads the Go files of the module, once.
var module = sync.OnceValues(func() (*source, error) {
	s := &source{packages: map[string]map[string]bool{}, tests: map[string]bool{}}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() && name != root && (base == "testdata" || base[0] == '.' || base[0] == '_') {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		return s.add(name)
	})
	return s, err
})

func code(t *testing.T) *source {
	t.Helper()
	s, err := module()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *source) add(name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if strings.HasSuffix(name, "_test.go") {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				s.tests[f.Name.Name] = true
			}
		}
		return nil
	}
	s.collectLiterals(file)
	dir, below := filepath.Split(filepath.Dir(name))
	if filepath.Base(dir) != "internal" {
		return nil
	}
	if s.packages[below] == nil {
		s.packages[below] = map[string]bool{}
	}
	for _, decl := range file.Decls {
		declare(s.packages[below], decl)
	}
	return nil
}

// declare enters what a declaration names.
func declare(names map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		names[receiver(d)+d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				for _, member := range members(s.Type) {
					names[s.Name.Name+"."+member] = true
				}
			}
		}
	}
}

// receiver returns "Type." for a method.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	kind := f.Recv.List[0].Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	if name, ok := kind.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

// members returns the fields of a struct and the methods of an interface.
func members(kind ast.Expr) []string {
	var list *ast.FieldList
	switch k := kind.(type) {
	case *ast.StructType:
		list = k.Fields
	case *ast.InterfaceType:
		list = k.Methods
	default:
		return nil
	}
	var names []string
	for _, field := range list.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

var (
	isPath = regexp.MustCompile(`^(\.ci|cmd|deploy|docs|internal|test)/[\w@./-]*$`)
	isTest = regexp.MustCompile(`^(Test|Example|Benchmark|Fuzz)\w+$`)
	isName = regexp.MustCompile(`^([a-z][a-z0-9]*)\.(\w+(?:\.\w+)?)$`)
)

// TestNames looks for the files, the functions and the tests that documents name in code spans: package.Name or
// package.Type.Member, the package being a folder under internal.
func TestNames(t *testing.T) {
	s := code(t)
	found := map[string]int{}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "docs/tour.md", "docs/design.md", "docs/mathematics.md", "docs/operations.md", "docs/protocol.md"} {
		d := one(t, name)
		for _, word := range d.spans() {
			m := isName.FindStringSubmatch(word)
			switch {
			case isPath.MatchString(word) && !strings.Contains(word, "PACKAGE"):
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(word))); err != nil {
					t.Errorf("%s names the file %s, which is not there", name, word)
				}
			case isTest.MatchString(word) && word != "FuzzName":
				if !s.tests[word] {
					t.Errorf("%s names %s: no test has that name", name, word)
				}
			case m != nil && s.packages[m[1]] != nil:
				if !s.packages[m[1]][m[2]] {
					t.Errorf("%s names %s: internal/%s has no %s", name, word, m[1], m[2])
				}
			default:
				continue
			}
			found[name]++
		}
	}
	for name, least := range map[string]int{"docs/tour.md": 60, "docs/design.md": 40, "docs/mathematics.md": 25} {
		if found[name] < least {
			t.Errorf("found %d names in %s, want at least %d: are they still in code spans?", found[name], name, least)
		}
	}
}

// TestPackageMap compares the table of the design with the folders under internal.
func TestPackageMap(t *testing.T) {
	mapped := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| `internal/([a-z]+)` \\|")
	design := one(t, "docs/design.md")
	for _, m := range row.FindAllStringSubmatch(design.prose, -1) {
		if mapped[m[1]] {
			t.Errorf("the package map of docs/design.md has internal/%s twice", m[1])
		}
		mapped[m[1]] = true
	}
	there := code(t).packages
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !mapped[name] {
			t.Errorf("the package map of docs/design.md lacks internal/%s: add a line that says what it does", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(mapped)) {
		if there[name] == nil {
			t.Errorf("the package map of docs/design.md has internal/%s, which is not there", name)
		}
	}
}
