package news

import (
	"strings"
	"testing"
	"unicode"
)

const many = 5_000

// take returns the first n items of a seed.
func take(seed uint64, n int) []Item {
	g := New(seed)
	items := make([]Item, n)
	for i := range items {
		items[i] = g.Next()
	}
	return items
}

// words splits a text into its words.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func TestSameSeedSameStream(t *testing.T) {
	first, second := take(7, 500), take(7, 500)
	for i := range first {
		if first[i] != second[i] {
			t.Fatalf("item %d of seed 7: got %+v, then %+v", i, first[i], second[i])
		}
	}
}

func TestOtherSeedOtherStream(t *testing.T) {
	same := 0
	first, second := take(7, 500), take(8, 500)
	for i := range first {
		if first[i].Text == second[i].Text {
			same++
		}
		if first[i].ID == second[i].ID {
			t.Fatalf("seeds 7 and 8 share the id %q: labels of one run would replace those of the other", first[i].ID)
		}
	}
	if same > 5 {
		t.Errorf("seeds 7 and 8 share %d of 500 texts, want at most 5", same)
	}
}

func TestLabelsAreBalanced(t *testing.T) {
	count := map[string]int{}
	for _, item := range take(2, many) {
		count[item.Label]++
	}
	if len(count) != 2 {
		t.Fatalf("labels %v, want %s and %s only", count, Election, Sports)
	}
	// Four standard deviations of a fair coin thrown 5,000 times are 141.
	for _, label := range []string{Election, Sports} {
		if n := count[label]; n < many/2-141 || n > many/2+141 {
			t.Errorf("%d of %d items are %s, want about half", n, many, label)
		}
	}
}

func TestTextsAreVaried(t *testing.T) {
	texts := map[string]bool{}
	vocabulary := map[string]bool{}
	for _, item := range take(3, many) {
		texts[item.Text] = true
		for _, w := range words(item.Text) {
			vocabulary[w] = true
		}
	}
	if len(texts) < many*99/100 {
		t.Errorf("%d distinct texts in %d, want 99 %%", len(texts), many)
	}
	if len(vocabulary) < 1_500 {
		t.Errorf("%d distinct words in %d texts, want 1,500", len(vocabulary), many)
	}
}

// The names of the three politicians are evidence for election and football is
// evidence for sport, but each occurs in both kinds.
func TestLectureWordsLean(t *testing.T) {
	count := map[string]map[string]int{Election: {}, Sports: {}}
	for _, item := range take(4, many) {
		seen := map[string]bool{}
		for _, w := range words(item.Text) {
			if !seen[w] {
				seen[w] = true
				count[item.Label][w]++
			}
		}
	}
	for word, label := range map[string]string{
		"romney": Election, "obama": Election, "clinton": Election, "football": Sports,
	} {
		other := Election
		if label == Election {
			other = Sports
		}
		own := count[label][word]
		against := count[other][word]
		if own < many/100 || against == 0 || own < 3*against {
			t.Errorf("%q is in %d texts of %s and %d of %s; want at least %d, 1, and three times as many",
				word, own, label, against, other, many/100)
		}
	}
}

// Words with a meaning in both kinds must occur in both.
func TestConfusingWordsAreShared(t *testing.T) {
	count := map[string]map[string]int{Election: {}, Sports: {}}
	for _, item := range take(5, many) {
		for _, w := range words(item.Text) {
			count[item.Label][w]++
		}
	}
	for _, word := range []string{
		"race", "win", "run", "campaign", "coach", "party", "defense", "poll", "leads", "season", "state", "field", "victory",
		"penalty", "president", "senator", "stadium", "debate", "vote", "team", "ballot", "captain", "overtime",
	} {
		e := count[Election][word]
		s := count[Sports][word]
		if e == 0 || s == 0 {
			t.Errorf("%q occurs %d times in election and %d times in sports, want both", word, e, s)
		}
	}
}

// stammers finds an article said twice, the template's and the word list's.
func stammers(text string) bool {
	before := ""
	for _, word := range words(text) {
		if word == before && (word == "the" || word == "a" || word == "an") {
			return true
		}
		before = word
	}
	return false
}

func TestTextsReadAsSentences(t *testing.T) {
	for _, item := range take(6, many) {
		switch first := strings.TrimLeft(item.Text, `"`)[0]; {
		case first >= 'a' && first <= 'z':
			t.Errorf("%s begins in lower case: %s", item.ID, item.Text)
		case strings.ContainsAny(item.Text, "{}\n"):
			t.Errorf("%s holds an unfilled slot or a line break: %s", item.ID, item.Text)
		case strings.Contains(item.Text, "  "), stammers(item.Text):
			t.Errorf("%s stumbles: %s", item.ID, item.Text)
		case !strings.ContainsAny(item.Text[len(item.Text)-1:], `."`):
			t.Errorf("%s does not end a sentence: %s", item.ID, item.Text)
		case len(item.Text) > 600:
			t.Errorf("%s has %d bytes, want at most 600: %s", item.ID, len(item.Text), item.Text)
		}
	}
}
