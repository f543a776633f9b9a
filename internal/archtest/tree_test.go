package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// file is one source file that is not a test.
type file struct {
	name      string // with slashes, from the module's root
	pkg       string // directory of the package, "." for the root
	generated bool
	lines     int
	syntax    *ast.File
}

// tree is a module's source.
type tree struct {
	module string
	fset   *token.FileSet
	files  []file
}

// parse reads all non-test Go files of the module at the root of fsys.
func parse(fsys fs.FS) (*tree, error) {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, fmt.Errorf("read the module's name: %w", err)
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	t := &tree{module: strings.TrimSpace(strings.TrimPrefix(first, "module")), fset: token.NewFileSet()}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skip(fsys, name)
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return t.add(fsys, name)
	})
	return t, err
}

// skip leaves out the directories that the go command leaves out, and modules
// of their own.
func skip(fsys fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	if base == "testdata" || base == "vendor" || base == "node_modules" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func (t *tree) add(fsys fs.FS, name string) error {
	source, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.files = append(t.files, file{
		name:      name,
		pkg:       path.Dir(name),
		generated: ast.IsGenerated(syntax),
		lines:     strings.Count(string(source), "\n"),
		syntax:    syntax,
	})
	return nil
}

// line tells where a node stands, as file:line.
func (t *tree) line(node ast.Node) string {
	p := t.fset.Position(node.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// ownSource parses the module that this package belongs to, once.
var ownSource = sync.OnceValues(func() (*tree, error) {
	return parse(os.DirFS(filepath.Join("..", "..")))
})

// module returns the source of this module.
func module(t *testing.T) *tree {
	t.Helper()
	parsed, err := ownSource()
	if err != nil {
		t.Fatalf("parse this module: %v", err)
	}
	if len(parsed.files) == 0 {
		t.Fatal("no Go files in this module: the checks would hold for want of anything to check")
	}
	return parsed
}
