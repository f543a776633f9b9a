package tokenize

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func punctuationOptions() Options {
	o := DefaultOptions()
	o.Punctuation = true
	return o
}

// run is the reference for a run of punctuation and its first three characters.
var run = regexp.MustCompile(`([\pP\pS]{1,3})[\pP\pS]*`)

// The words are those that there are without punctuation, and between them stand the runs that a
// regular expression finds.
func TestPunctuationStandsBetweenWords(t *testing.T) {
	words, both := newScanner(t, DefaultOptions()), newScanner(t, punctuationOptions())
	rapid.Check(t, func(t *rapid.T) {
		words.read(anyText.Draw(t, "text"))
		words.read(bytes.ReplaceAll(words.text, []byte("\uFFFD"), []byte("   "))) // no punctuation here
		words.split()
		text := words.text
		var want []token
		pos := 0
		for _, w := range append(words.tokens, token{start: uint32(len(words.text)), end: uint32(len(words.text))}) {
			if gap := int(w.start); gap > pos {
				for _, at := range run.FindAllSubmatchIndex(text[pos:gap], -1) {
					if one := string(text[pos+at[0] : pos+at[1]]); !strings.Contains(".|,|:|;|'|\"|(|)|[|]|-|/|、|。|「|」", one) {
						want = append(want, token{uint32(pos + at[2]), uint32(pos + at[3]), punctuation})
					}
				}
			}
			pos = max(pos, int(w.end))
			want = append(want, w)
		}
		both.read(text)
		both.split()
		if diff := cmp.Diff(want[:len(want)-1], append([]token{}, both.tokens...), cmp.AllowUnexported(token{})); diff != "" {
			t.Fatalf("%q (-reference +scanner):\n%s", both.text, diff)
		}
	})
}

// Punctuation is never a short word, and no part of the characters of words.
func TestPunctuationWithOtherOptions(t *testing.T) {
	const text = `Hi!! <3 to £5...`
	for _, c := range []struct {
		name   string
		change func(*Options)
		want   []string
	}{
		{"alone", func(*Options) {}, []string{"hi", "!!", "<", "3", "to", "£", "5", "..."}},
		{"shortest", func(o *Options) { o.Shortest = 3 }, []string{"!!", "<", "£", "..."}},
		{"pairs", func(o *Options) { o.NGrams = 2 }, []string{"hi", "!!", "hi !!", "<", "!! <", "3", "< 3", "to", "3 to", "£", "to £", "5", "£ 5", "...", "5 ..."}},
		{"characters", func(o *Options) { o.CharMin, o.CharMax = 3, 3 }, []string{" hi", "hi ", "!!", "<", " 3 ", " to", "to ", "£", " 5 ", "..."}},
	} {
		o := punctuationOptions()
		c.change(&o)
		if diff := cmp.Diff(c.want, terms(newScanner(t, o), text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
