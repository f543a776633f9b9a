package tokenize

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/counts"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// The reference does what the package does in the plainest way: whole texts through the libraries,
// no table, nothing eight bytes at a time, and uax29 for every word.

func referenceNormal(text []byte) string {
	pieces := strings.Split(string(text), string(honorific))
	for i, piece := range pieces {
		pieces[i] = referenceSettled(piece)
	}
	return strings.Join(pieces, string(honorific))
}

func referenceSettled(text string) string {
	s := string(appendKept(nil, []byte(text)))
	for range 4 {
		composed := norm.NFKC.String(cases.Fold().String(norm.NFKD.String(s)))
		next := string(appendKept(nil, spelling(0).respell([]byte(composed))))
		if next == s {
			break
		}
		s = next
	}
	return s
}

// referenceTokens returns each token of a normal form as the part of it that it stands for, and the
// part that goes on: "bob@mail.example"="<mail>".
func referenceTokens(normal string) []string {
	var out []string
	text := []byte(normal)
	for pos := 0; pos < len(text); {
		a, b := nextURL(text, pos), nextMail(text, pos)
		if b.start < a.start {
			a = b
		}
		next := a.start
		for pos < next {
			if strings.HasPrefix(normal[pos:], "www.") {
				if a, ok := wwwAt(text, pos); ok {
					out = append(out, referenceAddress(normal, a, "<url>")...)
					pos = a.end
					continue
				}
			}
			word := words.FromString(normal[pos:next]).First()
			if i := strings.IndexByte(word[1:], ':'); i >= 0 {
				word = word[:1+i]
			}
			made := referenceShape(word)
			pos += len(word)
			if m := signed.FindStringSubmatch(word + normal[pos:next]); m != nil && len(word) == 1 {
				pos += len(m[1]+m[2]) - len(word)
				word = m[1] + m[2]
				made |= odd
			} else if word == "net" && dotted.MatchString(normal[:pos]) {
				word = ".net"
				made |= odd
			}
			if made&(letter|digit|emoji) != 0 {
				if k := classify([]byte(word), made); k >= urlClass {
					out = append(out, word+"="+string(classTerms[k-urlClass]))
				} else {
					out = append(out, word+"="+word)
				}
			}
		}
		if pos == a.start && pos < len(text) {
			term := "<url>"
			if a.mail {
				term = "<mail>"
			}
			out = append(out, referenceAddress(normal, a, term)...)
			pos = a.end
		}
	}
	return out
}

var (
	signed = regexp.MustCompile(`^([a-z]#)(?:$|[^\w#])|^([a-z]\+\+)(?:$|[^\w+])`)
	dotted = regexp.MustCompile(`(?:^|[^\w.',;\x{80}-\x{10FFFF}])\.net$`)
)

func referenceAddress(normal string, a address, term string) []string {
	out := []string{normal[a.start:a.end] + "=" + term}
	if host := normal[a.hostStart:a.hostEnd]; host != "" {
		out = append(out, host)
	}
	return out
}

func referenceShape(word string) (made shape) {
	for _, r := range word {
		made |= shapeOf(r)
	}
	return made
}

// tokensOf returns the same of a scanner.
func tokensOf(s *Scanner, text []byte) []string {
	s.read(text)
	s.split()
	var out []string
	for _, t := range s.tokens {
		if t.kind == hostWord {
			out = append(out, string(s.textOf(t)))
		} else {
			out = append(out, string(s.text[t.start:t.end])+"="+string(s.textOf(t)))
		}
	}
	return out
}

// pieces are parts of texts that affect each other: every rule of UAX #29, marks that compose,
// characters that fold to several, hidden ones, addresses, and bytes that are no UTF-8.
var pieces = []string{
	"a", "b", "i", "s", "A", "Z", "word", "The", "running", "happy", "0", "7", "12", "12345", "_", ".", ",", ";", "'", ":", "\"", "-",
	" ", "  ", "\n", "\r\n", "\t", "\x00", "@", "/", "://", "http://", "https://", "ftp://", "www.", "bob@mail.example", "example.com", "[::1]", "?q=1", "#x", "+", "c#", "c++", ".net", "#", "%", "<", ">",
	"é", "É", "e\u0301", "\u0301", "\u0308", "\u0345", "ß", "ẞ", "ﬁ", "ŉ", "İ", "ı", "ς", "ά", "ᾳ", "Å", "½", "²", "Ⅷ", "㎏", "ｖ", "Ｖ", "：", "．", "𝐯",
	"’", "‘", "ʼ", "“", "”", "—", "…", "«", "·", "\u00a0", "\u3000", "\u2028", "£",
	"\u200b", "\u200c", "\u200d", "\u00ad", "\u202e", "\ufeff", "\u2060", "\ufe0f", "\U000e0041", "\u034f", "\u3164",
	"👍", "🏽", "\u200d🚀", "👩", "❤", "☺", "©", "🇫", "🇷", "🏴", "\U000e0067", "\U000e007f", "1\ufe0f\u20e3", "🈁", "🅰",
	"א", "״", "ל", "ع", "ر", "١", "٣", "م\u0650", "क", "\u094d", "ष", "ไ", "ท", "\u0e31", "中", "文", "カ", "タ", "ﾞ", "が", "ー", "か", "한", "\u1100", "\u1161", "\u11a8",
	"Ж", "ж", "ё", "Ё", "и\u0306", "\u0640", "\u064e", "\u05b8", "\u0310", "\u0489", "Ꭰ", "ꭰ", "ᏸ", "ǅ", "ა", "Ა", "\U00010400", "\U0001F3FB", "\uFFFD", "\xff", "\xc3", "\xe2\x80", "\xf0\x9f", "\xed\xa0\x80",
}

// anyText draws texts made of pieces, which meet the rules far more often than random bytes.
var anyText = rapid.Custom(func(t *rapid.T) []byte {
	var b strings.Builder
	for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces") {
		b.WriteString(p)
	}
	return []byte(b.String())
})

func newScanner(t testing.TB, o Options) *Scanner {
	t.Helper()
	tokenizer, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer.NewScanner()
}

// terms returns copies of the terms of a text.
func terms(s *Scanner, text string) []string {
	var out []string
	s.Scan([]byte(text), "", func(term []byte) { out = append(out, string(term)) })
	return out
}

// words returns the terms without stemming.
func plainOptions() Options {
	o := DefaultOptions()
	o.Stem = false
	return o
}

func validTerm(t testing.TB, term []byte, limit int) {
	if len(term) == 0 || len(term) > limit || !utf8.Valid(term) {
		t.Fatalf("term %q of %d bytes: want valid UTF-8 of 1 to %d bytes", term, len(term), limit)
	}
	if err := counts.CheckTerm(term); err != nil {
		t.Fatalf("a term %v", err)
	}
}
