package tokenize

import "bytes"

// stemEnglish takes the ending off an English word of folded ASCII letters and apostrophes, writing over
// it, and returns the stem. It is Porter's second stemmer (snowballstem.org/algorithms/english) as
// kljensen/snowball has it, word for word: tests compare the two. It is here because a stream never runs
// out of words it has not met, and most of the time of a text of them would go into the library, which
// takes a microsecond or two and two allocations a word.
func stemEnglish(word []byte) []byte {
	if len(word) <= 2 {
		return word
	}
	if stem, ok := englishIrregular[string(word)]; ok {
		return word[:copy(word, stem)]
	}
	w := english{b: word}
	w.start()
	w.step0()
	w.step1a()
	w.step1b()
	w.step1c()
	w.step2()
	w.step3()
	w.step4()
	w.step5()
	for i, c := range w.b {
		if c == 'Y' {
			w.b[i] = 'y'
		}
	}
	return w.b
}

// An english word on its way to its stem. A y that sounds as a consonant is written Y. R1 is what
// follows the first consonant after a vowel, R2 the same within R1: endings go only where enough word
// is left before them.
type english struct {
	b      []byte
	r1, r2 int
}

func isEnglishVowel(c byte) bool { return englishVowels[c] }

var englishVowels = [256]bool{'a': true, 'e': true, 'i': true, 'o': true, 'u': true, 'y': true}

func (w *english) start() {
	for i, c := range w.b {
		if c == 'y' && (i == 0 || isEnglishVowel(w.b[i-1])) {
			w.b[i] = 'Y'
		}
	}
	w.r1 = w.afterVowelConsonant(0)
	for _, prefix := range [...]string{"gener", "commun", "arsen"} {
		if w.b[0] == prefix[0] && bytes.HasPrefix(w.b, []byte(prefix)) {
			w.r1 = len(prefix)
		}
	}
	w.r2 = w.afterVowelConsonant(w.r1)
}

func (w *english) afterVowelConsonant(from int) int {
	for i := from + 1; i < len(w.b); i++ {
		if isEnglishVowel(w.b[i-1]) && !isEnglishVowel(w.b[i]) {
			return i + 1
		}
	}
	return len(w.b)
}

func (w *english) has(suffix string) bool {
	return len(w.b) >= len(suffix) && string(w.b[len(w.b)-len(suffix):]) == suffix
}

// replace puts another ending in the place of the last n letters. It is never longer.
func (w *english) replace(n int, ending string) {
	w.b = append(w.b[:len(w.b)-n], ending...)
	w.r1, w.r2 = min(w.r1, len(w.b)), min(w.r2, len(w.b))
}

func (w *english) hasVowelBefore(end int) bool {
	for _, c := range w.b[:max(0, end)] {
		if isEnglishVowel(c) {
			return true
		}
	}
	return false
}

// endsShort reports whether the first n letters end in a short syllable: vowel and consonant at the
// start of the word, or vowel between consonants of which the second is not w, x or Y.
func (w *english) endsShort(n int) bool {
	switch {
	case n < 2:
		return false
	case n == 2:
		return isEnglishVowel(w.b[0]) && !isEnglishVowel(w.b[1])
	}
	last := w.b[n-1]
	return !isEnglishVowel(last) && last != 'w' && last != 'x' && last != 'Y' &&
		isEnglishVowel(w.b[n-2]) && !isEnglishVowel(w.b[n-3])
}

// step0 takes off the possessive.
func (w *english) step0() {
	n := len(w.b)
	if w.b[n-1] != '\'' && w.b[n-2] != '\'' {
		return
	}
	for _, suffix := range [...]string{"'s'", "'s", "'"} {
		if w.has(suffix) {
			w.replace(len(suffix), "")
			return
		}
	}
}

// step1a takes off the plural.
func (w *english) step1a() {
	if n := len(w.b); n == 0 || w.b[n-1] != 's' && w.b[n-1] != 'd' {
		return
	}
	switch {
	case w.has("sses"):
		w.replace(2, "")
	case w.has("ied"), w.has("ies"):
		if len(w.b) > 4 {
			w.replace(2, "")
		} else {
			w.replace(1, "")
		}
	case w.has("us"), w.has("ss"):
	case w.has("s") && w.hasVowelBefore(len(w.b)-2):
		w.replace(1, "")
	}
}

// step1b takes off -ed and -ing, with or without -ly.
func (w *english) step1b() {
	if len(w.b) == 0 {
		return
	}
	for _, suffix := range step1bEndings[w.b[len(w.b)-1]] {
		if !w.has(suffix) {
			continue
		}
		before := len(w.b) - len(suffix)
		switch {
		case suffix == "eed", suffix == "eedly":
			if before >= w.r1 {
				w.replace(len(suffix), "ee")
			}
		case w.hasVowelBefore(before):
			w.repair(before)
		}
		return
	}
}

var step1bEndings = [256][]string{'y': {"eedly", "ingly", "edly"}, 'g': {"ing"}, 'd': {"eed", "ed"}}

// repair cuts the word to n letters and gives back or takes what the ending took or brought: hop(e)d,
// hop(p)ed.
func (w *english) repair(n int) {
	r1, r2 := w.r1, w.r2
	w.replace(len(w.b)-n, "")
	switch {
	case w.has("at"), w.has("bl"), w.has("iz"):
		w.b = append(w.b, 'e')
	case w.endsDouble():
		w.b = w.b[:n-1]
	case w.r1 == n && w.endsShort(n):
		w.b = append(w.b, 'e')
		r1, r2 = n+1, n+1
	}
	w.r1, w.r2 = min(r1, len(w.b)), min(r2, len(w.b))
}

