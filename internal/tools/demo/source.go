package demo

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/demo/news"
	"bayestream/internal/tools/lab/dataset"
)

// item is a labelled document: what is shown of it, and the values of its records.
type item struct {
	ID, Label, Text    string
	document, training []byte
}

// itemOf returns the item of a record, for workers with a spec. Each has an id: the demo knows
// decisions by it.
func itemOf(s *spec.Spec, rec *dataset.Record) (item, error) {
	rec.Explicit = false
	shown := text(rec)
	var err error
	if s.Text == nil {
		var object []byte
		object, err = rec.Object(s, false)
		shown = string(object)
	}
	rec.Explicit = true
	document, documentErr := rec.Body(s, false)
	training, trainingErr := rec.Body(s, true)
	return item{strings.Clone(rec.ID), strings.Clone(rec.Label), shown, bytes.Clone(document),
		bytes.Clone(training)}, cmp.Or(err, documentErr, trainingErr)
}

// source returns items in order, none at the end.
type source interface {
	Next(n int) ([]item, error)
	Sample() string // a document to ask for, without what a shell takes for something else
}

// newsOnce is the number of generated items with --once.
const newsOnce = 2000

// open returns the source that the options name. Of a file it reads the first record, or all to
// shuffle them.
func open(o Options) (source, error) {
	if o.Data == nil {
		left := -1
		if o.Once {
			left = newsOnce
		}
		return &newsSource{generator: news.New(o.Seed), left: left, spec: o.Spec}, nil
	}
	s := &fileSource{reader: o.Data, bad: o.Bad, spec: o.Spec}
	ahead := 1
	if o.Shuffle > 0 {
		ahead = math.MaxInt
	}
	var err error
	s.ahead, err = s.read(ahead)
	if err == nil && len(s.ahead) == 0 {
		err = ErrEmpty
	}
	if o.Shuffle > 0 {
		rand.New(rand.NewPCG(o.Shuffle, 0)).Shuffle(len(s.ahead),
			func(i, j int) { s.ahead[i], s.ahead[j] = s.ahead[j], s.ahead[i] })
	}
	return s, err
}

// ErrEmpty says that a file has no records.
var ErrEmpty = errors.New("no labelled documents")

type newsSource struct {
	generator *news.Generator
	left      int // -1: no limit
	spec      *spec.Spec
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
		var err error
		if out[i], err = itemOf(s.spec, &dataset.Record{ID: x.ID, Label: x.Label, Input: wordsOf(x.Text),
			Value: []byte(x.Text), Format: wire.FormatText}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Sample returns words of both classes.
func (s *newsSource) Sample() string { return sample(s.spec, "a vote or a goal") }

// wordsOf returns the input of a text.
func wordsOf(text string) model.Input {
	return model.Input{Segments: []model.Segment{{Text: []byte(text)}}}
}

// sample returns a text as a document of the workers: of mails it is the subject.
func sample(s *spec.Spec, text string) string {
	switch s.Format {
	case wire.FormatText:
		return text
	case wire.FormatMail:
		return "Subject: " + text
	}
	object, err := (&dataset.Record{Input: wordsOf(text)}).Object(s, false)
	if err != nil {
		return "{}" // a text of words is JSON
	}
	return string(object)
}

type fileSource struct {
	reader dataset.Reader
	bad    *dataset.OnBad
	spec   *spec.Spec
	ahead  []item // read when the file was opened, at least the first, and not returned yet
}

// Next reads n items, or what is left.
func (s *fileSource) Next(n int) ([]item, error) {
	ahead := s.ahead[:min(n, len(s.ahead))]
	s.ahead = s.ahead[len(ahead):]
	more, err := s.read(n - len(ahead))
	return slices.Concat(ahead, more), err
}

// Sample returns the first words of the file, or its first document where the spec reads no text.
func (s *fileSource) Sample() string {
	if s.spec.Text == nil {
		return strings.ReplaceAll(s.ahead[0].Text, "'", `\u0027`)
	}
	const most = 18 // bytes
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	var out string
	for word := range strings.FieldsFuncSeq(s.ahead[0].Text, isMark) {
		if len(out)+1+len(word) > most {
			break
		}
		out = strings.TrimLeft(out+" "+word, " ")
	}
	return sample(s.spec, cmp.Or(out, "hello"))
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
		x, err := itemOf(s.spec, &rec)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
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
