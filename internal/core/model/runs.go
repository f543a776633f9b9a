package model

import (
	"bytes"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

const (
	runLength = 5
	// MaxWhole is how many bytes of a text its runs are read from: of a mail the header, and the
	// beginning of a short body.
	MaxWhole = 4000
)

// RunsBlock is the name of what runs say in evidence.
const RunsBlock = "characters"

// Runs are all sequences of runLength characters in the first MaxWhole bytes of a text as it came,
// each once. They take no part in the counts: where the spec says so, corrections are of them in
// place of words.
type Runs struct {
	text []byte
	runs []run // in order of first occurrence
}

// run is where a sequence of characters is in a text.
type run struct{ begin, end uint32 }

// Len returns the number of runs.
func (r *Runs) Len() int { return len(r.runs) }

// Term returns the i-th run.
func (r *Runs) Term(i int) []byte { return r.text[r.runs[i].begin:r.runs[i].end] }

// Hash returns bow.Hash(Term(i)).
func (r *Runs) Hash(i int) uint64 { return bow.Hash(r.Term(i)) }

func (r *Runs) clone() Runs { return Runs{slices.Clone(r.text), slices.Clone(r.runs)} }

// runReader reads the runs of documents. It is scratch of one goroutine.
type runReader struct {
	most  int      // runs of a document
	mask  bow.Mask // of a run; nil: they are as they stand
	slots [2 * MaxWhole]struct{ document, index uint32 }
	read  uint32 // documents
	text  []byte // scratch
}

// runs sets dst to the runs of a document.
func (r *runReader) runs(dst *Runs, in *Input) {
	dst.text = dst.text[:0]
	dst.runs = dst.runs[:0]
	if in.Whole != nil {
		dst.append(in.Whole)
	}
	for i := 0; i < len(in.Segments) && in.Whole == nil; i++ {
		if i > 0 {
			dst.append([]byte{' '})
		}
		dst.append(in.Segments[i].Text)
	}
	r.read++
	if r.read == 0 { // wrapped: the runs of old documents would be those of this one
		clear(r.slots[:])
		r.read = 1
	}
	var begins [runLength]int // of the last characters, in a ring
	for at, n := 0, 0; at < len(dst.text) && len(dst.runs) < r.most; n++ {
		begins[n%runLength] = at
		_, size := utf8.DecodeRune(dst.text[at:])
		at += size
		if n >= runLength-1 {
			r.add(dst, begins[(n+1)%runLength], at)
		}
	}
	if r.mask != nil {
		r.hide(dst)
	}
}

// hide puts masks in the place of runs.
func (r *runReader) hide(dst *Runs) {
	r.text = r.text[:0]
	for i := range dst.runs {
		begin := uint32(len(r.text))
		r.text = r.mask(r.text, dst.Term(i))
		dst.runs[i] = run{begin, uint32(len(r.text))}
	}
	dst.text, r.text = r.text, dst.text
}

// add adds a run, if the document does not have it yet.
func (r *runReader) add(dst *Runs, begin, end int) {
	term := dst.text[begin:end]
	for at := bow.Hash(term) % uint64(len(r.slots)); ; at = (at + 1) % uint64(len(r.slots)) {
		slot := &r.slots[at]
		if slot.document != r.read {
			slot.document, slot.index = r.read, uint32(len(dst.runs))
			dst.runs = append(dst.runs, run{uint32(begin), uint32(end)})
			return
		}
		if bytes.Equal(dst.Term(int(slot.index)), term) {
			return
		}
	}
}

// append appends the beginning of a text, as the name of a term may be: control characters are
// blanks, and what is not UTF-8 is U+FFFD.
func (r *Runs) append(text []byte) {
	text = text[:min(len(text), max(0, MaxWhole-len(r.text)))]
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c <= '~' {
			r.text = append(r.text, c)
			i++
			continue
		}
		c, size := utf8.DecodeRune(text[i:])
		if unicode.IsControl(c) {
			c = ' '
		}
		r.text = utf8.AppendRune(r.text, c)
		i += size
	}
}

