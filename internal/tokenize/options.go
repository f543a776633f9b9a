package tokenize

import (
	"fmt"
	"slices"
	"strings"
)

// Revision is the version of the tokenizer's rules. It is part of the counting fingerprint of a
// model, so it is raised whenever the terms of any text change, its sizes or the words at its ends;
// the golden corpus in testdata/golden.txt detects that of terms.
const Revision = 3

// Bounds of the options.
const (
	maxNGrams    = 5
	maxChars     = 8
	minTermBytes = 16
	maxTermBytes = 1024
	maxShortest  = 8
)

// Options say how text becomes terms. The zero value is not valid; a model's spec has defaults.
type Options struct {
	// Language is the English name of a language, in lower case, or "none": no stemming.
	Language string
	// Stem removes the endings of words, by the rules of Language.
	Stem bool
	// NGrams is the longest sequence of words that makes a term, 1 to 5. A term of several words
	// joins them with one space.
	NGrams int
	// CharMin and CharMax, when not 0, replace words by their character n-grams of CharMin to CharMax
	// runes, 1 to 8. A run of words without anything between them, as in Chinese or Thai, is one word
	// here. Words are then not stemmed, and NGrams must be 1.
	CharMin, CharMax int
	// Stop are words that make no terms. They are compared with the lower-cased word, before stemming.
	// [StopWords] has a list for each language.
	Stop []string
	// Shortest is the number of characters of the shortest word that makes a term, 1 to 8; 0 is 1.
	// Words of scripts that put no spaces between them, punctuation, emoji and classes have no such
	// bound.
	Shortest int
	// Punctuation says that runs of punctuation and symbols make terms of up to three characters:
	// "!!!", "£", ":-)". One character that most texts have, such as a comma, makes none.
	Punctuation bool
	// HTML says that the text is HTML: the visible text counts, and the hosts of links.
	HTML bool
	// Keep are the spellings that stay apart: "marks", "arabic", "hebrew" and "yo". All others are
	// folded.
	Keep []string
	// TermBytes is the length of the longest term, mark included. What is longer is cut at a rune.
	TermBytes int
}

// chars reports whether terms are character n-grams.
func (o Options) chars() bool { return o.CharMax > 0 }

// check returns what is wrong with the options, as a sentence.
func (o Options) check() error {
	switch {
	case o.Language != none && !slices.Contains(languages(), o.Language):
		return fmt.Errorf("tokenize: language is %q: use one of %s, or %s",
			o.Language, strings.Join(languages(), ", "), none)
	case o.NGrams < 1 || o.NGrams > maxNGrams:
		return fmt.Errorf("tokenize: n-grams of %d words: use 1 to %d", o.NGrams, maxNGrams)
	case o.TermBytes < minTermBytes || o.TermBytes > maxTermBytes:
		return fmt.Errorf("tokenize: terms of %d bytes: use %d to %d", o.TermBytes, minTermBytes, maxTermBytes)
	case o.Shortest < 0 || o.Shortest > maxShortest:
		return fmt.Errorf("tokenize: shortest words of %d characters: use 1 to %d", o.Shortest, maxShortest)
	case o.CharMin == 0 && o.CharMax == 0:
		return nil
	case o.CharMin < 1 || o.CharMax > maxChars || o.CharMin > o.CharMax:
		return fmt.Errorf("tokenize: character n-grams of %d to %d: use two numbers from 1 to "+
			"%d, the smaller first, or 0 and 0 for none",
			o.CharMin, o.CharMax, maxChars)
	case o.NGrams != 1:
		return fmt.Errorf("tokenize: n-grams of %d words together with character n-grams: use one of the two", o.NGrams)
	}
	return nil
}

// stopSet returns the stop words in normal form.
func stopSet(words []string, spelt spelling) (map[string]struct{}, error) {
	if len(words) == 0 {
		return nil, nil
	}
	set := make(map[string]struct{}, len(words))
	s := &Scanner{normal: newNormaliser(spelt)}
	for _, word := range words {
		s.read([]byte(word))
		s.split()
		if fault := stopFault(word, s.tokens); fault != "" {
			return nil, fmt.Errorf("tokenize: stop word %q %s", word, fault)
		}
		set[string(s.textOf(s.tokens[0]))] = struct{}{}
	}
	return set, nil
}

// stopFault says why a word with these tokens cannot be a stop word; "" if it can.
func stopFault(word string, tokens []token) string {
	switch {
	case strings.TrimSpace(word) == "":
		return "is empty"
	case len(tokens) == 0:
		return "has no letter, digit or emoji: punctuation and symbols cannot be left out one by one"
	case len(tokens) == 1 && tokens[0].kind > numClass:
		return fmt.Sprintf("is a number of more than %d digits, of which only the number of "+
			"digits counts: it cannot be left out", shortNumber)
	case len(tokens) == 2 && (tokens[0].kind == urlClass || tokens[0].kind == mailClass) && tokens[1].kind == hostWord:
		return "is an address, which counts as its class and its host: only a host can be left out"
	case len(tokens) != 1 || tokens[0].kind >= urlClass:
		return "is not one word: list each word by itself"
	}
	return ""
}
