package counting_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/tools/lab/counting"
	"bayestream/internal/tools/lab/dataset"
)

// each calls f with the records of JSON Lines.
func each(t *testing.T, lines []string, f func(rec *dataset.Record)) {
	t.Helper()
	r, err := dataset.Open(dataset.Options{Spec: spec.Default()}, strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	err = dataset.Each(r, &dataset.OnBad{}, func(rec *dataset.Record) error { f(rec); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

// trial returns a trial of the default spec on records, and its ways.
func trial(t *testing.T, lines []string) (*counting.Trial, []counting.Way) {
	t.Helper()
	ways, err := counting.Ways(spec.Default())
	if err != nil {
		t.Fatal(err)
	}
	s := &counting.Sample{}
	each(t, lines, s.Add)
	found, err := counting.NewTrial(t.Context(), ways, s)
	if err != nil {
		t.Fatal(err)
	}
	return found, found.Ways
}

func all(string) bool { return true }

// inPairs returns documents whose label is told by a pair of words, and by none of the two.
func inPairs(n int) (lines []string) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		a, b := rnd.IntN(2), rnd.IntN(2)
		filler := rnd.IntN(50)
		lines = append(lines, fmt.Sprintf(`{"id":"%d","text":"word%d thing%d filler%d","label":"l%d"}`, i, a, b, filler, a^b))
	}
	return lines
}

// TestChoosePairs: a way that counts pairs wins where only pairs tell the label, whatever the order
// of the documents.
func TestChoosePairs(t *testing.T) {
	lines := inPairs(400)
	tried, ways := trial(t, lines)
	found := tried.Choose(all)
	const corrected = 3 // the best of words, and twice the best of pairs
	if found.Documents != 400 || len(found.Scores) != len(ways)-corrected {
		t.Fatalf("%+v", found)
	}
	if best := found.Scores[0]; ways[found.Chosen].Spec.Text.NGrams != 2 || best.Accuracy < 0.95 {
		t.Errorf("%s won with %+v, want one that counts pairs", ways[found.Chosen].Name, best)
	}
	slices.Reverse(lines)
	again, _ := trial(t, lines)
	if other := again.Choose(all); other.Table(ways) != found.Table(ways) {
		t.Errorf("in another order of the documents:\n%s\nwant\n%s", other.Table(ways), found.Table(ways))
	}
}

// TestChooseByWhatIsLearned: documents that do not fit have no part in a choice.
func TestChooseByWhatIsLearned(t *testing.T) {
	tried, _ := trial(t, inPairs(500))
	found := tried.Choose(func(id string) bool { return len(id) == 3 }) // 100 to 499
	if found.Documents != 400 {
		t.Errorf("%+v", found)
	}
}

// TestNothingToChoose: few documents, or one class, choose nothing.
func TestNothingToChoose(t *testing.T) {
	few, _ := trial(t, inPairs(counting.Least-1))
	one, _ := trial(t, slices.DeleteFunc(inPairs(1000), func(l string) bool { return strings.HasSuffix(l, `"l1"}`) }))
	for name, tried := range map[string]*counting.Trial{"few": few, "one class": one} {
		if found := tried.Choose(all); found != nil {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestEmptyTexts: documents without a text are compared, too.
func TestEmptyTexts(t *testing.T) {
	var lines []string
	for i := range 2 * counting.Least {
		lines = append(lines, fmt.Sprintf(`{"id":"%d","text":"","label":"l%d"}`, i, i%2))
	}
	tried, ways := trial(t, lines)
	if found := tried.Choose(all); ways[found.Chosen].Name != counting.Usual {
		t.Errorf("%+v", found)
	}
}

// TestWays: the usual way comes first, and each preset of texts counts as its spec does.
func TestWays(t *testing.T) {
	start, err := spec.Parse([]byte("name: a\ntext: {field: body, language: german}\nnumbers: [{fields: [x]}]"))
	if err != nil {
		t.Fatal(err)
	}
	ways, err := counting.Ways(start)
	if err != nil || ways[0].Name != counting.Usual || ways[0].Spec != start {
		t.Fatalf("%+v, %v", ways[0], err)
	}
	for _, way := range ways[1:] {
		p, err := spec.FindPreset(way.Name)
		if err != nil {
			t.Fatal(err)
		}
		got, want := way.Spec, p.Spec()
		if got.Text.Field != "body" || got.Text.Language != "german" || len(got.Numbers) != 1 || got.Name != "a" || got.Race == nil {
			t.Errorf("%s changes more than how words are counted:\n%s", way.Name, got.YAML())
		}
		got.Text.Field, got.Text.Language, got.Numbers = want.Text.Field, want.Text.Language, nil
		if got.Counting() != want.Counting() {
			t.Errorf("%s counts as\n%s\nwant\n%s", way.Name, got.YAML(), want.YAML())
		}
	}
}

// TestWaysSuitTheLanguage: n-grams that stand for words where no spaces are between them are those
// of each way, as in the spec that init writes.
func TestWaysSuitTheLanguage(t *testing.T) {
	start, err := spec.Parse([]byte("text: {ngrams: 5}"))
	if err != nil {
		t.Fatal(err)
	}
	ways, err := counting.Ways(start)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		if n := way.Spec.Text.NGrams; n != 5 {
			t.Errorf("%s counts n-grams of %d characters, want 5", way.Name, n)
		}
	}
}

// inEchoes returns documents with one word that tells the label in nineteen of twenty. So many other
// words echo each other, and tell it in seven of ten. Naive Bayes takes each echo for a witness.
func inEchoes(n, words int) (lines []string) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		label := rnd.IntN(2)
		said, echoed := label, label
		if rnd.IntN(20) == 0 {
			said = 1 - label
		}
		if rnd.IntN(10) < 3 {
			echoed = 1 - label
		}
		text := fmt.Sprintf("word%d", said)
		for word := range words {
			text += fmt.Sprintf(" echo%c%d", 'a'+word, echoed)
		}
		lines = append(lines, fmt.Sprintf(`{"id":"%d","text":"%s","label":"l%d"}`, i, text, label))
	}
	return lines
}

// TestChooseCorrections: corrections are chosen where they gain, which all of a large sample tells,
// and not where they do not.
func TestChooseCorrections(t *testing.T) {
	for _, c := range []struct {
		name      string
		lines     []string
		corrected bool
		least     int
	}{
		{"echoes", inEchoes(8000, 12), true, 8000},
		{"none", inEchoes(1000, 0), false, 1000},
	} {
		tried, ways := trial(t, c.lines)
		found := tried.Choose(all)
		way := ways[found.Chosen]
		if got := way.Spec.Corrects(); got != c.corrected || found.Corrected == nil || found.Corrected.Documents < c.least {
			t.Errorf("%s: chose %s, corrections: %t, by %+v, want %t by %d documents", c.name, way.Name, got, found.Corrected,
				c.corrected, c.least)
		}
		for _, want := range []string{"corrections", fmt.Sprintf("on %d documents", found.Corrected.Documents)} {
			if !strings.Contains(found.Reason(ways), want) {
				t.Errorf("%s: the reason is %q, want %q in it", c.name, found.Reason(ways), want)
			}
		}
		if (way.Preset.Name == counting.Usual) != (way.Name == counting.Usual || way.Name == counting.Usual+" with corrections") {
			t.Errorf("%s: the preset of %s is %s", c.name, way.Name, way.Preset.Name)
		}
	}
}

// TestSampleIsBounded: a sample has so many documents, and so many bytes of text. Which they are
// depends on their ids.
func TestSampleIsBounded(t *testing.T) {
	for _, c := range []struct{ n, words, least, most int }{{12_000, 3, 5000, 5000}, {1000, 2000, 150, 300}} {
		var lines []string
		for i := range c.n {
			text := strings.Repeat("word ", c.words)
			lines = append(lines, fmt.Sprintf(`{"id":"%d","text":%q,"label":"l%d"}`, i, text, i%2))
		}
		tried, ways := trial(t, lines)
		found := tried.Choose(all)
		if found.Documents < c.least || found.Documents > c.most {
			t.Errorf("%d documents are in the sample, want %d to %d", found.Documents, c.least, c.most)
		}
		if want := fmt.Sprintf("of %d documents", found.Documents); !strings.Contains(found.Reason(ways), want) {
			t.Errorf("the reason is %q, want one with %q", found.Reason(ways), want)
		}
	}
}

// Of long texts the part that all ways are compared on may have too few documents, and the sample not.
func TestTooFewLongTexts(t *testing.T) {
	text := strings.Repeat("word ", 4000)
	var lines []string
	for i := range 2 * counting.Least {
		lines = append(lines, fmt.Sprintf(`{"id":"%d","text":"%s","label":"l%d"}`, i, text, i%2))
	}
	tried, _ := trial(t, lines)
	if found := tried.Choose(all); found != nil {
		t.Errorf("chose by %d documents, want no choice", found.Documents)
	}
}
