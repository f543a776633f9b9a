package model

import (
	"fmt"

	"bayestream/internal/bow"
	"bayestream/internal/tokenize"
)

// Features are one document ready to be counted or scored. Numbers and Categories are those of the
// Input they came from.
type Features struct {
	Bag        bow.Bag
	Numbers    []Number
	Categories []Category
}

// ErrTooManyTerms says that a document has more distinct terms than the spec allows.
type ErrTooManyTerms struct{ Terms, Limit int }

func (e *ErrTooManyTerms) Error() string {
	return fmt.Sprintf("document has %d distinct terms, the limit is %d: shorten it or raise limits.terms_per_document", e.Terms, e.Limit)
}

// Extractor turns documents into features: it tokenizes and counts. It is scratch of one goroutine.
type Extractor struct {
	scanner *tokenize.Scanner // nil: the spec has no text
	limit   int
	add     func(term []byte)
	into    *bow.Bag
}

// NewExtractor returns an extractor for models of the spec.
func NewExtractor(s *Spec) (*Extractor, error) {
	x := &Extractor{limit: s.Limits.TermsPerDocument}
	x.add = func(term []byte) { x.into.Add(term) } // made once: a closure per document would be garbage
	if s.Text == nil {
		return x, nil
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

// Extract sets dst to the features of the document.
func (x *Extractor) Extract(dst *Features, in *Input) error {
	dst.Bag.Reset()
	dst.Numbers, dst.Categories = in.Numbers, in.Categories
	if x.scanner == nil {
		return nil
	}
	x.into = &dst.Bag
	for _, s := range in.Segments {
		x.scanner.Scan(s.Text, s.Mark, x.add)
	}
	if n := dst.Bag.Len(); n > x.limit {
		return &ErrTooManyTerms{Terms: n, Limit: x.limit}
	}
	return nil
}
