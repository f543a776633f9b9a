package tokenize

import "unicode/utf8"

// addNGrams adds the n-grams of two words or more that end with a word.
func (s *Scanner) addNGrams(word []byte) {
	for n := 1; n <= s.count; n++ {
		s.gram = s.gram[:0]
		for _, w := range s.recent[s.count-n : s.count] {
			s.gram = append(s.gram, w...)
			s.gram = append(s.gram, ' ')
		}
		s.gram = append(s.gram, word...)
		s.add(s.gram)
	}
	s.remember(word)
}

// remember keeps a word for the n-grams to come.
func (s *Scanner) remember(word []byte) {
	if s.count < s.options.NGrams-1 {
		s.recent[s.count] = word
		s.count++
		return
	}
	copy(s.recent[:], s.recent[1:s.count])
	s.recent[s.count-1] = word
}

// A charRun is a run of words that touch, for character n-grams: " run ".
type charRun struct {
	text   []byte
	starts []int // of each character, and the end
	end    int   // of the run in the normalised text
}

// addChars lets a word go on with the run before it when nothing is between them, and ends that run
// otherwise. Classes, emoji and punctuation are no part of a run.
func (s *Scanner) addChars(t token, w *wordTerm) {
	word := s.words.stem(w)
	inRun := t.kind == plainWord || t.kind == oddWord
	if !inRun || int(t.start) != s.run.end || len(word) == 0 {
		s.endChars()
	}
	s.run.end = int(t.end)
	switch {
	case len(word) == 0:
	case t.kind >= urlClass, t.kind == emojiWord, t.kind == punctuation:
		s.addNumber(w)
	default:
		if len(s.run.text) == 0 {
			s.run.text = append(s.run.text, ' ')
		}
		s.run.text = append(s.run.text, word...)
	}
	if t.kind == hostWord {
		s.endChars()
	}
}

// endChars adds the character n-grams of the run, shortest first. A run too short for any is a term
// by itself.
func (s *Scanner) endChars() {
	if len(s.run.text) == 0 {
		return
	}
	s.run.close()
	length := len(s.run.starts) - 1
	if length < s.options.CharMin {
		s.add(s.run.text)
	}
	for n := s.options.CharMin; n <= min(length, s.options.CharMax); n++ {
		for i := 0; i+n <= length; i++ {
			gram := s.run.text[s.run.starts[i]:s.run.starts[i+n]]
			if n > 1 || gram[0] != ' ' {
				s.add(gram)
			}
		}
	}
	s.run.text = s.run.text[:0]
}

// close ends a run with its second space and finds its characters.
func (r *charRun) close() {
	r.text = append(r.text, ' ')
	r.starts = r.starts[:0]
	for i := 0; i < len(r.text); {
		r.starts = append(r.starts, i)
		_, size := utf8.DecodeRune(r.text[i:])
		i += size
	}
	r.starts = append(r.starts, len(r.text))
}