func (w *english) endsDouble() bool {
	n := len(w.b)
	return n >= 2 && w.b[n-1] == w.b[n-2] && bytes.IndexByte([]byte("bdfgmnprt"), w.b[n-1]) >= 0
}

// step1c turns a final y behind a consonant into i.
func (w *english) step1c() {
	n := len(w.b)
	if n > 2 && (w.b[n-1] == 'y' || w.b[n-1] == 'Y') && !isEnglishVowel(w.b[n-2]) {
		w.b[n-1] = 'i'
	}
}

// An ending and what comes in its place.
type ending struct{ from, to string }

// byLast sorts endings by their last letter and keeps their order.
func byLast(list ...ending) (sorted [256][]ending) {
	for _, e := range list {
		last := e.from[len(e.from)-1]
		sorted[last] = append(sorted[last], e)
	}
	return sorted
}

// find returns the first of the endings that the word has: they stand longest first.
func (w *english) find(list *[256][]ending) (e ending, found bool) {
	if len(w.b) == 0 {
		return ending{}, false
	}
	for _, e := range list[w.b[len(w.b)-1]] {
		if w.has(e.from) {
			return e, true
		}
	}
	return ending{}, false
}

var step2Endings = byLast(
	ending{"ational", "ate"}, ending{"fulness", "ful"}, ending{"iveness", "ive"}, ending{"ization", "ize"},
	ending{"ousness", "ous"}, ending{"biliti", "ble"}, ending{"lessli", "less"}, ending{"tional", "tion"},
	ending{"alism", "al"}, ending{"aliti", "al"}, ending{"ation", "ate"}, ending{"entli", "ent"}, ending{"fulli", "ful"},
	ending{"iviti", "ive"}, ending{"ousli", "ous"}, ending{"anci", "ance"}, ending{"abli", "able"}, ending{"alli", "al"},
	ending{"ator", "ate"}, ending{"enci", "ence"}, ending{"izer", "ize"}, ending{"bli", "ble"}, ending{"ogi", "og"},
	ending{"li", ""},
)

// step2 makes double endings single, in R1.
func (w *english) step2() {
	e, found := w.find(&step2Endings)
	before := len(w.b) - len(e.from)
	switch {
	case !found, before < w.r1:
	case e.from == "li":
		if before > 0 && bytes.IndexByte([]byte("cdeghkmnrt"), w.b[before-1]) >= 0 {
			w.replace(2, "")
		}
	case e.from == "ogi" && (before == 0 || w.b[before-1] != 'l'):
	default:
		w.replace(len(e.from), e.to)
	}
}

var step3Endings = byLast(
	ending{"ational", "ate"}, ending{"tional", "tion"}, ending{"alize", "al"}, ending{"icate", "ic"}, ending{"ative", ""},
	ending{"iciti", "ic"}, ending{"ical", "ic"}, ending{"ful", ""}, ending{"ness", ""},
)

// step3 goes on with that.
func (w *english) step3() {
	e, found := w.find(&step3Endings)
	before := len(w.b) - len(e.from)
	if !found || before < w.r1 || e.from == "ative" && before < w.r2 {
		return
	}
	w.replace(len(e.from), e.to)
}

var step4Endings = byLast(
	ending{from: "ement"}, ending{from: "ance"}, ending{from: "ence"}, ending{from: "able"}, ending{from: "ible"},
	ending{from: "ment"}, ending{from: "ent"}, ending{from: "ant"}, ending{from: "ism"}, ending{from: "ate"},
	ending{from: "iti"}, ending{from: "ous"}, ending{from: "ive"}, ending{from: "ize"}, ending{from: "ion"},
	ending{from: "al"}, ending{from: "er"}, ending{from: "ic"},
)

// step4 takes off what is left of an ending in R2.
func (w *english) step4() {
	e, found := w.find(&step4Endings)
	before := len(w.b) - len(e.from)
	if !found || before < w.r2 {
		return
	}
	if e.from == "ion" && (before == 0 || w.b[before-1] != 's' && w.b[before-1] != 't') {
		return
	}
	w.replace(len(e.from), "")
}

// step5 takes off a final e, and one l of two.
func (w *english) step5() {
	last := len(w.b) - 1
	switch {
	case last < w.r1:
	case w.b[last] == 'e':
		if last >= w.r2 || !w.endsShort(last) {
			w.replace(1, "")
		}
	case last >= w.r2 && w.has("ll"):
		w.replace(1, "")
	}
}

// englishIrregular are the words that the rules would spoil.
var englishIrregular = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
	"ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
	"atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes", "inning": "inning", "innings": "inning",
	"outing": "outing", "outings": "outing", "canning": "canning", "cannings": "canning", "herring": "herring",
	"herrings": "herring", "earring": "earring", "earrings": "earring", "proceed": "proceed", "proceeds": "proceed",
	"proceeded": "proceed", "proceeding": "proceed", "exceed": "exceed", "exceeds": "exceed", "exceeded": "exceed",
	"exceeding": "exceed", "succeed": "succeed", "succeeds": "succeed", "succeeded": "succeed", "succeeding": "succeed",
}
