// Command size prints how large the project is: lines, the path of a record through the code, what
// the binaries link, verbs and flags, and the words of the documents. Run it in the folder of the
// module, before and after a change:
//
//	go run ./test/size
//
// The path of a record is measured: test/size/walk sends one through the workers, built with
// coverage.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	for _, print := range []func() error{printLines, printPaths, printLinks, printVerbs, printWords} {
		if err := print(); err != nil {
			fmt.Fprintln(os.Stderr, "size:", err)
			os.Exit(1)
		}
	}
}

// row prints one figure.
func row(what string, n int) { fmt.Printf("%-52s %7d\n", what, n) }

// isProduct reports whether a Go file, by its path in the module, is of the product.
func isProduct(path string) bool {
	for _, folder := range []string{"bench/", "test/", "testdata/", "deploy/", "internal/testing/"} {
		if strings.HasPrefix(path, folder) {
			return false
		}
	}
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".pb.go")
}

// files calls f with the text of each file of the module whose path fits.
func files(fits func(path string) bool, f func(path, text string) error) error {
	return filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || !fits(path):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return f(path, string(text))
	})
}

func printLines() error {
	lines, n := 0, 0
	packages := map[string]bool{}
	err := files(isProduct, func(path, text string) error {
		lines += strings.Count(text, "\n")
		n++
		packages[filepath.Dir(path)] = true
		return nil
	})
	row("product: lines", lines)
	row("product: files", n)
	row("product: packages", len(packages))
	return err
}

// printLinks prints what each binary, and the library, is linked with.
func printLinks() error {
	for _, name := range []string{".", "./cmd/ingest", "./cmd/classify", "./cmd/bayestream"} {
		listed, err := output("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{end}}{{.ImportPath}}", name)
		if err != nil {
			return err
		}
		own, modules := 0, map[string]bool{}
		for line := range strings.Lines(listed) {
			switch fields := strings.Fields(line); {
			case len(fields) < 2: // of the standard library
			case fields[0] == "bayestream":
				own++
			default:
				modules[fields[0]] = true
			}
		}
		if name == "." {
			name = "the library"
		}
		row("own packages linked by "+name, own)
		row("other modules linked by "+name, len(modules))
	}
	return nil
}

// A verb and a flag, as the help prints them.
var (
	verbLine = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) `)
	flagLine = regexp.MustCompile(`(?m)^  (?:-[a-z], )?--([a-z][a-z-]*)`)
)

func printVerbs() error {
	dir, err := os.MkdirTemp("", "bayestream-size-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "bayestream")
	if _, err := output("go", "build", "-o", program, "./cmd/bayestream"); err != nil {
		return err
	}
	help, err := output(program, "--help")
	if err != nil {
		return err
	}
	verbs, pairs, distinct := 0, 0, map[string]bool{}
	for _, verb := range verbLine.FindAllStringSubmatch(help, -1) {
		text, err := output(program, verb[1], "--help")
		if err != nil {
			return fmt.Errorf("help of %s: %w", verb[1], err)
		}
		verbs++
		for _, flag := range flagLine.FindAllStringSubmatch(text, -1) {
			if flag[1] != "help" && flag[1] != "version" { // every verb has them
				pairs++
				distinct[flag[1]] = true
			}
		}
	}
	row("verbs", verbs)
	row("pairs of a verb and a flag", pairs)
	row("flags", len(distinct))
	return nil
}

// output runs a command and returns what it prints.
func output(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), name, args...)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, problem.String())
	}
	return string(out), nil
}
