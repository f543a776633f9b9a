package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tokenize"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
)

type tokenizeFlags struct {
	JSON   bool   `name:"json" help:"Write the steps as one JSON object."`
	Format string `enum:"text,mail," default:"" placeholder:"text|mail" help:"Format of standard input: text, or mail, of which the parts are shown that are counted. Default: mail if the spec says so, else text."`
	Text   string `arg:"" optional:"" help:"The text; - or none: all of standard input."`

	specFlags `embed:""`
}

var tokenizeVerb = verbOf[tokenizeFlags](config.Command{
	Name:    "tokenize",
	Summary: "Show each step from the bytes of a text to its terms.",
	About: "Shows each step of the tokenizer: the bytes, the visible text if the spec says html: true, the normal " +
		"form, the words, the words with classes for numbers and addresses, the words without stop words, the " +
		"stems, and the terms that are counted. It runs the code of the workers.",
	Examples: []config.Example{
		{What: "The default tokenizer", Type: `bayestream tokenize "Winners: http://win.example 50% OFF!"`},
		{What: "Pairs of words, not stemmed", Type: `bayestream tokenize --ngrams=2 --no-stem "election day results"`},
		{What: "The parts of a mail", Type: "bayestream tokenize --format=mail < one.eml"},
		{What: "As a spec says, for a script", Type: "bayestream tokenize --spec=sms.yaml --json - < mail.txt"},
	},
})

type tokenized struct {
	Steps    []tokenize.Step `json:"steps,omitempty"`
	Parts    []tokenizedPart `json:"parts,omitempty"` // of a mail, instead of the steps
	Revision int             `json:"revision"`        // of the tokenizer
}

type tokenizedPart struct {
	Mark  string          `json:"mark,omitempty"` // of its terms
	Steps []tokenize.Step `json:"steps"`
}

func (f *tokenizeFlags) run(_ context.Context, p cli.Process) error {
	s, err := f.Short.spec(f.Spec)
	if err != nil {
		return err
	}
	if s.Text == nil {
		return cli.WrongInput(errors.New("the spec reads no text"))
	}
	t, err := s.Tokenizer()
	if err != nil {
		return err
	}
	parts, err := f.parts(p, s)
	if err != nil {
		return err
	}
	return f.write(p, stepsOf(t, parts))
}

// parts returns the text of the argument or of standard input, or the parts of a mail.
func (f *tokenizeFlags) parts(p cli.Process, s *spec.Spec) ([]model.Segment, error) {
	if f.Text != "" && f.Text != "-" {
		return []model.Segment{{Text: []byte(f.Text)}}, checkText([]byte(f.Text))
	}
	text, err := readText(p.Stdin, s.Limits.RecordBytes)
	if err != nil {
		return nil, err
	}
	if f.Format != wire.FormatMail && (f.Format != "" || s.Format != wire.FormatMail) {
		return []model.Segment{{Text: text}}, checkText(text)
	}
	o := dataset.Options{Format: dataset.Mail, Spec: s, Unlabelled: true}
	r, err := dataset.Open(o, bytes.NewReader(text), "-")
	if err != nil {
		return nil, err
	}
	rec := &dataset.Record{}
	if err := r.Read(rec); err != nil {
		return nil, inputError(err)
	}
	return rec.Input.Segments, nil
}

// readText reads a text of at most limit bytes, gzip or not.
func readText(r io.Reader, limit int) ([]byte, error) {
	unpacked, _, err := dataset.OpenText(dataset.Options{UTF8: true}, r, "-")
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, int64(limit)+1))
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("standard input: %w", wire.Unreadable(err)))
	}
	if len(text) > limit {
		return nil, cli.WrongInput(fmt.Errorf("the text on standard input has more than %d "+
			"bytes, limits.record_bytes of the spec", limit))
	}
	return text, nil
}

// stepsOf returns the steps of a text, or of each part of a mail.
func stepsOf(t *tokenize.Tokenizer, parts []model.Segment) *tokenized {
	out := &tokenized{Revision: tokenize.Revision}
	for _, part := range parts {
		scanner := t.NewScanner()
		steps := scanner.Steps(&part)
		for i := range steps {
			if steps[i].Items == nil {
				steps[i].Items = []string{} // not null
			}
		}
		out.Parts = append(out.Parts, tokenizedPart{Mark: part.Mark, Steps: steps})
	}
	if len(out.Parts) == 1 && out.Parts[0].Mark == "" {
		out.Steps, out.Parts = out.Parts[0].Steps, nil
	}
	return out
}

func (f *tokenizeFlags) write(p cli.Process, out *tokenized) error {
	if f.JSON {
		e := json.NewEncoder(p.Stdout)
		e.SetEscapeHTML(false)
		return e.Encode(out)
	}
	w := &printer{w: p.Stdout}
	writeSteps(w, out.Steps)
	for i, part := range out.Parts {
		if i > 0 {
			w.f("\n")
		}
		if part.Mark != "" {
			w.f("%-20s%s\n", "mark of the terms", part.Mark)
		}
		writeSteps(w, part.Steps)
	}
	return w.err
}

func writeSteps(w *printer, steps []tokenize.Step) {
	for _, s := range steps {
		items := strings.Join(s.Items, " | ")
		if len(s.Items) == 0 {
			items = "(nothing)"
		}
		w.f("%-20s%s\n", s.Name, items)
	}
}
