package categorical

import "bayestream/internal/bow"

// Words evaluates a Likelihood of words that a lexicon numbers. It is scratch of one goroutine. It
// remembers where the counts of a word are until Prepare is called, because a stream has the same
// words again and again. The zero value is ready for use.
type Words struct {
	like    *Likelihood
	version uint64       // of like, when the rows were found
	lexicon *bow.Lexicon // that numbers the words
	fill    uint32       // how often one of these was another one
	// by number of the word: the fill when it was asked, and in the low half what Likelihood.find
	// returned
	rows []uint64
}

// Set is l.Set of the word with a number in a lexicon.
func (w *Words) Set(dst []float64, l *Likelihood, words *bow.Lexicon, number int) bool {
	if w.like != l || w.version != l.version || w.lexicon != words {
		w.like = l
		w.version = l.version
		w.lexicon = words
		w.begin()
	}
	if n := words.Len(); len(w.rows) < n {
		w.rows = append(w.rows, make([]uint64, n-len(w.rows))...)
	}
	word := words.Term(uint32(number))
	row := &w.rows[number]
	if uint32(*row>>32) != w.fill {
		*row = uint64(w.fill)<<32 | uint64(uint32(l.find(word)))
	}
	return l.set(dst, word, int(int32(*row)))
}

// begin forgets all rows. That takes no time but once in 2^32 times.
func (w *Words) begin() {
	w.fill++
	if w.fill == 0 {
		clear(w.rows)
		w.fill = 1
	}
}
