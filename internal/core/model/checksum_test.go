package model_test

import (
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// counted is a term with its count.
type counted struct {
	term string
	n    uint32
}

// features returns features with those terms, in that order.
func features(terms []counted, numbers []model.Number, categories []model.Category) *model.Features {
	f := &model.Features{Numbers: slices.Clone(numbers), Categories: slices.Clone(categories)}
	for _, t := range terms {
		f.Bag.AddN([]byte(t.term), t.n)
	}
	return f
}

func drawTerms(t *rapid.T) []counted {
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) counted {
		return counted{rapid.StringN(1, 8, -1).Draw(t, "term"), rapid.Uint32Range(1, 5).Draw(t, "count")}
	}), 0, 20, func(c counted) string { return c.term }).Draw(t, "terms")
}

func drawNumber(t *rapid.T) model.Number {
	return model.Number{Value: rapid.Int64().Draw(t, "value"), Present: rapid.Bool().Draw(t, "present")}
}

func drawCategory(t *rapid.T) model.Category {
	return model.Category{Value: []byte(rapid.StringN(0, 4, -1).Draw(t, "category")), Present: rapid.Bool().Draw(t, "present")}
}

func TestChecksumDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		numbers := []model.Number{drawNumber(t), drawNumber(t)}
		categories := []model.Category{drawCategory(t), drawCategory(t)}
		want := features(terms, numbers, categories).Checksum()
		f := features(rapid.Permutation(terms).Draw(t, "permutation"), numbers, categories)
		if got := f.Checksum(); got != want {
			t.Errorf("in another order: got %x, want %x", got, want)
		}
		again := &model.Features{Numbers: numbers, Categories: categories}
		again.Bag.Use(lexiconOfOthers())
		for _, c := range terms { // one occurrence at a time, numbered by another lexicon
			for range c.n {
				again.Bag.Add([]byte(c.term))
			}
		}
		if got := again.Checksum(); got != want {
			t.Errorf("counted one by one: got %x, want %x", got, want)
		}
	})
}

// lexiconOfOthers returns a lexicon that has met other terms before.
func lexiconOfOthers() *bow.Lexicon {
	l := bow.NewLexicon()
	for _, term := range []string{"z", "y", "a"} {
		l.Number([]byte(term))
	}
	return l
}

func TestChecksumTellsChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		numbers := []model.Number{drawNumber(t), drawNumber(t)}
		categories := []model.Category{drawCategory(t), drawCategory(t)}
		before := features(terms, numbers, categories).Checksum()
		i := rapid.IntRange(0, 1).Draw(t, "field")
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			terms = append(terms, counted{"a new term", rapid.Uint32Range(1, 5).Draw(t, "count")})
		case 1:
			if len(terms) == 0 {
				t.Skip("no term to count once more")
			}
			terms[0].n++
		case 2:
			numbers[i].Present = !numbers[i].Present
		case 3:
			numbers[i].Present = true
			before = features(terms, numbers, categories).Checksum()
			numbers[i].Value += rapid.Int64Min(1).Draw(t, "difference")
		case 4:
			categories[i].Present = !categories[i].Present
		case 5:
			categories[i].Present = true
			before = features(terms, numbers, categories).Checksum()
			categories[i].Value = append(categories[i].Value, 'x')
		}
		if features(terms, numbers, categories).Checksum() == before {
			t.Error("the change leaves the checksum as it was")
		}
	})
}

// edged returns features of the words x and y, which begin and end with these.
func edged(first, last string) *model.Features {
	f := features([]counted{{"x", 1}, {"y", 1}}, nil, nil)
	modeltest.EndWith(&f.Bag, first)
	modeltest.EndWith(&f.Bag, last)
	return f
}

// shaped returns features of no word, of a text with that shape.
func shaped(longest, nonwords int) *model.Features {
	f := &model.Features{}
	f.Bag.AddShape(longest, nonwords)
	return f
}

// What stands in one place counts as something else in another.
func TestChecksumTellsPlaces(t *testing.T) {
	number := model.Number{Value: 1, Present: true}
	category := model.Category{Value: []byte("x"), Present: true}
	seen := map[uint64]string{}
	for name, f := range map[string]*model.Features{
		"nothing":         {},
		"term":            features([]counted{{"x", 1}}, nil, nil),
		"first word":      edged("x", "y"),
		"last word":       edged("y", "x"),
		"longest token":   shaped(1, 0),
		"no word":         shaped(0, 1),
		"first number":    {Numbers: []model.Number{number, {}}},
		"second number":   {Numbers: []model.Number{{}, number}},
		"largest number":  {Numbers: []model.Number{{Value: number.Value + 1<<61 - 1, Present: true}}},
		"first category":  {Categories: []model.Category{category, {}}},
		"second category": {Categories: []model.Category{{}, category}},
		"empty category":  {Categories: []model.Category{{Present: true}}},
	} {
		sum := f.Checksum()
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s have the same checksum", name, other)
		}
		seen[sum] = name
	}
}
