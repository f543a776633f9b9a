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

// shownTerm is a term of the evidence with the words that it was made of.
type shownTerm struct {
	evidence int
	differs  bool // a word differs from the term in more than case
	count    int
	words    [maxWords]string
}

// words is the scratch with which an Extractor finds the terms of the evidence in the text again.
type words struct {
	order  []uint64    // number of a term in the lexicon << 32 | its evidence, sorted
	wanted []uint32    // the numbers
	terms  []shownTerm // of the numbers
	places []tokenize.Place
	bytes  []byte   // of all words
	as     []string // those that are shown
}

// SetWords sets Evidence.As in the decision on the document that was extracted last. It goes over the text again, for the
// terms of the evidence alone. What it sets is valid until the next call.
func (x *Extractor) SetWords(d *Decision, in *Input) {
	w := &x.words
	w.bytes = w.bytes[:0]
	w.as = w.as[:0]
	x.find(d, in, func(t *shownTerm, segment int, p tokenize.Place) {
		w.add(t, d.Evidence[t.evidence].Term, in.Segments[segment].Mark, x.scanner.Seen()[p.Start:p.End])
	})
	for i := range w.terms {
		if t := &w.terms[i]; t.differs {
			begin := len(w.as)
			w.as = append(w.as, t.words[:t.count]...)
			d.Evidence[t.evidence].As = w.as[begin:len(w.as):len(w.as)]
		}
	}
}

// find calls f with each place of a term of the evidence, in the order of a segment. The last segment is the first: of
// that one the scanner still has all.
func (x *Extractor) find(d *Decision, in *Input, f func(t *shownTerm, segment int, p tokenize.Place)) {
	w := &x.words
	w.order = w.order[:0]
	for i := range d.Evidence {
		if e := &d.Evidence[i]; e.Term != "" {
			w.order = append(w.order, uint64(e.Number)<<32|uint64(i))
		}
	}
	slices.Sort(w.order)
	w.wanted = w.wanted[:0]
	w.terms = w.terms[:0]
	for _, o := range w.order {
		w.wanted = append(w.wanted, uint32(o>>32))
		w.terms = append(w.terms, shownTerm{evidence: int(uint32(o))})
	}
	if len(w.wanted) == 0 {
		return
	}
	n := len(in.Segments)
	for k := range n {
		i := (n - 1 + k) % n
		if k > 0 {
			x.read(&in.Segments[i])
		}
		w.places = x.scanner.AppendPlaces(w.places[:0], w.wanted)
		for _, p := range w.places {
			f(&w.terms[p.Term], i, p)
		}
	}
}

// read reads a segment again.
func (x *Extractor) read(s *Segment) {
	if s.Lines {
		x.scanner.ReadLines(s.Text, s.Mark, x.lexicon)
		return
	}
	x.scanner.Read(s.Text, s.Mark, x.lexicon)
}

// add adds a word of a term, unless one that differs in case alone is there.
func (w *words) add(t *shownTerm, term, mark string, word []byte) {
	found := unsafe.String(unsafe.SliceData(word), len(word)) // while word does not change
	t.differs = t.differs || !strings.EqualFold(found, strings.TrimPrefix(term, mark))
	if t.count == maxWords {
		return
	}
	if t.count > 0 && t.words[t.count-1] == found {
		return
	}
	begin := len(w.bytes)
	w.bytes = appendClipped(w.bytes, word)
	shown := unsafe.String(unsafe.SliceData(w.bytes[begin:]), len(w.bytes)-begin)
	for _, have := range t.words[:t.count] {
		if strings.EqualFold(have, shown) {
			w.bytes = w.bytes[:begin]
			return
		}
	}
	t.words[t.count] = shown
	t.count++
}

// appendClipped appends a word, or its start and an ellipsis.
func appendClipped(dst, word []byte) []byte {
	if len(word) <= maxWordBytes {
		return append(dst, word...)
	}
	end := maxWordBytes
	for !utf8.RuneStart(word[end]) && end > 0 {
		end--
	}
	return append(append(dst, word[:end]...), "…"...)
}

// Span is where a term stands in a segment, in characters (code points).
type Span struct{ Segment, Start, End int }

// SetSpans sets Evidence.Spans and Segments in the decision on the document that was extracted last: the segments as they
// were read, of HTML what it shows.
func (x *Extractor) SetSpans(d *Decision, in *Input) {
	d.Segments = make([]Segment, len(in.Segments))
	for i, s := range in.Segments {
		d.Segments[i].Mark = s.Mark
		if x.scanner != nil {
			x.read(&s)
			d.Segments[i].Text = bytes.Clone(x.scanner.Seen())
		}
	}
	var count characters
	last := -1
	x.find(d, in, func(t *shownTerm, segment int, p tokenize.Place) {
		if segment != last {
			last = segment
			count = newCharacters(d.Segments[segment].Text)
		}
		e := &d.Evidence[t.evidence]
		e.Spans = append(e.Spans, Span{segment, count.before(p.Start), count.before(p.End)})
	})
	for i := range d.Evidence {
		slices.SortStableFunc(d.Evidence[i].Spans, func(a, b Span) int { return cmp.Compare(a.Segment, b.Segment) })
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
