package tokenize

import (
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/tokenize/swar"
)

// A Place is where a term is in a text: Seen()[Start:End].
type Place struct {
	Term       int // index in what AppendPlaces looks for
	Start, End uint32
}

// Read reads a text whose terms the lexicon has, so that Seen and AppendPlaces are about it.
func (s *Scanner) Read(text []byte, mark string, lexicon *bow.Lexicon) { s.number(text, mark, lexicon) }

// ReadLines is Read of a text of which CountLines has made terms.
func (s *Scanner) ReadLines(text []byte, mark string, lexicon *bow.Lexicon) {
	s.numberLines(text, mark, lexicon)
}

// Seen returns the text that was counted or read last, of HTML what it shows. It is a view, valid
// until the next text.
func (s *Scanner) Seen() []byte { return s.seen }

// AppendPlaces appends the places of some terms in the text that was counted or read last, in the
// order of their ends. wanted are the numbers of the terms in the lexicon, each once. Character
// n-grams have no place: they are in every word.
func (s *Scanner) AppendPlaces(dst []Place, wanted []uint32) []Place {
	if len(wanted) == 0 || s.options.chars() && !s.lines {
		return dst
	}
	from := len(dst)
	s.wanted.fill(wanted)
	if (s.options.NGrams <= 1 || s.lines) && len(s.numbers) == len(s.tokens) { // each word, or line, is one term
		for i, number := range s.numbers {
			if term := s.wanted.index(number); term >= 0 {
				dst = append(dst, Place{term, s.tokens[i].start, s.tokens[i].end})
			}
		}
	} else {
		dst = s.appendNGramPlaces(dst)
	}
	s.locate(dst[from:])
	return dst
}

// appendNGramPlaces goes over the words as number does: each is the end of a term of itself, and of
// the n-grams with the words before it. Stop words are none.
func (s *Scanner) appendNGramPlaces(dst []Place) []Place {
	var before [maxNGrams - 1]uint32 // where the words before begin, the last one first
	count := 0
	numbers := s.numbers
	for _, t := range s.tokens {
		w := s.words.of(s.textOf(t), t.kind)
		if w.begin == w.end {
			continue
		}
		start := t.start
		for n := 0; ; n++ {
			if term := s.wanted.index(numbers[n]); term >= 0 {
				dst = append(dst, Place{term, start, t.end})
			}
			if n == count {
				break
			}
			start = before[n]
		}
		numbers = numbers[count+1:]
		copy(before[1:], before[:])
		before[0] = t.start
		count = min(count+1, max(s.options.NGrams, 1)-1)
	}
	return dst
}

// numberSet finds the index of a number in a list. It is a hash table, mostly empty, as most
// numbers are not in the list.
type numberSet struct {
	numbers []uint32
	slots   []int32 // index + 1, from the slot of the low bits of the number on
}

// fill sets the list. It is kept.
func (set *numberSet) fill(numbers []uint32) {
	size := 64
	for size < 4*len(numbers) {
		size *= 2
	}
	set.numbers = numbers
	set.slots = slices.Grow(set.slots[:0], size)[:size]
	clear(set.slots)
	for i, number := range numbers {
		at := int(number) & (size - 1)
		for set.slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		set.slots[at] = int32(i) + 1
	}
}

// index returns the index of a number, -1 if it is not in the list.
func (set *numberSet) index(number uint32) int {
	at := int(number) & (len(set.slots) - 1)
	for set.slots[at] != 0 {
		if i := int(set.slots[at]) - 1; set.numbers[i] == number {
			return i
		}
		at = (at + 1) & (len(set.slots) - 1)
	}
	return -1
}

// locate turns places in the normal form into places in the text that was seen.
func (s *Scanner) locate(places []Place) {
	if len(places) == 0 || swar.IsASCII(s.seen) {
		return
	}
	s.pieces = s.normal.appendPieces(s.pieces[:0], s.seen)
	for i := range places {
		p := &places[i]
		p.Start = s.startOf(p.Start)
		p.End = s.endOf(p.End)
	}
}

// startOf returns where what begins at an offset of the normal form begins in the text.
func (s *Scanner) startOf(normal uint32) uint32 {
	at, _ := slices.BinarySearchFunc(s.pieces, normal+1, comparePiece)
	p := s.pieces[at-1] // the last that begins at the offset or before it
	if p.plain {
		return p.source + normal - p.normal
	}
	return p.source
}

// endOf returns where what ends at an offset of the normal form, which is not 0, ends in the text.
func (s *Scanner) endOf(normal uint32) uint32 {
	at, _ := slices.BinarySearchFunc(s.pieces, normal, comparePiece)
	p := s.pieces[at-1] // the last that begins before the offset
	switch {
	case p.plain:
		return p.source + normal - p.normal
	case at < len(s.pieces):
		return s.pieces[at].source
	}
	return uint32(len(s.seen))
}
