package tokenize

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"bayestream/internal/bow"
	"bayestream/internal/tokenize/htmltext"
)

// A Scanner turns texts into terms, one text after the other. It owns the memory this takes, so it
// belongs to one goroutine, and in steady state a text costs no allocation.
type Scanner struct {
	options Options
	normal  *normaliser
	words   wordCache
	own     *bow.Lexicon // of Scan

	// The text at hand.
	visible   []byte  // what it shows, when it is HTML
	hidden    []byte  // what counts of the text that it hides
	seen      []byte  // visible, or the text itself
	text      []byte  // its normal form
	lines     bool    // a line is a term
	tokens    []token // its words, or its lines
	between   []token // scratch of addPunctuation
	addresses addresses

	// Its terms.
	mark    string
	lexicon *bow.Lexicon
	numbers []uint32 // in the lexicon, in order
	apart   []uint32 // those of hidden text
	sizes   sizes
	edges   edges
	recent  [maxNGrams - 1][]byte // stems before the last one, oldest first
	count   int                   // how many of them there are
	gram    []byte
	run     charRun
	term    []byte // with its mark

	pieces []piece // scratch of AppendPlaces
	wanted []int32 // likewise, by number of a term: index + 1 in what is looked for; 0: it is not
}

// Scan calls emit with each term of text, in order. Every term begins with mark ("subject:"), is
// valid UTF-8, neither empty nor longer than Options.TermBytes, and only valid until emit returns.
func (s *Scanner) Scan(text []byte, mark string, emit func(term []byte)) {
	if s.own == nil || s.own.Full() {
		s.own = bow.NewLexicon()
	}
	s.number(text, mark, s.own)
	for _, number := range s.numbers {
		emit(s.own.Term(number))
	}
	for _, number := range s.apart {
		emit(s.own.Term(number))
	}
}

// A Segment is a piece of text; every term of it is marked by the prefix Mark ("subject:"), so that
// the same word counts apart in the subject of a mail and in its body. Plain text has no mark. The
// text is nil where it stands for a field that the document does not have.
type Segment struct {
	Mark  string
	Text  []byte
	Lines bool // each line is a term in normal form, whatever characters it has, like the host of a link
	Apart bool // a reader does not see it: it is counted, and has no part in the shape of the text
}

// Count adds the terms of a segment to bag: those that Scan emits, or its lines.
func (s *Scanner) Count(part *Segment, bag *bow.Bag) {
	s.Read(part, bag.Lexicon())
	if part.Apart {
		bag.AddApart(s.apart)
		bag.AddApart(s.numbers)
		return
	}
	bag.AddNumbers(s.numbers)
	bag.AddApart(s.apart)
	if part.Lines {
		return
	}
	bag.AddShape(s.sizes.longest, s.sizes.nonwords)
	if s.edges.ok {
		bag.SetEdges(s.edges.first, s.edges.last)
	}
}

// Read reads a segment, whose terms a lexicon numbers, so that Seen and AppendPlaces are about it.
func (s *Scanner) Read(part *Segment, lexicon *bow.Lexicon) {
	if part.Lines {
		s.numberLines(part.Text, part.Mark, lexicon)
	} else {
		s.number(part.Text, part.Mark, lexicon)
	}
}

// hiddenMark is in the marks of terms that the text hides: words of such a text are evidence of
// another kind.
const hiddenMark = "hidden:"

// number sets s.numbers to the numbers of all terms of a text in a lexicon, and s.apart to those of
// what it hides.
func (s *Scanner) number(text []byte, mark string, lexicon *bow.Lexicon) {
	s.apart = s.apart[:0]
	s.show(text)
	if len(s.hidden) > 0 {
		s.begin(mark+hiddenMark, lexicon)
		s.add([]byte(htmltext.Mark))
		s.numberWords(s.hidden)
		s.apart = append(s.apart, s.numbers...)
	}
	s.begin(mark, lexicon)
	s.numberWords(s.seen)
}

// numberWords appends the numbers of the terms of a text that shows what it is.
func (s *Scanner) numberWords(text []byte) {
	s.lines = false
	s.count = 0
	s.sizes = sizes{}
	s.text = s.normal.append(s.text[:0], text)
	s.split()
	for _, t := range s.tokens {
		w := s.words.of(s.textOf(t), t.kind)
		s.sizes.add(int(w.end-w.begin), t.kind)
		switch {
		case s.options.chars():
			s.addChars(t, w)
		case w.begin < w.end:
			s.addWord(w)
		}
	}
	s.endChars()
	s.setEdges()
}

