package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/tokenize"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

// tokenized is the output of --steps for a document.
type tokenized struct {
	Steps    []tokenize.Step `json:"steps,omitempty"`
	Parts    []tokenizedPart `json:"parts,omitempty"` // of several texts, such as those of a mail, instead of the steps
	Revision int             `json:"revision"`        // of the tokenizer
}

// tokenizedPart is a text of a document.
type tokenizedPart struct {
	Mark  string          `json:"mark,omitempty"` // of its terms
	Steps []tokenize.Step `json:"steps"`
}

// showSteps shows how the texts become terms.
func (f *predictFlags) showSteps(ctx context.Context, p cli.Process) error {
	s, err := f.stepsSpec(ctx)
	if err != nil {
		return inputError(err)
	}
	if s.Text == nil {
		return cli.WrongInput(errors.New("the spec reads no text"))
	}
	o, err := s.Tokenizer()
	if err != nil {
		return err
	}
	t, err := tokenize.New(o)
	if err != nil {
		return err
	}
	if f.Text != nil {
		if err := checkText([]byte(*f.Text)); err != nil {
			return err
		}
		return f.writeSteps(p, stepsOf(t, []model.Segment{{Text: []byte(*f.Text)}}))
	}
	reader, err := f.reader(ctx, p, s, true, f.Files)
	if err != nil {
		return inputError(err)
	}
	first, bad := true, f.onBad(p)
	err = dataset.Each(reader, bad, func(rec *dataset.Record) error {
		if !first && !f.JSON {
			(&printer{w: p.Stdout}).f("\n")
		}
		first = false
		return f.writeSteps(p, stepsOf(t, rec.Input.Segments))
	})
	reportSkipped(p, bad.Skipped)
	return inputError(errors.Join(err, reader.Close()))
}

// stepsSpec returns the spec of the model, or without one that of --spec, else the default.
func (f *predictFlags) stepsSpec(ctx context.Context) (*spec.Spec, error) {
	if f.Model == "" {
		return (&shortFlags{}).spec(f.Spec)
	}
	state, err := modelfile.Load(ctx, f.Model.Reveal())
	if err == nil {
		err = f.unlock(state)
	}
	if err != nil {
		return nil, err
	}
	return state.Model().Spec(), nil
}

// stepsOf returns the steps of a text, or of each part of a document with several.
func stepsOf(t *tokenize.Tokenizer, parts []model.Segment) *tokenized {
	out := &tokenized{Revision: tokenize.Revision}
	for _, part := range parts {
		scanner := t.NewScanner()
		steps := scanner.Steps(part.Text)
		if part.Lines {
			steps = scanner.LineSteps(part.Text)
		}
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

// writeSteps writes the steps of a document.
func (f *predictFlags) writeSteps(p cli.Process, out *tokenized) error {
	if f.JSON {
		e := json.NewEncoder(p.Stdout)
		e.SetEscapeHTML(false)
		return e.Encode(out)
	}
	w := &printer{w: p.Stdout}
	writePart(w, out.Steps)
	for i, part := range out.Parts {
		if i > 0 {
			w.f("\n")
		}
		if part.Mark != "" {
			w.f("%-20s%s\n", "mark of the terms", part.Mark)
		}
		writePart(w, part.Steps)
	}
	return w.err
}

// writePart writes a line for each step.
func writePart(w *printer, steps []tokenize.Step) {
	for _, s := range steps {
		items := strings.Join(s.Items, " | ")
		if len(s.Items) == 0 {
			items = "(nothing)"
		}
		w.f("%-20s%s\n", s.Name, items)
	}
}
