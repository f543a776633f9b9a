package news

import "strings"

// cast names the slots that are filled once for a whole story, each with the
// word list it is filled from.
var cast = map[string]string{
	"Hero": "surname", "Rival": "surname", "Other": "surname", "Place": "place", "Club": "club", "Foe": "club",
}

// sentence appends the template with its slots filled and its first letter
// in upper case.
func (s *story) sentence(dst []byte, template string) []byte {
	start := len(dst)
	dst = s.expand(dst, template)
	for i := start; i < len(dst); i++ {
		if c := dst[i]; 'a' <= c && c <= 'z' {
			dst[i] = c - 'a' + 'A'
		}
		if dst[i] != '"' { // a quotation begins with its first word
			break
		}
	}
	return dst
}

// expand appends the template with each {slot} replaced by a word of the
// slot's list, which may contain slots itself. {a:slot} puts the article
// before the word.
func (s *story) expand(dst []byte, template string) []byte {
	for {
		before, rest, found := strings.Cut(template, "{")
		dst = append(dst, before...)
		if !found {
			return dst
		}
		slot, after, _ := strings.Cut(rest, "}")
		name, article := strings.CutPrefix(slot, "a:")
		filled := s.fill(name)
		if article {
			dst = append(dst, indefinite(filled)...)
		}
		dst = append(dst, filled...)
		template = after
	}
}

// fill returns the text of one slot.
func (s *story) fill(name string) string {
	list, fixed := cast[name]
	if !fixed {
		return s.draw(name)
	}
	if s.cast[name] == "" {
		s.cast[name] = s.newName(list)
	}
	return s.cast[name]
}

// newName draws a name that the story does not use yet.
func (s *story) newName(list string) string {
	for {
		name := s.draw(list)
		taken := false
		for _, other := range s.cast {
			taken = taken || other == name
		}
		if !taken {
			return name
		}
	}
}

// draw returns one entry of a word list, its own slots filled.
func (s *story) draw(list string) string {
	words := s.words(list)
	return string(s.expand(nil, words[s.random.IntN(len(words))]))
}

// words finds a list: first among those of the topic, then among the shared
// ones, then among those of the other topic.
func (s *story) words(list string) []string {
	for _, lists := range [...]map[string][]string{s.topic.words, sharedWords, s.topic.foreign} {
		if words := lists[list]; words != nil {
			return words
		}
	}
	panic("news: no word list " + list) // a misspelt slot in this package; the tests look at every one
}

// indefinite returns the indefinite article and a space for the word after it.
func indefinite(word string) string {
	if strings.IndexByte("aeiouAEIOU", word[0]) >= 0 && !strings.HasPrefix(word, "uni") && !strings.HasPrefix(word,
		"one") {
		return "an "
	}
	return "a "
}
