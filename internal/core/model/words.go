package model

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"bayestream/internal/tokenize"
)

// Bounds on what is shown of the words of a term.
const (
	maxWords     = 4  // different ones
	maxWordBytes = 64 // of each
)

// words is the scratch with which an Extractor finds the terms of the evidence in the text again.
type words struct {
	terms  []shownTerm
	wanted []uint32 // their numbers in the lexicon
	places []tokenize.Place
	shown  []shownPlace
	seen   [][]byte // the segments as they were read
	bytes  []byte   // of those that the scanner forgets, and of words that are cut
	as     []string
}

// shownTerm is a term of the evidence.
type shownTerm struct {
	evidence    int
	first, last int32 // of its places, -1 for none
}

// shownPlace is where a term is.
type shownPlace struct {
	segment    int
	start, end uint32
	next       int32 // of the same term, -1 for none
}

// SetWords sets Evidence.As in the decision on the document that was extracted last. It goes over
// the text again, for the terms of the evidence alone. What it sets is valid until another document
// is read.
func (x *Extractor) SetWords(d *Decision, in *Input) {
	w := &x.words
	x.find(d, in)
	w.as = w.as[:0]
	for i := range w.terms {
		t := &w.terms[i]
		e := &d.Evidence[t.evidence]
		if !w.differs(t, e.Term, in) {
			continue
		}
		begin := len(w.as)
		for at := t.first; at >= 0 && len(w.as)-begin < maxWords; at = w.shown[at].next {
			w.addWord(begin, w.word(at))
		}
		e.As = w.as[begin:len(w.as):len(w.as)]
	}
}

// find finds the places of the terms of the evidence, of each in the order of a segment. The last
// segment is the first: of that one the scanner still has all.
func (x *Extractor) find(d *Decision, in *Input) {
	w := &x.words
	w.terms = w.terms[:0]
	w.wanted = w.wanted[:0]
	w.shown = w.shown[:0]
	w.bytes = w.bytes[:0]
	for i := range d.Evidence {
		if e := &d.Evidence[i]; e.Term != "" {
			w.terms = append(w.terms, shownTerm{i, -1, -1})
			w.wanted = append(w.wanted, e.Number)
		}
	}
	if len(w.wanted) == 0 {
		return
	}
	n := len(in.Segments)
	w.seen = slices.Grow(w.seen[:0], n)[:n]
	for k := range n {
		i := (n - 1 + k) % n
		if k > 0 {
			x.scanner.Read(&in.Segments[i], x.lexicon)
		}
		w.seen[i] = x.scanner.Seen()
		if n > 1 && x.html { // the next segment takes its memory
			begin := len(w.bytes)
			w.bytes = append(w.bytes, w.seen[i]...)
			w.seen[i] = w.bytes[begin:]
		}
		w.places = x.scanner.AppendPlaces(w.places[:0], w.wanted)
		for _, p := range w.places {
			w.add(&w.terms[p.Term], shownPlace{i, p.Start, p.End, -1})
		}
	}
}

func (w *words) add(t *shownTerm, p shownPlace) {
	at := int32(len(w.shown))
	w.shown = append(w.shown, p)
	if t.first < 0 {
		t.first = at
	} else {
		w.shown[t.last].next = at
	}
	t.last = at
}

// word returns what is at a place, in one line: a pair of words may stand in two.
func (w *words) word(at int32) []byte {
	p := &w.shown[at]
	word := w.seen[p.segment][p.start:p.end]
	if bytes.ContainsAny(word, "\t\n\v\f\r") {
		word = bytes.Join(bytes.Fields(word), []byte(" "))
	}
	return word
}

// differs reports whether a word of a term differs from it in more than case.
func (w *words) differs(t *shownTerm, term string, in *Input) bool {
	for at := t.first; at >= 0; at = w.shown[at].next {
		unmarked := strings.TrimPrefix(term, in.Segments[w.shown[at].segment].Mark)
		if !strings.EqualFold(view(w.word(at)), unmarked) {
			return true
		}
	}
	return false
}

// addWord adds a word to those from begin on, unless one that differs in case alone is there.
func (w *words) addWord(begin int, word []byte) {
	shown := view(w.clipped(word))
	for _, have := range w.as[begin:] {
		if strings.EqualFold(have, shown) {
			return
		}
	}
	w.as = append(w.as, shown)
}

// clipped returns a word, or its start and an ellipsis.
func (w *words) clipped(word []byte) []byte {
	if len(word) <= maxWordBytes {
		return word
	}
	end := maxWordBytes
	for !utf8.RuneStart(word[end]) && end > 0 {
		end--
	}
	begin := len(w.bytes)
	w.bytes = append(append(w.bytes, word[:end]...), "…"...)
	return w.bytes[begin:]
}

// view returns bytes, which do not change while it is used, as a string.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Span is where a term is in a segment, in characters (code points).
type Span struct{ Segment, Start, End int }

// SetSpans sets Evidence.Spans and Segments in the decision on the document that was extracted
// last: the segments as they were read, of HTML what it shows. It reads them again as SetWords did,
// so that the words stay.
func (x *Extractor) SetSpans(d *Decision, in *Input) {
	d.Segments = make([]Segment, len(in.Segments))
	for i := range in.Segments {
		d.Segments[i].Mark = in.Segments[i].Mark
		if x.scanner != nil {
			x.scanner.Read(&in.Segments[i], x.lexicon)
			d.Segments[i].Text = bytes.Clone(x.scanner.Seen())
		}
	}
	x.find(d, in)
	count := make([]characters, len(in.Segments))
	for i := range count {
		count[i] = newCharacters(d.Segments[i].Text)
	}
	w := &x.words
	for _, t := range w.terms {
		e := &d.Evidence[t.evidence]
		for at := t.first; at >= 0; at = w.shown[at].next {
			p := &w.shown[at]
			e.Spans = append(e.Spans, Span{p.segment, count[p.segment].before(p.start), count[p.segment].before(p.end)})
		}
		slices.SortStableFunc(e.Spans, func(a, b Span) int { return cmp.Compare(a.Segment, b.Segment) })
	}
}

// characters counts the characters of a text.
type characters struct {
	text   []byte
	blocks []int // characters before each block
}

const characterBlock = 64 // bytes

func newCharacters(text []byte) characters {
	c := characters{text: text}
	sum := 0
	for begin := 0; begin <= len(text); begin += characterBlock {
		c.blocks = append(c.blocks, sum)
		sum += starts(text[begin:min(begin+characterBlock, len(text))])
	}
	return c
}

// before returns how many characters are before an offset.
func (c *characters) before(offset uint32) int {
	block := offset / characterBlock
	return c.blocks[block] + starts(c.text[block*characterBlock:offset])
}

// starts counts the characters that begin in a part of a text.
func starts(part []byte) (n int) {
	for _, b := range part {
		if utf8.RuneStart(b) {
			n++
		}
	}
	return n
}
