package counts_test

import (
	"fmt"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// corrector is a document that corrects for one class against another.
type corrector struct {
	right, ahead string
	weight       int64
	words        []string
}

func drawCorrectors(t *rapid.T) []corrector {
	class := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) corrector {
		return corrector{class.Draw(t, "right"), class.Draw(t, "ahead"), rapid.Int64Range(1, 5).Draw(t, "weight"),
			rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"u", "v", "w"}), 0, 3, rapid.ID[string]).Draw(t, "words")}
	}), 0, 8).Draw(t, "documents")
}

// correct adds documents in one delta, or with the sign -1 takes them out.
func correct(t *rapid.T, c *counts.Corrections, sign int64, documents ...corrector) {
	classes := []string{"a", "b", "c", "d", "e"}
	times := make([]int64, len(classes))
	var sum counts.Terms
	table := counts.NewTable(counts.Options{Signed: true})
	for _, d := range documents {
		for class, name := range classes {
			for _, side := range []struct {
				of string
				n  int64
			}{{d.right, 1}, {d.ahead, -1}} {
				if side.of != name {
					continue
				}
				times[class] += sign * d.weight
				for _, word := range d.words {
					if err := table.Add(bow.Hash([]byte(word)), []byte(word), class, sign*side.n*d.weight); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	sum = table.Terms([]int{0, 1, 2, 3, 4})
	if err := sum.Validate(len(classes)); err != nil {
		t.Fatal(err)
	}
	found := c.Table.Find(&sum)
	if err := c.Fits(classes, times, &sum, found); err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(classes, times, &sum, found); err != nil {
		t.Fatal(err)
	}
	if err := c.Table.Check(); err != nil {
		t.Fatal(err)
	}
}

// show returns all that corrections say.
func show(c *counts.Corrections) map[string]int64 {
	all := map[string]int64{}
	for _, id := range c.Classes.Live() {
		all[c.Classes.Name(id)] = c.Classes.Documents(id)
	}
	for term, cells := range c.Table.Rows {
		for _, cell := range cells {
			all[fmt.Sprintf("%s %s", term, c.Classes.Name(cell.Class()))] = cell.Count()
		}
	}
	return all
}

// What documents correct does not depend on their order, leaves no trace when they are taken out, and
// moves with the names of its classes, also where two of them become one.
func TestCorrections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		documents := drawCorrectors(t)
		one, other := counts.NewCorrections(0), counts.NewCorrections(0)
		correct(t, one, 1, documents...)
		for i := range documents {
			correct(t, other, 1, documents[len(documents)-1-i])
		}
		if diff := cmp.Diff(show(one), show(other)); diff != "" || one.Digest() != other.Digest() {
			t.Fatalf("together -, one by one +:\n%s", diff)
		}
		to := rapid.SampledFrom([]string{"b", "e"}).Draw(t, "to")
		if err := one.CanRename("a", to); err != nil {
			t.Fatal(err)
		}
		if err := one.Rename("a", to); err != nil {
			t.Fatal(err)
		}
		renamed := counts.NewCorrections(0)
		for i := range documents {
			for _, name := range []*string{&documents[i].right, &documents[i].ahead} {
				if *name == "a" {
					*name = to
				}
			}
		}
		correct(t, renamed, 1, documents...)
		if diff := cmp.Diff(show(renamed), show(one)); diff != "" || renamed.Digest() != one.Digest() {
			t.Fatalf("under the new name -, renamed +:\n%s", diff)
		}
		for _, d := range documents {
			correct(t, one, -1, d)
		}
		if left := show(one); len(left) > 0 || one.Digest() != 0 || one.Table.Width() != 0 {
			t.Fatalf("all is taken out, and still there is %v", left)
		}
	})
}

// Corrections that no documents can have made are refused, and change nothing.
func TestCorrectionsThatDoNotFit(t *testing.T) {
	word := func(class uint32, n int64) counts.Terms {
		return counts.Terms{Bytes: []byte("w"), Ends: []uint32{1}, Cells: []uint32{1}, Class: []uint32{class}, Count: []int64{n}}
	}
	for name, d := range map[string]struct {
		times []int64
		terms counts.Terms
	}{
		"never made":                  {[]int64{-1, 0}, counts.Terms{}},
		"without a document":          {[]int64{0, 0}, word(1, 1)},
		"the last one leaves a count": {[]int64{1, -2}, word(0, 1)},
		"too many":                    {[]int64{counts.MaxCount, 0}, counts.Terms{}},
		"too many of both":            {[]int64{counts.MaxCount - 3, 2}, counts.Terms{}},
		"a count too large":           {[]int64{1, 1}, word(1, -counts.MaxCount)},
	} {
		c := counts.NewCorrections(0)
		first := word(1, -2)
		if err := c.Apply([]string{"a", "b"}, []int64{0, 2}, &first, c.Table.Find(&first)); err != nil {
			t.Fatal(err)
		}
		before := show(c)
		if c.Fits([]string{"a", "b"}, d.times, &d.terms, c.Table.Find(&d.terms)) == nil && name != "without a document" {
			t.Errorf("%s: it fits", name)
		}
		if c.Fits([]string{"x", "y"}, []int64{0, 0}, &d.terms, c.Table.Find(&d.terms)) == nil && d.terms.Len() > 0 {
			t.Errorf("%s: it fits for classes that are not known", name)
		}
		if diff := cmp.Diff(before, show(c)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// Two differences in one are apart again.
func TestBeside(t *testing.T) {
	draw := func(t *rapid.T, options counts.Options) counts.Terms {
		table := counts.NewTable(options)
		for range rapid.IntRange(0, 10).Draw(t, "cells") {
			word := rapid.StringMatching("[a-e]{1,2}").Draw(t, "word")
			if err := table.Add(bow.Hash([]byte(word)), []byte(word), rapid.IntRange(0, 2).Draw(t, "class"), rapid.Int64Range(1, 3).Draw(t, "n")); err != nil {
				t.Fatal(err)
			}
		}
		return table.Terms([]int{2, 0, 1})
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, counts.Options{}), draw(t, counts.Options{Signed: true})
		both := a.Beside(&b, 3)
		if err := both.Validate(6); err != nil {
			t.Fatal(err)
		}
		first, second := both.Apart(3)
		if diff := cmp.Diff([]counts.Terms{a, b}, []counts.Terms{first, second}, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
