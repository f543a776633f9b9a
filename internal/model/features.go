package model

import (
	"fmt"

	"bayestream/internal/bow"
	"bayestream/internal/spec"
	"bayestream/internal/tokenize"
)

// Features are one document ready to be counted or scored. Numbers and Categories are slices of the Input.
type Features struct {
	Bag        bow.Bag
	Numbers    []Number
	Categories []Category
}

// TooManyTermsError says that a document has more distinct terms than the spec allows.
type TooManyTermsError struct{ Terms, Limit int }

func (e *TooManyTermsError) Error() string {
	return fmt.Sprintf("document has %d distinct terms, the limit is %d: shorten it or raise limits.terms_per_document", e.Terms, e.Limit)
}

// Extractor turns documents into features: it tokenizes them and counts their terms. It is for one goroutine.
type Extractor struct {
	scanner *tokenize.Scanner // nil: the spec has no text
	lexicon *bow.Lexicon
	limit   int
	words   words
}

// NewExtractor returns an extractor for models of the spec. The error may be a *spec.KeyError.
func NewExtractor(s *spec.Spec) (*Extractor, error) {
	x := &Extractor{limit: s.Limits.TermsPerDocument, lexicon: bow.NewLexicon()}
	if s.Text == nil {
		return x, nil
	}
	key, err := s.Key()
	if err != nil {
		return nil, err
	}
	if key != nil {
		x.lexicon = bow.NewMasked(key.Hasher().AppendTerm)
	}
	o, err := s.Tokenizer()
	if err != nil {
		return nil, err
	}
	t, err := tokenize.New(o)
	if err != nil {
		return nil, err
	}
	x.scanner = t.NewScanner()
	return x, nil
}

// Extract sets dst to the features of the document. Extracting other documents does not change them. The error is a
// *TooManyTermsError.
func (x *Extractor) Extract(dst *Features, in *Input) error {
	if x.lexicon.Full() {
		x.lexicon = x.lexicon.Empty()
	}
	dst.Bag.Use(x.lexicon)
	dst.Numbers = in.Numbers
	dst.Categories = in.Categories
	if x.scanner == nil {
		return nil
	}
	for _, s := range in.Segments {
		x.scanner.Count(s.Text, s.Mark, &dst.Bag)
	}
	if n := dst.Bag.Len(); n > x.limit {
		return &TooManyTermsError{Terms: n, Limit: x.limit}
	}
	return nil
}
