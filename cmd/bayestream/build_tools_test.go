//go:build tools

package main

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// goTool runs the go command at the root of the module and returns what it printed.
func goTool(t *testing.T, env []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = "../.."
	c.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	out, err := c.Output()
	if wrong := new(exec.ExitError); errors.As(err, &wrong) {
		t.Fatalf("%v go %v: %v\n%s", env, args, err, wrong.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The program compiles for each system that docs/quickstart.md names: its packages, and the
// declarations of all that they import, are checked from the source as the compiler does, which
// takes seconds where the compiler takes minutes.
func TestCompilesForOtherSystems(t *testing.T) {
	document := filetest.Read(t, "../../docs/quickstart.md")
	read := source{token.NewFileSet(), map[string]*ast.File{}}
	for _, system := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"} {
		if !strings.Contains(string(document), "`"+system+"`") {
			t.Errorf("docs/quickstart.md does not name %s", system)
		}
		goos, goarch, _ := strings.Cut(system, "/")
		list := goTool(t, []string{"GOOS=" + goos, "GOARCH=" + goarch}, "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./cmd/...")
		c := checker{source: read, system: system, sizes: types.SizesFor("gc", goarch), done: map[string]*types.Package{"unsafe": types.Unsafe}}
		own := 0
		for d := json.NewDecoder(strings.NewReader(list)); ; {
			var p listed
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			own += c.check(t, p)
		}
		if own < 30 {
			t.Errorf("%s: %d packages of the module are checked", system, own)
		}
	}
}

// listed is a package, as go list describes it.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Module     *struct{ Main bool }
}

// source remembers the files that it has read: most are those of several systems.
type source struct {
	set   *token.FileSet
	files map[string]*ast.File
}

func (s source) file(t *testing.T, name string) *ast.File {
	t.Helper()
	if file, ok := s.files[name]; ok {
		return file
	}
	file, err := parser.ParseFile(s.set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s.files[name] = file
	return file
}

// checker checks packages for one system, each after those that it imports.
type checker struct {
	source source
	system string
	sizes  types.Sizes
	done   map[string]*types.Package
}

// check checks a package, with the bodies of functions if it is one of the module, and returns how
// many of those it has checked: 1 or 0.
func (c *checker) check(t *testing.T, p listed) int {
	t.Helper()
	if p.ImportPath == "unsafe" {
		return 0
	}
	own := p.Module != nil && p.Module.Main
	var files []*ast.File
	for _, name := range p.GoFiles {
		files = append(files, c.source.file(t, filepath.Join(p.Dir, name)))
	}
	config := types.Config{IgnoreFuncBodies: !own, Sizes: c.sizes, Importer: importer{c.done, p.ImportMap}}
	checked, err := config.Check(p.ImportPath, c.source.set, files, nil)
	if err != nil {
		t.Fatalf("%s: %v", c.system, err)
	}
	c.done[p.ImportPath] = checked
	if !own {
		return 0
	}
	return 1
}

// importer finds packages that were checked before, under the names that the standard library has
// for those it holds copies of.
type importer struct {
	done  map[string]*types.Package
	names map[string]string
}

// Import returns the package.
func (i importer) Import(path string) (*types.Package, error) {
	if name, renamed := i.names[path]; renamed {
		path = name
	}
	if p, ok := i.done[path]; ok {
		return p, nil
	}
	return nil, errors.New("go list did not name the package " + path + " before")
}

// One other system is compiled to the end, without optimizations, and is static; deploy builds
// linux/amd64.
func TestBuildsForAnotherSystem(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bayestream")
	goTool(t, []string{"GOOS=linux", "GOARCH=arm64"}, "build", "-buildvcs=false", "-gcflags=all=-N -l", "-o", name, "./cmd/bayestream")
	binary, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = binary.Close() }()
	libraries, err := binary.ImportedLibraries()
	if err != nil || len(libraries) > 0 || binary.Machine != elf.EM_AARCH64 {
		t.Errorf("a program for %v, which asks for the libraries %v (%v)", binary.Machine, libraries, err)
	}
}

// What is installed from a clone says which revision it is. In a worktree, where .git is a file,
// the go command does not look for it.
func TestInstallShowsTheRevision(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	revision := strings.TrimSpace(string(out))
	if info, err := os.Stat("../../.git"); err == nil && !info.IsDir() {
		revision = "(devel)"
	}
	bin := t.TempDir()
	goTool(t, []string{"GOBIN=" + bin}, "install", "-buildvcs=true", "./cmd/...")
	for _, name := range []string{"bayestream", "ingest", "classify"} {
		out, err := exec.CommandContext(t.Context(), filepath.Join(bin, name), "--version").Output()
		if err != nil || !strings.Contains(string(out), revision) {
			t.Errorf("%s --version says %q, %v, and the revision is %s", name, out, err, revision)
		}
	}
}
