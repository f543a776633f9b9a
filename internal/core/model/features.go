package model

import (
	"bytes"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/spec"
	"bayestream/internal/tokenize"
)

// Features are one document ready to be counted or scored. Numbers and Categories are slices of the
// Input.
type Features struct {
	Bag        bow.Bag
	Runs       Runs // of characters, where the spec has corrections of them
	Numbers    []Number
	Categories []Category
}

// Clone returns a copy that shares no memory with f but the lexicon.
func (f *Features) Clone() *Features {
	out := &Features{Bag: f.Bag.Clone(), Runs: f.Runs.clone(), Numbers: slices.Clone(f.Numbers)}
	for _, c := range f.Categories {
		out.Categories = append(out.Categories, Category{Value: bytes.Clone(c.Value), Present: c.Present})
	}
	return out
}

// Extractor turns documents into features: it tokenizes them and counts their terms. Of a text with
// more distinct terms than limits.terms_per_document those count that occur first. It is for one
// goroutine.
type Extractor struct {
	scanner *tokenize.Scanner // nil: the spec has no text
	lexicon *bow.Lexicon
	bounds  bow.Bounds
	html    bool
	words   words
	runs    *runReader // nil: the spec has no corrections of characters
	longest int
}

// NewExtractor returns an extractor for models of the spec. The error may be a *spec.KeyError.
func NewExtractor(s *spec.Spec) (*Extractor, error) {
	x := &Extractor{lexicon: bow.NewLexicon()}
	if s.Text == nil {
		return x, nil
	}
	x.bounds = bow.Bounds{Terms: s.Limits.TermsPerDocument, Count: uint32(s.Text.Cap)}
	key, err := s.Key()
	if err != nil {
		return nil, err
	}
	if key != nil {
		x.lexicon = bow.NewMasked(key.Hasher().AppendTerm)
	}
	t, err := s.Tokenizer()
	if err != nil {
		return nil, err
	}
	x.scanner = t.NewScanner()
	if s.Text.Characters {
		x.runs = &runReader{most: s.Limits.TermsPerDocument}
		if key != nil {
			x.runs.mask = key.Hasher().AppendTerm
		}
	}
	x.html = s.Text.HTML
	return x, nil
}

// Extract sets dst to the features of the document. Extracting other documents does not change
// them.
func (x *Extractor) Extract(dst *Features, in *Input) {
	if x.lexicon.Full() {
		x.lexicon = x.lexicon.Empty()
	}
	dst.Bag.Use(x.lexicon)
	dst.Bag.Limit(x.bounds)
	dst.Numbers = in.Numbers
	dst.Categories = in.Categories
	if x.scanner == nil {
		return
	}
	length := 0
	for i := range in.Segments {
		x.scanner.Count(&in.Segments[i], &dst.Bag)
		length += len(in.Segments[i].Text)
	}
	x.longest = max(x.longest, length)
	if x.runs != nil {
		x.runs.runs(&dst.Runs, in)
	}
}

// Longest returns the bytes of the longest text that was extracted: the extractor takes some times
// as much.
func (x *Extractor) Longest() int { return x.longest }
