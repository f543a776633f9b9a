package main

import (
	"bytes"
	"slices"
	"testing"
)

func TestRatio(t *testing.T) {
	// In the second round the machine was three times slower.
	if got := ratio([]float64{4, 12, 5}, []float64{2, 6, 2}); got != 2 {
		t.Errorf("ratio %v, want 2", got)
	}
	if got := ratio(nil, []float64{1}); got != 0 {
		t.Errorf("ratio of nothing is %v, want 0", got)
	}
}

func TestNumbers(t *testing.T) {
	if got, err := numbers("10000,1e6,2"); err != nil || !slices.Equal(got, []int{10_000, 1_000_000, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []string{"", "x", "0", "1.5", "1,,2", "-3"} {
		if got, err := numbers(list); err == nil {
			t.Errorf("%q is read as %v", list, got)
		}
	}
}

func TestAnonymous(t *testing.T) {
	got, err := anonymous("VmRSS:\t   90000 kB\nRssAnon:\t   2000 kB\nRssFile:\t  88000 kB\n")
	if err != nil || got != 2.048 {
		t.Errorf("%v MB, %v; want 2.048", got, err)
	}
	if _, err := anonymous("VmRSS:\t 1 kB\n"); err == nil {
		t.Error("no RssAnon is no error")
	}
}

func TestWordsDiffer(t *testing.T) {
	seen := map[string]bool{}
	var w []byte
	length := 0
	const n = 200_000
	for i := range n {
		w = word(w[:0], i)
		if bytes.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) {
			t.Fatalf("word %d is %q", i, w)
		}
		seen[string(w)] = true
		length += len(w)
	}
	if len(seen) != n {
		t.Errorf("%d words of %d differ", len(seen), n)
	}
	if mean := float64(length) / n; mean < 5 || mean > 8 {
		t.Errorf("a word has %.1f letters on average", mean)
	}
}

// The comment on power gives these figures.
func TestSpeakerSpeaksLikeNews(t *testing.T) {
	s := newSpeaker(1, 1_000_000)
	different := map[string]bool{}
	for _, w := range bytes.Fields(s.text(200_000)) {
		different[string(w)] = true
	}
	if n := len(different); n < 29_000 || n > 31_500 {
		t.Errorf("%d different words in 200,000, want about 30,000", n)
	}
	if again := newSpeaker(7, 1000).texts(3); !slices.EqualFunc(again, newSpeaker(7, 1000).texts(3), bytes.Equal) {
		t.Error("one seed makes two sequences of texts")
	}
}

func TestSpread(t *testing.T) {
	for _, n := range []int{2, 20, 1000} {
		used := map[int]bool{}
		for i := range 10_000 {
			c := spread(i, n)
			if len(c) != min(rowClasses, n) {
				t.Fatalf("word %d of %d classes is known to %v", i, n, c)
			}
			slices.Sort(c)
			if len(slices.Compact(c)) != min(rowClasses, n) || c[0] < 0 || c[len(c)-1] >= n {
				t.Fatalf("word %d of %d classes is known to %v", i, n, c)
			}
			for _, x := range c {
				used[x] = true
			}
		}
		if len(used) != n {
			t.Errorf("%d classes of %d are used", len(used), n)
		}
	}
}

// The table has the terms that it is filled with, and what is learned and labelled afterwards finds
// them.
func TestLearner(t *testing.T) {
	l, err := newLearner()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.fill(1000, someClasses); err != nil {
		t.Fatal(err)
	}
	table := l.state.Model().Text()
	if table.Vocabulary() != 1000 {
		t.Fatalf("%d terms, want 1000", table.Vocabulary())
	}
	texts := newSpeaker(1, 1000).texts(50)
	if err := l.label(texts); err != nil {
		t.Fatal(err)
	}
	if l.d.Tokens != documentWords || l.d.Known == 0 {
		t.Errorf("%d words of %d are known", l.d.Known, l.d.Tokens)
	}
	if err := l.learn(texts, func(int) string { return "new" }); err != nil {
		t.Fatal(err)
	}
	if c, ok := l.state.Model().Classes().ID("new"); !ok || table.Total(c) != 50*documentWords {
		t.Errorf("the words of 50 records are not all counted")
	}
	if got := l.cellsOf(texts); got < 1 || got > tableClasses+1 {
		t.Errorf("a word is known to %v classes", got)
	}
}
