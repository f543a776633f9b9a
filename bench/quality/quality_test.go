package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprint(i))
	}
	tested := map[string]int{}
	for fold := 1; fold <= parts; fold++ {
		learn, test := split(all, fold, true)
		if len(learn) != 16 || len(test) != 4 {
			t.Fatalf("%d to learn and %d to test, want 16 and 4", len(learn), len(test))
		}
		for _, line := range test {
			tested[line]++
			if slices.Contains(learn, line) {
				t.Errorf("line %s is learned and tested", line)
			}
		}
	}
	if len(tested) != 20 {
		t.Errorf("the folds test %d lines of 20", len(tested))
	}
	_, first := split(all, 1, false)
	_, again := split(all, 1, false)
	_, second := split(all, 2, false)
	if !slices.Equal(first, again) || slices.Equal(first, second) {
		t.Errorf("seed 1 tests %q and %q, seed 2 %q", first, again, second)
	}
}

func TestDivide(t *testing.T) {
	folder := t.TempDir()
	o := &options{data: folder, work: filepath.Join(folder, "work")}
	if err := os.Mkdir(o.work, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.jsonl": "1\n2\n3\n4\n5\n", "b.jsonl": "6\n7"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		set         set
		splits      int
		learn, test int
	}{
		{set{files: []string{"a.jsonl"}}, 3, 4, 1},
		{set{files: []string{"a.jsonl"}, folds: 2}, 2, 4, 1},
		{set{files: []string{"a.jsonl"}, test: "b.jsonl"}, 1, 5, 2},
		{set{files: []string{"a.jsonl", "b.jsonl"}, stream: true}, 1, 7, 0},
	} {
		if got := c.set.splits(3); got != c.splits {
			t.Errorf("%+v: %d splits, want %d", c.set, got, c.splits)
		}
		if missing := c.set.missing(folder); missing != "" {
			t.Errorf("%s is missing", missing)
		}
		d, err := c.set.divide(o, 1)
		if err != nil {
			t.Fatal(err)
		}
		learn, test := d.learn, d.test
		if c.set.stream {
			learn = d.stream
		}
		if got, err := readLines(learn); err != nil || len(got) != c.learn {
			t.Errorf("%+v: %q to learn, %v", c.set, got, err)
		}
		if test == "" {
			continue
		}
		if got, err := readLines(test); err != nil || len(got) != c.test {
			t.Errorf("%+v: %q to test, %v", c.set, got, err)
		}
	}
	if got := (&set{files: []string{"none.jsonl"}}).missing(folder); got != filepath.Join(folder, "none.jsonl") {
		t.Errorf("%q is missing", got)
	}
}

// A row has the means of the splits, and the standard error of the accuracy.
func TestRow(t *testing.T) {
	var r row
	for _, lines := range []string{
		`{"label":"ham","predicted":"ham","log_posterior":{"ham":-0.1,"spam":-2.35}}
{"label":"spam","predicted":"spam","log_posterior":{"ham":null,"spam":0}}`,
		`{"label":"ham","predicted":"spam","log_posterior":{"ham":-2.35,"spam":-0.1}}
{"label":"spam","predicted":null,"log_posterior":{}}`,
	} {
		path := filepath.Join(t.TempDir(), "scores.jsonl")
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := readScores(path)
		if err != nil {
			t.Fatal(err)
		}
		r.add(x, false)
	}
	var b strings.Builder
	r.write(&b, "set", "classifier")
	first, second := 0.05, (2.35-math.Log(1e-15))/2
	want := fmt.Sprintf("| set | classifier | 2 | 0.5000 ± 0.5000 | %.4f | ", (first+second)/2)
	if !strings.HasPrefix(b.String(), want) || !strings.HasSuffix(b.String(), " | 50.000 | 50.00 |\n") {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	var only row
	only.accuracy = []float64{0.9}
	b.Reset()
	only.write(&b, "set", "ranks only")
	if b.String() != "| set | ranks only | 1 | 0.9000 |  |  |  |  |\n" {
		t.Errorf("got %q", b.String())
	}
}
