package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"bayestream/internal/cli"
	"bayestream/internal/config"
	"bayestream/internal/spec"
	"bayestream/internal/tokenize"
	"bayestream/internal/wire"
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
	Text string `arg:"" optional:"" help:"The text; - or none: all of standard input."`

	specFlags `embed:""`
}

var tokenizeCommand = config.Command{
	Name: program + " tokenize",
	About: "Shows each step of the tokenizer: the bytes, the visible text if the spec says html: true, the normal form, the words, the words with classes for " +
		"numbers and addresses, the words without stop words, the stems, and the terms that are counted. It runs the code of the workers.",
	Examples: []config.Example{
		{What: "The default tokenizer", Type: `bayestream tokenize "Winners: http://win.example 50% OFF!"`},
		{What: "Pairs of words, not stemmed", Type: `bayestream tokenize --ngrams=2 --no-stem "election day results"`},
		{What: "As a spec says, for a script", Type: "bayestream tokenize --spec=sms.yaml --json - < mail.txt"},
	},
}

// tokenized is the output of tokenize.
type tokenized struct {
	Steps    []tokenize.Step `json:"steps"`
	Revision int             `json:"revision"` // of the tokenizer
}

func runTokenize(_ context.Context, p cli.Process) error {
	var f tokenizeFlags
	if err := tokenizeCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	sp, err := f.Short.spec(f.Spec)
	if err != nil {
		return err
	}
	if sp.Text == nil {
		return cli.WrongInput(errors.New("the spec reads no text"))
	}
	text := []byte(f.Text)
	if f.Text == "" || f.Text == "-" {
		if text, err = readText(p.Stdin, sp.Limits.RecordBytes); err != nil {
			return err
		}
	}
	if err := checkText(text); err != nil {
		return err
	}
	out, err := tokenizeText(sp, text)
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

// checkText returns an error for bytes that are not UTF-8 text, which the workers reject too.
func checkText(text []byte) error {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return cli.WrongInput(fmt.Errorf("the text is not UTF-8: byte %d is 0x%02x", i+1, text[i]))
		}
		i += n
	}
	return nil
}

// readText reads a text of at most limit bytes, gzip or not.
func readText(r io.Reader, limit int) ([]byte, error) {
	unpacked, err := wire.UnpackedText("-", r)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, int64(limit)+1))
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("standard input: %w", wire.Unreadable(err)))
	}
	if len(text) > limit {
		return nil, cli.WrongInput(fmt.Errorf("the text on standard input has more than %d bytes, limits.record_bytes of the spec", limit))
	}
	return text, nil
}

func tokenizeText(s *spec.Spec, text []byte) (*tokenized, error) {
	o, err := s.Tokenizer()
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
			out.Steps[i].Items = []string{} // not null
		}
	}
	return out, nil
}
