package tokenize

import "unicode/utf8"

// addWord emits a word and the word n-grams that end with it.
func (s *Scanner) addWord(word []byte, mark string, emit func(term []byte)) {
	s.put(word, mark, emit)
	for n := 1; n <= s.count; n++ {
		s.run.text = s.run.text[:0]
		for _, w := range s.recent[s.count-n : s.count] {
			s.run.text = append(append(s.run.text, w...), ' ')
		}
		s.run.text = append(s.run.text, word...)
		s.put(s.run.text, mark, emit)
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
// otherwise. Classes and emoji are no part of a run.
func (s *Scanner) addChars(t token, word []byte, mark string, emit func(term []byte)) {
	inRun := t.kind == plainWord || t.kind == oddWord
	if !inRun || int(t.start) != s.run.end || word == nil {
		s.endChars(mark, emit)
	}
	s.run.end = int(t.end)
	switch {
	case word == nil:
	case t.kind >= urlClass, t.kind == emojiWord:
		s.put(word, mark, emit)
	default:
		if len(s.run.text) == 0 {
			s.run.text = append(s.run.text, ' ')
		}
		s.run.text = append(s.run.text, word...)
	}
	if t.kind == hostWord {
		s.endChars(mark, emit)
	}
}

// endChars emits the character n-grams of the run, shortest first. A run too short for any is a term
// by itself.
func (s *Scanner) endChars(mark string, emit func(term []byte)) {
	if len(s.run.text) == 0 {
		return
	}
	s.run.close()
	length := len(s.run.starts) - 1
	if length < s.options.CharMin {
		s.put(s.run.text, mark, emit)
	}
	for n := s.options.CharMin; n <= min(length, s.options.CharMax); n++ {
		for i := 0; i+n <= length; i++ {
			gram := s.run.text[s.run.starts[i]:s.run.starts[i+n]]
			if n > 1 || gram[0] != ' ' {
				s.put(gram, mark, emit)
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
