package categorical_test

import (
	"strconv"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

// SetNumber says of each word what Set says, whatever is counted, taken out and prepared in between, and
// whichever table and lexicon the finder was asked for before.
func TestSetNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var classes counts.Classes
		classes.Intern("a")
		classes.Intern("b")
		must(t, classes.Add(0, 1))
		must(t, classes.Add(1, 1))
		var tables [2]*counts.Table
		var likes [2]*categorical.Likelihood
		for i := range tables {
			tables[i] = counts.NewTable(counts.Options{Limit: 5})
			likes[i] = categorical.New(float64(i), []string{"word 0", "word 9"}, tables[i], &classes)
			likes[i].Prepare()
		}
		lexicons := [2]*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon()}
		var finder counts.Finder
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "table")
			word := []byte("word " + strconv.Itoa(rapid.IntRange(0, 9).Draw(t, "word")))
			class := rapid.IntRange(0, 1).Draw(t, "class")
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				must(t, tables[i].Add(bow.Hash(word), word, class, 1))
				likes[i].Prepare()
			case 1:
				if row := tables[i].Lookup(bow.Hash(word), word); row >= 0 && tables[i].Count(row, class) > 0 {
					must(t, tables[i].Add(bow.Hash(word), word, class, -1))
					likes[i].Prepare()
				}
			}
			var got, want [2]float64
			lexicon := lexicons[rapid.IntRange(0, 1).Draw(t, "lexicon")]
			votes := likes[i].SetNumber(got[:], &finder, lexicon, lexicon.Number(word))
			if should := likes[i].Set(want[:], word); votes != should || got != want {
				t.Fatalf("%s: %v %v, want %v %v", word, votes, got, should, want)
			}
		}
	})
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
