package categorical

import "bayestream/internal/bow"

// Words evaluates a Likelihood of words that a lexicon numbers. It is scratch of one goroutine. It remembers where the counts of a word are until
// they change, because a stream has the same words again and again. The zero value is ready for use.
type Words struct {
	like    *Likelihood
	version uint64       // of like, when the rows were found
	lexicon *bow.Lexicon // that numbers the words
	rows    []int32      // by number of the word: what Likelihood.find returned, plus 2; 0: it was not asked
}

// Set is l.Set of the word with a number in a lexicon.
func (w *Words) Set(dst []float64, l *Likelihood, words *bow.Lexicon, number int) bool {
	if w.like != l || w.version != l.version || w.lexicon != words {
		clear(w.rows)
		w.like = l
		w.version = l.version
		w.lexicon = words
	}
	if n := words.Len(); len(w.rows) < n {
		w.rows = append(w.rows, make([]int32, n-len(w.rows))...)
	}
	word := words.Term(uint32(number))
	if w.rows[number] == 0 {
		w.rows[number] = int32(l.find(word) + 2)
	}
	return l.set(dst, word, int(w.rows[number]-2))
}
