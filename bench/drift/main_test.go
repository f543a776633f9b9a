package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"bayestream/bench/labelled"
)

// A row for each kind of stream: a quiet one has no alarm, and labels that change places have one.
func TestMeasure(t *testing.T) {
	var out strings.Builder
	if err := measure(&out, 1, 2000, 1500); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != 2+len(kinds) {
		t.Fatalf("%d rows:\n%s", len(rows), &out)
	}
	for _, row := range rows[2:] {
		quiet, changed := strings.HasPrefix(row, "| quiet"), strings.HasPrefix(row, "| two labels change places")
		if quiet && !strings.Contains(row, "| 1 | 0 |") || changed && !strings.Contains(row, "| 1 | 1 |") {
			t.Error(row)
		}
	}
}

// letters returns n documents of two classes by turns, of words of the class.
func letters(n int) (items []labelled.Item) {
	for i := range n {
		label := []string{"a", "b"}[i%2]
		items = append(items, labelled.Item{Label: label, Text: fmt.Sprintf("common %s%d %s%d", label, i%7, label, i%11)})
	}
	return items
}

// A row for each kind of real stream and each share: the drift of labels that change places is
// found, in what is quiet there is none. What lacks a file is left out.
func TestMeasureReal(t *testing.T) {
	r := realStreams{seeds: 2, most: 1000}
	r.read = func(file string) ([]labelled.Item, error) {
		if file != "texts" {
			return nil, fmt.Errorf("%s: %w", file, os.ErrNotExist)
		}
		return letters(1600), nil
	}
	var out, left strings.Builder
	err := r.measure(&out, &left, []realKind{
		{name: "swapped", files: []string{"texts"}, divide: swapped("a", "b"), chance: true},
		{name: "missing", files: []string{"texts", "nowhere"}, divide: inTurn, chance: true},
		{name: "quiet", files: []string{"texts"}, divide: asTheyAre},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")[2:]
	want := []struct{ begin, end string }{
		{"| swapped | 1 | 0.0000 | ", " | 2 | 0 | 2 | 100 | 100 |"},
		{"| swapped | 32 | 0.0000 | ", " | 2 | 0 | 2 | 100 | 100 |"},
		{"| quiet | 1 | 0.0000 |", "| 1 | 0 | 0 | | |"},
		{"| quiet | 32 | 0.0000 |", "| 1 | 0 | 0 | | |"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d:\n%s", len(rows), len(want), &out)
	}
	for i, w := range want {
		if !strings.HasPrefix(rows[i], w.begin) || !strings.HasSuffix(rows[i], w.end) {
			t.Errorf("row %q, want %q...%q", rows[i], w.begin, w.end)
		}
	}
	if got := left.String(); got != "missing: left out: nowhere: file does not exist\n" {
		t.Errorf("left out: %q", got)
	}
}

// A model of 2,000 documents scores the share, and others with another seed. What is behind comes
// again up to the limit, in which nothing else is counted.
func TestShareOfRealStream(t *testing.T) {
	k := realKind{divide: inTurn}
	r := realStreams{most: 1000}
	var scored []int64
	for seed := range uint64(2) {
		for _, share := range []int{1, 8} {
			f, err := r.run(&k, [][]labelled.Item{letters(4000), letters(130)}, share, seed)
			if err != nil {
				t.Fatal(err)
			}
			if f.learned != [parts]int64{4000, 130, 870} || f.alarms != [parts]int64{} {
				t.Errorf("learned %v, alarms %v", f.learned, f.alarms)
			}
			scored = append(scored, f.scored[before])
		}
	}
	const young, old = 1900, 2000 // the first delta has no model yet
	for _, n := range []int64{scored[1], scored[3]} {
		if n < young+old/8-60 || n > young+old/8+60 {
			t.Errorf("%d records are scored with a share of 8", n)
		}
	}
	if scored[0] != young+old || scored[1] == scored[3] {
		t.Errorf("scored %d", scored)
	}
}

// Labels have the names of the stream, and those without one are left out. A swap changes the
// second half alone, and leaves the set as it was.
func TestLabelsOfRealStreams(t *testing.T) {
	k := realKind{labels: map[string]string{"a": "A"}}
	if got := k.rename(letters(5)); len(got) != 3 || slices.ContainsFunc(got, func(x labelled.Item) bool { return x.Label != "A" || !strings.Contains(x.Text, " a") }) {
		t.Errorf("renamed to %v", got)
	}
	set := letters(100)
	first, then := swapped("a", "b")([][]labelled.Item{set}, rand.New(rand.NewPCG(1, 0)))
	if len(first) != 50 || len(then) != 50 || !slices.Equal(set, letters(100)) {
		t.Fatalf("%d before, %d behind, the set %v", len(first), len(then), set)
	}
	isRight := func(x labelled.Item) bool { return strings.Contains(x.Text, " "+x.Label) }
	isWrong := func(x labelled.Item) bool { return !isRight(x) }
	if slices.ContainsFunc(first, isWrong) || slices.ContainsFunc(then, isRight) {
		t.Errorf("before %v, behind %v", first, then)
	}
}