// terms are what corrects: the words of a document, or its runs.
type terms interface {
	Len() int
	Term(i int) []byte
	Hash(i int) uint64
}

// corrects returns what of a document corrects.
func (b *Builder) corrects(f *Features) terms {
	if b.spec.Text.Characters {
		return &f.Runs
	}
	return &f.Bag
}

// wordCorrections returns the corrections of words, nil if there are none.
func (m *Model) wordCorrections() *counts.Corrections {
	if m.spec.Text.Characters {
		return nil
	}
	return m.corrections
}

// ReadsCharacters reports whether what decides reads corrections of characters.
func (m *Model) ReadsCharacters() bool {
	return m.spec.Text != nil && m.spec.Text.Characters && m.lead.corrections > 0
}

// prepareRuns brings what reads the corrections of runs up to date.
func (m *Model) prepareRuns() {
	if m.corrections == nil || !m.spec.Text.Characters {
		m.runClasses = nil
		return
	}
	m.runClasses = counts.AppendNumbers(m.runClasses[:0], m.corrections.Classes.Names(), m.classes.Choice)
}

// setRuns sets s.runs to what the corrections of a model say of the runs of a document.
func (s *Scorer) setRuns(f *Features) {
	s.runs = zeros(s.runs, s.m.classes.Cap())
	s.addRuns(f, s.m.corrections.Table, s.m.runClasses)
}

// addRuns adds to s.runs, by class number, what corrections in a table say of the runs of a document,
// over the square root of their number. classes are the numbers of the classes of the table; -1: it
// has no documents.
func (s *Scorer) addRuns(f *Features, t *counts.Table, classes []int) {
	runs := &f.Runs
	unit := 1 / math.Sqrt(float64(max(1, runs.Len())))
	for i := range runs.runs {
		term := runs.Term(i)
		row := t.Lookup(bow.Hash(term), term)
		if row < 0 {
			continue
		}
		for _, cell := range t.Cells(row) {
			if class := classes[cell.Class()]; class >= 0 {
				s.runs[class] += unit * float64(cell.Count())
			}
		}
	}
}

// halfRuns is how many documents a model has learned in which runs weigh half of what they weigh in
// a large one: of few documents they say little.
const halfRuns = 3000

// runsWeight returns the factor of s.runs in the score of the text, 0 where they do not enter. The
// square root takes back what a temper makes of a text with that many tokens: so runs weigh alike in
// short texts and in long ones.
func (s *Scorer) runsWeight(by *joined) float64 {
	if !s.m.spec.Text.Characters {
		return 0
	}
	n := float64(s.m.classes.Total())
	return by.corrections * n / (n + halfRuns) * math.Sqrt(float64(s.known))
}

// addCharacters adds what s.runs say to the score of the text.
func (s *Scorer) addCharacters(by *joined) {
	if w := s.runsWeight(by); w != 0 {
		for c, score := range s.runs {
			s.text[c] += w * score
		}
	}
}

// thinRuns is the margin of s.runs that is like one nat of the words.
const thinRuns = 2

// aheadByRuns is Ahead where corrections are of runs. These judge by themselves: what the words get
// wrong is not what the characters have to learn.
func (j *Judge) aheadByRuns(m *Model, b *Builder, f *Features, label string) string {
	truth, isKnown := m.classes.Choice(label)
	if !isKnown || len(m.classes.Choices()) < 2 {
		return ""
	}
	s := j.scorer
	s.m = m
	s.setRuns(f)
	if b.pending.Vocabulary() > 0 {
		s.addRuns(f, b.pending, j.classesOf(b))
	}
	ahead := bestBut(truth, m.classes.Choices(), s.runs)
	if f.Runs.Len() == 0 || s.runs[truth]-s.runs[ahead] >= thinRuns*j.Margin {
		return ""
	}
	return m.classes.Name(ahead)
}
