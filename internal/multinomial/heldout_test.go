package multinomial_test

import (
	"fmt"
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/multinomial"

	"pgregory.net/rapid"
)

// heldClasses is enough for rows with classes that are far apart.
const heldClasses = 12

// counted is a table and its classes.
type counted struct {
	table   *counts.Table
	classes counts.Classes
}

// count returns the counts of documents.
func count(t *rapid.T, limit int, documents []multinomial.Document) *counted {
	c := &counted{table: counts.NewTable(counts.Options{Limit: limit})}
	for i := range heldClasses {
		c.classes.Intern(string(rune('a' + i)))
	}
	c.change(t, documents, 1)
	return c
}

// change adds the documents, or with sign -1 takes them out.
func (c *counted) change(t *rapid.T, documents []multinomial.Document, sign int64) {
	for _, d := range documents {
		if err := c.classes.Add(d.Class, sign*d.Weight); err != nil {
			t.Fatal(err)
		}
		for i := range d.Bag.Len() {
			if err := c.table.Add(d.Bag.Hash(i), d.Bag.Term(i), d.Class, sign*d.Weight*int64(d.Bag.Count(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// drawCounted draws documents of two lexicons, with weights such that the logarithms of their counts are in the table and not.
func drawCounted(t *rapid.T) (documents []multinomial.Document) {
	lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon()}
	for range rapid.IntRange(0, 25).Draw(t, "documents") {
		d := multinomial.Document{Class: rapid.IntRange(0, heldClasses-1).Draw(t, "class"), Bag: &bow.Bag{}}
		d.Weight = rapid.SampledFrom([]int64{1, 2, 3000}).Draw(t, "weight")
		d.Bag.Use(rapid.SampledFrom(lexicons).Draw(t, "lexicon"))
		for range rapid.IntRange(0, 10).Draw(t, "words") {
			word := fmt.Appendf(nil, "word%d", rapid.IntRange(0, 6).Draw(t, "word"))
			d.Bag.AddN(word, rapid.SampledFrom([]uint32{1, 1, 1, 2, 5, 70}).Draw(t, "tokens"))
		}
		documents = append(documents, d)
	}
	return documents
}

// TestHeldOutEqualsTable: a panel scores documents that are held out as it does when they have been taken out, to the last bit, one
// fold after the other.
func TestHeldOutEqualsTable(t *testing.T) {
	columns := multinomial.Columns{
		Multinomial: []multinomial.Weighting{{Alpha: 0.01}, {Alpha: 1, Sublinear: true}},
		Complement:  []multinomial.Weighting{{Alpha: 1, Sublinear: true}, {Alpha: 0.3}, {Alpha: 20}},
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{0, 5}).Draw(t, "limit")
		all := drawCounted(t)
		whole := count(t, limit, all)
		held := multinomial.NewHeldOut(columns, whole.table, &whole.classes)
		panel := multinomial.NewPanel(columns)
		for range 2 {
			begin := rapid.IntRange(0, len(all)).Draw(t, "begin")
			fold := all[begin:rapid.IntRange(begin, len(all)).Draw(t, "end")]
			held.Set(fold)
			rest := count(t, limit, all)
			rest.change(t, fold, -1)
			live := rest.classes.Live()
			if !slices.Equal(held.Live(), live) {
				t.Fatalf("the classes %v are left, want %v", held.Live(), live)
			}
			var got, want []float64
			for i := range fold {
				known := panel.AddHeldOut(held, i)
				got = appendScores(got, panel, live, known)
				known = panel.Add(rest.table, &rest.classes, fold[i].Bag)
				want = appendScores(want, panel, live, known)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("held out %v\ntaken out %v", got, want)
			}
		}
	})
}

// appendScores appends all that a panel of five columns says of a document.
func appendScores(dst []float64, p *multinomial.Panel, live []int, known int) []float64 {
	dst = append(dst, float64(known))
	for _, c := range live {
		for column := range 5 {
			dst = append(dst, p.Score(c, column))
		}
	}
	return dst
}
