package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// printPaths prints what a training record and a document run through: all that the workers run
// while it is on its way, the broker and the clients of the walk left out.
func printPaths() error {
	dir, err := os.MkdirTemp("", "bayestream-size-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "walk")
	if _, err := output("go", "build", "-cover", "-covermode=atomic", "-coverpkg=bayestream/...", "-o", program,
		"./test/size/walk"); err != nil {
		return err
	}
	if _, err := output(program, dir); err != nil {
		return err
	}
	for _, name := range []string{"training record", "document"} {
		counters := filepath.Join(dir, strings.Fields(name)[0])
		profile := counters + ".txt"
		if _, err := output("go", "tool", "covdata", "textfmt", "-i", counters, "-o", profile); err != nil {
			return err
		}
		covered, err := readProfile(profile)
		if err != nil {
			return err
		}
		if err := printPath(name, covered); err != nil {
			return err
		}
	}
	return nil
}

// readProfile returns the lines, by file, at which a block begins that was run.
func readProfile(path string) (map[string][]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	covered := map[string][]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, place, ok := strings.Cut(lines.Text(), ":")
		name = strings.TrimPrefix(name, "bayestream/")
		var line, column, endLine, endColumn, statements, count int
		_, err := fmt.Sscanf(place, "%d.%d,%d.%d %d %d", &line, &column, &endLine, &endColumn, &statements, &count)
		if ok && err == nil && count > 0 && isProduct(name) && !strings.HasPrefix(name, "internal/tools/demo/") {
			covered[name] = append(covered[name], line)
		}
	}
	return covered, nil
}

// printPath counts the files and functions that have a line which was run.
func printPath(name string, covered map[string][]int) error {
	lines, functions, inFunctions := 0, 0, 0
	for file, run := range covered {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		lines += strings.Count(string(text), "\n")
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, 0)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := set.Position(f.Pos()).Line, set.Position(f.End()).Line
			if hasLine(run, from, to) {
				functions++
				inFunctions += to - from + 1
			}
		}
	}
	row("path of a "+name+": files", len(covered))
	row("path of a "+name+": lines of these files", lines)
	row("path of a "+name+": functions", functions)
	row("path of a "+name+": lines of these functions", inFunctions)
	return nil
}

func hasLine(lines []int, from, to int) bool {
	for _, line := range lines {
		if line >= from && line <= to {
			return true
		}
	}
	return false
}
