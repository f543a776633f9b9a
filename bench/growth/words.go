package main

import (
	"math/rand/v2"
)

// word appends the i-th word of the vocabulary. Words differ, consist of letters, and are about as
// long as words of a language. Those of neighbouring numbers are not alike.
func word(dst []byte, i int) []byte {
	const odd = 2654435761 // multiplication by it permutes the numbers modulo 2^32
	for n := uint64(uint32(i) * odd); ; n = n/26 - 1 {
		dst = append(dst, 'a'+byte(n%26))
		if n < 26 {
			return dst
		}
	}
}

// Of the words of a language the r-th most frequent one has a share of about 1/(r+shift)^power of
// all (Zipf 1935, with the shift of Mandelbrot 1953). With these the first 200,000 words of a
// stream hold 30,000 different ones: more than those of AG News, 18,000.
const (
	power = 1.2
	shift = 2.7
)

// speaker draws words of a vocabulary with the frequencies of a language.
type speaker struct{ zipf *rand.Zipf }

func newSpeaker(seed uint64, vocabulary int) *speaker {
	r := rand.New(rand.NewPCG(seed, 0x67726f77))
	return &speaker{rand.NewZipf(r, power, shift, uint64(vocabulary-1))}
}

// text returns a text of some words.
func (s *speaker) text(words int) (text []byte) {
	for i := range words {
		if i > 0 {
			text = append(text, ' ')
		}
		text = word(text, int(s.zipf.Uint64()))
	}
	return text
}

// texts returns n texts of documentWords.
func (s *speaker) texts(n int) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = s.text(documentWords)
	}
	return out
}

// documentWords is how many words a document has.
const documentWords = 100
