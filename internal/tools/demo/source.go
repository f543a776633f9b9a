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

// newsOnce is the number of generated items with --once.
const newsOnce = 2000

// open returns the source that the options name. It reads the first record, or all to shuffle them.
func open(o Options) (*source, error) {
	s := &source{reader: o.Data, bad: o.Bad, spec: o.Spec}
	if o.Data == nil {
		left := -1
		if o.Once {
			left = newsOnce
		}
		s.reader, s.words = &newsReader{news.New(o.Seed), left}, "a vote or a goal" // of both classes
	}
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

type newsReader struct {
	generator *news.Generator
	left      int // below 0: no limit
}

func (r *newsReader) Read(rec *dataset.Record) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	x := r.generator.Next()
	*rec = dataset.Record{ID: x.ID, Label: x.Label, Input: wordsOf(x.Text), Value: []byte(x.Text), Format: wire.FormatText}
	return nil
}

func (r *newsReader) Close() error { return nil }

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

type source struct {
	reader dataset.Reader
	bad    *dataset.OnBad
	spec   *spec.Spec
	ahead  []item // read when it was opened, at least the first, and not returned yet
	words  string // to ask for; "": the first ones
}

// Next reads n items, or what is left.
func (s *source) Next(n int) ([]item, error) {
	ahead := s.ahead[:min(n, len(s.ahead))]
	s.ahead = s.ahead[len(ahead):]
	more, err := s.read(n - len(ahead))
	return slices.Concat(ahead, more), err
}

// Sample returns a document to ask for, without what a shell takes for something else: of the first
// words, or the first document where the spec reads no text.
func (s *source) Sample() string {
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
	return sample(s.spec, cmp.Or(s.words, out, "hello"))
}

func (s *source) read(n int) ([]item, error) {
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
