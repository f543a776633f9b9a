package demo

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"unicode"

	"bayestream/internal/demo/news"
	"bayestream/internal/lab/dataset"
)

// item is a labelled text.
type item struct{ ID, Label, Text string }

// source returns items in order, none at the end.
type source interface {
	Next(n int) ([]item, error)
	Sample() string // the beginning of a text, letters, digits and spaces
}

// newsOnce is the number of generated items with --once.
const newsOnce = 2000

// open returns the source that the options name. Of a file it reads the first record.
func open(o Options) (source, error) {
	if o.Data == nil {
		left := -1
		if o.Once {
			left = newsOnce
		}
		return &newsSource{generator: news.New(o.Seed), left: left}, nil
	}
	s := &fileSource{reader: o.Data, bad: o.Bad}
	first, err := s.read(1)
	if err == nil && len(first) == 0 {
		err = ErrEmpty
	}
	s.first = first
	return s, err
}

// ErrEmpty says that a file has no records.
var ErrEmpty = errors.New("no labelled documents")

type newsSource struct {
	generator *news.Generator
	left      int // -1: no limit
}

// Next generates n items, or what is left.
func (s *newsSource) Next(n int) ([]item, error) {
	if s.left >= 0 {
		n = min(n, s.left)
		s.left -= n
	}
	out := make([]item, n)
	for i := range out {
		x := s.generator.Next()
		out[i] = item{x.ID, x.Label, x.Text}
	}
	return out, nil
}

// Sample returns words of both classes.
func (s *newsSource) Sample() string { return "a vote or a goal" }

type fileSource struct {
	reader dataset.Reader
	bad    *dataset.OnBad
	first  []item // read when the file was opened, to check that it has records
}

// Next reads n items, or what is left.
func (s *fileSource) Next(n int) ([]item, error) {
	first := s.first
	s.first = nil
	more, err := s.read(n - len(first))
	return append(first, more...), err
}

// Sample returns the first words of the file.
func (s *fileSource) Sample() string {
	const most = 18 // bytes
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	var out string
	for word := range strings.FieldsFuncSeq(s.first[0].Text, isMark) {
		if len(out)+1+len(word) > most {
			break
		}
		out = strings.TrimLeft(out+" "+word, " ")
	}
	return cmp.Or(out, "hello")
}

func (s *fileSource) read(n int) ([]item, error) {
	var out []item
	var rec dataset.Record
	for len(out) < n {
		err := s.reader.Read(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if err := s.bad.Pass(err); err != nil {
				return nil, err
			}
			continue
		}
		out = append(out, item{strings.Clone(rec.ID), strings.Clone(rec.Label), text(&rec)})
	}
	return out, nil
}

// text returns the text of a record, its parts on lines of their own.
func text(rec *dataset.Record) string {
	var b strings.Builder
	for _, s := range rec.Input.Segments {
		if s.Lines {
			continue // no text
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.Write(s.Text)
	}
	return b.String()
}