// sizes are what can be seen of a text without reading its words.
type sizes struct {
	longest  int // bytes of the longest token, as the term of a word
	nonwords int // tokens that are no words
}

// add adds a token whose term has some bytes; 0: it is a stop word.
func (s *sizes) add(bytes int, k kind) {
	s.longest = max(s.longest, bytes)
	if bytes > 0 && k.isNonword() {
		s.nonwords++
	}
}

// edges are the numbers of the words that a text begins and ends with.
type edges struct {
	first, last uint32
	ok          bool // it has a word
}

// setEdges finds the first and the last word. Where terms are parts of words they are no terms of
// the text themselves. A text that ends with an address ends with its class: few texts end with the
// same host.
func (s *Scanner) setEdges() {
	s.edges.ok = false
	for _, t := range s.tokens {
		if w := s.words.of(s.textOf(t), t.kind); w.begin < w.end {
			s.edges.first = s.numberOf(w)
			s.edges.ok = true
			break
		}
	}
	for _, t := range slices.Backward(s.tokens) {
		if w := s.words.of(s.textOf(t), t.kind); w.begin < w.end && t.kind != hostWord {
			s.edges.last = s.numberOf(w)
			break
		}
	}
}

// numberLines sets s.numbers to the numbers of all lines of a text in a lexicon.
func (s *Scanner) numberLines(text []byte, mark string, lexicon *bow.Lexicon) {
	s.begin(mark, lexicon)
	s.apart = s.apart[:0]
	s.lines = true
	s.tokens = s.tokens[:0]
	s.seen = text
	s.text = s.normal.append(s.text[:0], text)
	for pos := 0; pos < len(s.text); {
		end := pos + bytes.IndexByte(s.text[pos:], '\n')
		if end < pos {
			end = len(s.text)
		}
		if pos < end {
			s.addToken(pos, end, hostWord)
			s.add(s.text[pos:end])
		}
		pos = end + 1
	}
}

// begin begins a text, whose terms are numbered by a lexicon.
func (s *Scanner) begin(mark string, lexicon *bow.Lexicon) {
	if s.lexicon != lexicon {
		s.lexicon = lexicon
		s.words.forgetNumbers()
	}
	s.mark = mark
	s.numbers = s.numbers[:0]
}

// read makes the normal form of a text.
func (s *Scanner) read(text []byte) {
	s.show(text)
	s.text = s.normal.append(s.text[:0], s.seen)
}

// show finds what a text shows, and what it hides.
func (s *Scanner) show(text []byte) {
	s.seen = text
	if s.options.HTML {
		s.visible, s.hidden = htmltext.Append(s.visible[:0], s.hidden[:0], text, appendWhere)
		s.seen = s.visible
	}
}

// addWord adds a word and the word n-grams that end with it.
func (s *Scanner) addWord(w *wordTerm) {
	s.addNumber(w)
	if s.options.NGrams > 1 {
		s.addNGrams(s.words.stem(w))
	}
}

func (s *Scanner) addNumber(w *wordTerm) { s.numbers = append(s.numbers, s.numberOf(w)) }

// numberOf returns the number of the term of a word, which the cache remembers without a mark.
func (s *Scanner) numberOf(w *wordTerm) uint32 {
	switch {
	case s.mark != "":
		return s.termNumber(s.words.stem(w))
	case w.number == 0:
		w.number = s.termNumber(s.words.stem(w)) + 1
	}
	return w.number - 1
}

// add adds one term, with its mark and cut to length.
func (s *Scanner) add(term []byte) { s.numbers = append(s.numbers, s.termNumber(term)) }

// termNumber returns the number of a term, with its mark and cut to length.
func (s *Scanner) termNumber(term []byte) uint32 {
	if s.mark != "" {
		s.term = append(s.term[:0], s.mark...)
		s.term = append(s.term, term...)
		term = s.term
	}
	return s.lexicon.Number(s.shorten(term))
}

// shorten cuts a term that is too long before the character that goes beyond the limit.
func (s *Scanner) shorten(term []byte) []byte {
	limit := s.options.TermBytes
	if len(term) <= limit {
		return term
	}
	for !utf8.RuneStart(term[limit]) {
		limit--
	}
	return term[:limit]
}
