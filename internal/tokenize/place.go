package tokenize

import "slices"

// A Place is where a term is in a text: Seen()[Start:End].
type Place struct {
	Term       int // index in what AppendPlaces looks for
	Start, End uint32
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
	s.wanted = append(s.wanted, make([]int32, max(0, s.lexicon.Len()-len(s.wanted)))...)
	for i, number := range wanted {
		s.wanted[number] = int32(i) + 1
	}
	if (s.options.NGrams <= 1 || s.lines) && len(s.numbers) == len(s.tokens) { // each word, or line, is one term
		for i, number := range s.numbers {
			if term := s.wanted[number]; term > 0 {
				dst = append(dst, Place{int(term) - 1, s.tokens[i].start, s.tokens[i].end})
			}
		}
	} else {
		dst = s.appendNGramPlaces(dst)
	}
	for _, number := range wanted {
		s.wanted[number] = 0
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
			if term := s.wanted[numbers[n]]; term > 0 {
				dst = append(dst, Place{int(term) - 1, start, t.end})
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

// locate turns places in the normal form into places in the text that was seen.
func (s *Scanner) locate(places []Place) {
	if len(places) == 0 || s.normal.isASCII {
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
