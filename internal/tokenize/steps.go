package tokenize

import (
	"bytes"

	"bayestream/internal/bow"
)

// A Step is what one stage of the tokenizer made of a text.
type Step struct {
	Name  string   `json:"step"`
	Items []string `json:"items"`
}

// Steps returns how a segment becomes terms, without its mark, stage by stage: the text as it came,
// its visible part (only for HTML), its normal form, the words, the words with classes for some, what
// is left without stop words, the stems, and the terms. A stage that the options turn off repeats the
// one before. Lines are terms at once.
func (s *Scanner) Steps(part *Segment) []Step {
	if part.Lines {
		var bag bow.Bag
		s.Count(&Segment{Text: part.Text, Lines: true}, &bag)
		var terms []string
		for i := range bag.Len() {
			terms = append(terms, bag.Name(i))
		}
		return []Step{{"bytes", []string{string(part.Text)}}, {"terms", terms}}
	}
	text := part.Text
	steps := []Step{{"bytes", []string{string(bytes.ToValidUTF8(text, []byte("\uFFFD")))}}}
	s.read(text)
	s.split()
	if s.options.HTML {
		steps = append(steps, Step{"visible", []string{string(s.visible)}})
	}
	steps = append(steps, Step{"normalised", []string{string(s.text)}})

	var words, classes, kept, stems, terms []string
	for _, t := range s.tokens {
		if t.kind != hostWord {
			words = append(words, string(s.text[t.start:t.end]))
		}
		word := string(s.textOf(t))
		classes = append(classes, word)
		if stem := s.words.stem(s.words.of(s.textOf(t), t.kind)); len(stem) > 0 {
			kept = append(kept, word)
			stems = append(stems, string(stem))
		}
	}
	s.Scan(text, "", func(term []byte) { terms = append(terms, string(term)) })
	return append(steps, Step{"words", words}, Step{"classes", classes}, Step{"without stop words", kept},
		Step{"stems", stems}, Step{"terms", terms})
}
