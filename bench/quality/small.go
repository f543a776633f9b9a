package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// smallSets are the sets that small training sets are drawn from. The others are a stream, or have
// more classes than fifty documents can show.
var smallSets = []string{"sms", "youtube", "bbc", "ag", "imdb"}

// smallSizes are the numbers of documents of a training set, from the least to the most.
var smallSizes = []int{50, 100, 200, 500, 1000}

// smallTest is how many documents are tested, at most.
const smallTest = 2000

// smallWays are the ways of counting that differ in what few documents leave of a term: whether
// words share a stem, and whether one character is a term. The first is the default.
var smallWays = []counting{
	{"default", "{}"},
	{"`stem: false`", "{stem: false}"},
	{"`shortest: 2`", "{shortest: 2}"},
	{"`stem: false, shortest: 2`", "{stem: false, shortest: 2}"},
}

// headOfSmall returns the head of the table of small training sets.
func headOfSmall() string {
	cells := []string{"data", "`text`"}
	for _, size := range smallSizes {
		cells = append(cells, strconv.Itoa(size))
	}
	return fmt.Sprintf("| %s |\n|%s\n", strings.Join(cells, " | "), strings.Repeat("---|", len(cells)))
}

// draw draws a training set of the largest size and documents to test from the rest. A smaller
// training set is the beginning of the largest, so that all sizes and ways of a seed are tested on
// the same documents.
func draw(all []string, seed int) (learn, test []string, err error) {
	most := slices.Max(smallSizes)
	if len(all) <= most {
		return nil, nil, fmt.Errorf("%d documents: want more than %d", len(all), most)
	}
	shuffled := shuffle(all, seed)
	return shuffled[:most], shuffled[most:min(len(all), most+smallTest)], nil
}

// accuracies are those of each way, by the place of the size and of the seed.
type accuracies [][][]float64

func newAccuracies() accuracies {
	a := make(accuracies, len(smallWays))
	for way := range a {
		a[way] = make([][]float64, len(smallSizes))
	}
	return a
}

// write writes a row for each way: the means of all seeds.
func (a accuracies) write(w io.Writer, title string) {
	for way, bySize := range a {
		cells := []string{title, smallWays[way].name}
		for _, figures := range bySize {
			cells = append(cells, mean(figures, 4))
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
}

// fewDocuments measures ways of counting on small training sets of a set, and writes their rows.
func (o *options) fewDocuments(ctx context.Context, s *set) error {
	if !slices.Contains(smallSets, s.name) {
		return nil
	}
	all, err := s.lines(o)
	if err != nil {
		return err
	}
	a := newAccuracies()
	for seed := 1; seed <= o.seeds; seed++ {
		if err := o.drawn(ctx, s.name, all, seed, a); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	a.write(o.out, s.title)
	return nil
}

// drawn measures all ways and sizes on the documents of one seed, and adds what it finds to a.
func (o *options) drawn(ctx context.Context, name string, all []string, seed int, a accuracies) error {
	learn, test, err := draw(all, seed)
	if err != nil {
		return err
	}
	train, tested := filepath.Join(o.work, "learn.jsonl"), filepath.Join(o.work, "test.jsonl")
	if err := writeLines(tested, test); err != nil {
		return err
	}
	for i, size := range smallSizes {
		if err := writeLines(train, learn[:size]); err != nil {
			return err
		}
		for way, c := range smallWays {
			x, err := o.accuracy(ctx, c, "--train="+train, "--test="+tested)
			if err != nil {
				return fmt.Errorf("%d documents, %s: %w", size, c.name, err)
			}
			fmt.Fprintf(os.Stderr, "%s, seed %d, %d of %d documents: %.4f by %s\n", name, seed, size, len(test), x, c.name)
			a[way][i] = append(a[way][i], x)
		}
	}
	return nil
}
