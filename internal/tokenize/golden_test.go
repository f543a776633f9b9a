package tokenize

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/counts"
	"bayestream/internal/testing/filetest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.txt")

const goldenFile = "testdata/golden.txt"

// A goldenCase is a text under some options and its terms. Comments and the options line before it
// belong to the first case after them.
type goldenCase struct {
	before  []string // lines of the file before the text, as they are
	options string
	text    string
	terms   []string
	line    int
}

// TestGolden pins what the tokenizer does to its revision. Models are counted under a revision:
// when one text gives other terms, old counts and new ones must not meet in one table.
func TestGolden(t *testing.T) {
	cases, head := readGolden(t)
	changed := fmt.Sprintf("%s was written by revision %s and Revision is %d", goldenFile, head["revision"], Revision)
	same := head["revision"] == strconv.Itoa(Revision)
	advice := "if that is meant, raise Revision in options.go and run this test with -update"

	for i, c := range cases {
		got := terms(newScanner(t, goldenOptions(t, c)), c.text)
		for _, term := range got {
			if err := counts.CheckTerm([]byte(term)); err != nil {
				t.Errorf("%s:%d: a term %v", goldenFile, c.line, err)
			}
		}
		if diff := cmp.Diff(c.terms, got); diff != "" && !(*update && (!same || c.terms == nil)) {
			t.Errorf("%s:%d: the terms of %q changed: %s\n%s", goldenFile, c.line, c.text, advice, diff)
		}
		cases[i].terms = got
	}
	tables := hashEveryCharacter(t)
	if head["unicode"] != tables && !(*update && (!same || head["unicode"] == "")) {
		t.Errorf("%s: the terms of some character of Unicode changed, as when Go, x/text or uax29 bring a new version of Unicode: %s",
			goldenFile, advice)
	}
	stems := hashStems(t)
	if head["stems"] != stems && !(*update && (!same || head["stems"] == "")) {
		t.Errorf("%s: the stem of some word changed, as when a library brings other rules: %s", goldenFile, advice)
	}
	switch {
	case *update && !t.Failed():
		writeGolden(t, cases, tables, stems)
	case !same:
		t.Errorf("%s: run this test with -update", changed)
	}
}

// hashEveryCharacter sums up what the tokenizer does to each character of the planes that are in
// use, alone, between letters and between digits.
func hashEveryCharacter(t *testing.T) string {
	h := sha256.New()
	s := newScanner(t, plainOptions())
	everyCharacter(func(r rune) {
		c := string(r)
		s.Scan([]byte(c+" a"+c+"b 1"+c+"2"), "", func(term []byte) {
			if err := counts.CheckTerm(term); err != nil {
				t.Errorf("a term of %U %v", r, err)
			}
			h.Write(append(term, 0))
		})
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// hashStems sums up the stems of a vocabulary in each language: its function words, each with the
// ends of the others.
func hashStems(t *testing.T) string {
	h := sha256.New()
	for _, language := range languages() {
		words, err := StopWords(language)
		if err != nil {
			t.Fatal(err)
		}
		r := stemmer{language: language}
		for _, begin := range words {
			for _, word := range words {
				end := []rune(word)
				h.Write(append(r.stem([]byte(begin+string(end[len(end)/2:]))), 0))
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// everyCharacter calls f with each rune of the planes 0 to 3 and 14.
func everyCharacter(f func(r rune)) {
	for r := rune(0); r < 0xE1000; r++ {
		if r == 0x40000 {
			r = 0xE0000
		}
		if utf8.ValidRune(r) {
			f(r)
		}
	}
}

func goldenCases(t testing.TB) []goldenCase {
	cases, _ := readGolden(t)
	return cases
}

// readGolden reads the cases, and the values of the head.
func readGolden(t testing.TB) ([]goldenCase, map[string]string) {
	t.Helper()
	b := filetest.Read(t, goldenFile)
	var cases []goldenCase
	var c goldenCase
	head := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		key, rest, _ := strings.Cut(line, " ")
		switch key {
		case "revision", "unicode", "stems":
			head[key] = rest
		case "text":
			c.line = i + 1
			c.text = unquote(t, c.line, rest)[0]
			cases = append(cases, c)
			c.before = nil
		case "terms":
			last := &cases[len(cases)-1]
			last.terms = append(last.terms, unquote(t, i+1, rest)...)
		case "options":
			c.options = rest
			c.before = append(c.before, line)
		default:
			c.before = append(c.before, line)
		}
	}
	return cases, head
}

// unquote reads the quoted strings of a line.
func unquote(t testing.TB, line int, rest string) (list []string) {
	t.Helper()
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s:%d: %q: want Go strings in double quotes", goldenFile, line, rest)
		}
		s, _ := strconv.Unquote(quoted)
		list = append(list, s)
		rest = rest[len(quoted):]
	}
	return list
}

func writeGolden(t *testing.T, cases []goldenCase, tables, stems string) {
	var b strings.Builder
	for i, c := range cases {
		for _, line := range c.before {
			b.WriteString(line + "\n")
		}
		if i == 0 {
			b = strings.Builder{}
			split := slices.Index(c.before, "")
			b.WriteString(strings.Join(c.before[:split+1], "\n"))
			fmt.Fprintf(&b, "\nrevision %d\nunicode %s\nstems %s\n", Revision, tables, stems)
			b.WriteString(strings.Join(c.before[split+1:], "\n") + "\n")
		}
		fmt.Fprintf(&b, "text %s\n", strconv.Quote(c.text))
		writeTerms(&b, c.terms)
	}
	filetest.Write(t, goldenFile, b.String())
}

// writeTerms writes terms in lines of about a hundred characters.
func writeTerms(b *strings.Builder, terms []string) {
	line := "terms"
	for _, term := range terms {
		quoted := strconv.Quote(term)
		if utf8.RuneCountInString(line+quoted) > 100 {
			b.WriteString(line + "\n")
			line = "terms"
		}
		line += " " + quoted
	}
	b.WriteString(line + "\n")
}

// goldenOptions reads "language=english ngrams=2 chars=3-5 stop=french html keep=yo,marks
// punctuation term_bytes=16 nostem".
func goldenOptions(t testing.TB, c goldenCase) Options {
	t.Helper()
	o := DefaultOptions()
	for _, field := range strings.Fields(c.options) {
		key, value, _ := strings.Cut(field, "=")
		var err error
		switch key {
		case "default":
		case "language":
			o.Language = value
		case "nostem":
			o.Stem = false
		case "ngrams":
			o.NGrams, err = strconv.Atoi(value)
		case "chars":
			_, err = fmt.Sscanf(value, "%d-%d", &o.CharMin, &o.CharMax)
		case "stop":
			o.Stop, err = StopWords(value)
		case "html":
			o.HTML = true
		case "keep":
			o.Keep = strings.Split(value, ",")
		case "punctuation":
			o.Punctuation = true
		case "term_bytes":
			o.TermBytes, err = strconv.Atoi(value)
		default:
			t.Fatalf("%s: before line %d: no option %q", goldenFile, c.line, field)
		}
		if err != nil {
			t.Fatalf("%s: before line %d: option %q: %v", goldenFile, c.line, field, err)
		}
	}
	return o
}
