package demo

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"bayestream/internal/demo/news"
	"bayestream/internal/wire"
)

// item is a labelled text.
type item struct{ ID, Label, Text string }

// source returns items in order, none at the end.
type source interface {
	Next(n int) ([]item, error)
	Close() error
}

// newsOnce is the number of generated items with --once.
const newsOnce = 2000

// open opens the source that the options name.
func open(o Options) (source, error) {
	if o.Data == "" {
		left := -1
		if o.Once {
			left = newsOnce
		}
		return &newsSource{generator: news.New(o.Seed), left: left}, nil
	}
	f, err := os.Open(o.Data)
	if err != nil {
		return nil, err
	}
	decoder, err := wire.NewDecoder(wire.Schema{HasText: true})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	items, err := wire.NewItems(filepath.Base(o.Data), f, decoder)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s := &fileSource{file: f, items: items}
	s.first, err = s.read(1)
	if err == nil && len(s.first) == 0 {
		err = &EmptyError{Path: o.Data}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// EmptyError says that a file has no records.
type EmptyError struct{ Path string }

func (e *EmptyError) Error() string {
	return e.Path + " holds no records: want JSON Lines, each with a text and a label"
}

type newsSource struct {
	generator *news.Generator
	left      int // -1: no limit
}

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

func (s *newsSource) Close() error { return nil }

type fileSource struct {
	file  *os.File
	items *wire.Items
	first []item // read when the file was opened, to check that it has records
}

func (s *fileSource) Next(n int) ([]item, error) {
	first := s.first
	s.first = nil
	more, err := s.read(n - len(first))
	return append(first, more...), err
}

func (s *fileSource) read(n int) ([]item, error) {
	var out []item
	for len(out) < n {
		var x wire.Item
		err := s.items.Next(&x)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(out, item{x.ID, x.Label, x.Text})
	}
	return out, nil
}

func (s *fileSource) Close() error { return s.file.Close() }
