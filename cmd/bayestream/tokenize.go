package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/model"
	"bayestream/internal/tokenize"
)

func init() {
	register(verb{
		name: "tokenize", group: "Try it on files", place: 7,
		summary: "Show each step from the bytes of a text to its terms.",
		example: `bayestream tokenize "Winners: http://win.example 50% OFF!"`,
		run:     runTokenize,
		outline: outline[tokenizeFlags](&tokenizeCommand),
	})
}

// tokenizeFlags are the flags of the verb tokenize.
type tokenizeFlags struct {
	JSON bool   `name:"json" help:"Write the steps as one JSON object."`
	Text string `arg:"" optional:"" help:"The text; - or none reads it from standard input, all of it as one text."`

	specFlags `embed:""`
}

var tokenizeCommand = config.Command{
	Name: program + " tokenize",
	About: "Shows what a text becomes: the bytes, the visible part where the spec says it is HTML, the normal form, the words, the words with classes for " +
		"numbers and addresses, what is left without stop words, the stems, and the terms that are counted. It is the code that counts and scores.",
	Examples: []config.Example{
		{What: "The default tokenizer", Type: `bayestream tokenize "Winners: http://win.example 50% OFF!"`},
		{What: "Pairs of words, not stemmed", Type: `bayestream tokenize --ngrams=2 --no-stem "election day results"`},
		{What: "As a spec says, for a script", Type: "bayestream tokenize --spec=sms.yaml --json - < mail.txt"},
	},
}

// tokenized is what tokenize prints.
type tokenized struct {
	Steps    []tokenize.Step `json:"steps"`
	Revision int             `json:"revision"` // of the tokenizer
}

func runTokenize(_ context.Context, p cli.Process) error {
	var f tokenizeFlags
	if err := tokenizeCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	spec, err := f.Short.spec(f.Spec)
	if err != nil {
		return err
	}
	if spec.Text == nil {
		return cli.WrongInput(errors.New("the spec reads no text, so there is nothing to tokenize"))
	}
	text := []byte(f.Text)
	if f.Text == "" || f.Text == "-" {
		if text, err = readText(p.Stdin, spec.Limits.RecordBytes); err != nil {
			return err
		}
	}
	out, err := tokenizeText(spec, text)
	if err != nil {
		return err
	}
	if f.JSON {
		e := json.NewEncoder(p.Stdout)
		e.SetEscapeHTML(false)
		return e.Encode(out)
	}
	w := &printer{w: p.Stdout}
	for _, s := range out.Steps {
		items := strings.Join(s.Items, " | ")
		if len(s.Items) == 0 {
			items = "(nothing)"
		}
		w.f("%-20s%s\n", s.Name, items)
	}
	return w.err
}

// readText reads a text of at most limit bytes.
func readText(r io.Reader, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(text) > limit {
		return nil, cli.WrongInput(fmt.Errorf("the text on standard input has more than %d bytes, limits.record_bytes of the spec", limit))
	}
	return text, nil
}

func tokenizeText(spec *model.Spec, text []byte) (*tokenized, error) {
	o, err := spec.Tokenizer()
	if err != nil {
		return nil, err
	}
	t, err := tokenize.New(o)
	if err != nil {
		return nil, err
	}
	out := &tokenized{Steps: t.NewScanner().Steps(text), Revision: tokenize.Revision}
	for i := range out.Steps {
		if out.Steps[i].Items == nil {
			out.Steps[i].Items = []string{} // an empty list is a list
		}
	}
	return out, nil
}
