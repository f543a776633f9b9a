package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/cli"
)

// renameProblems returns the problems of the flags of a new name.
func (f *labelsFlags) renameProblems() (found []error) {
	if f.Document == "" || f.Label == "" || f.Forget {
		found = append(found, errors.New("--rename wants two names and nothing else: labels --rename OLD NEW"))
	}
	if f.Model != "" && f.Named {
		found = append(found, errors.New("--model renames in a file, --brokers in the model log: give one of them"))
	}
	if f.Why != "" && f.Model != "" {
		found = append(found, errors.New("--why is for the model log, and not for --model"))
	}
	return found
}

// renamed is the output of --rename.
type renamed struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Documents int64  `json:"documents"` // of the class under its new name
	Offset    *int64 `json:"offset"`    // of the control record; null: a file
}

// rename gives a label another name.
func (f *labelsFlags) rename(ctx context.Context, p cli.Process) error {
	out := renamed{From: f.Document, To: f.Label}
	var err error
	if f.Model != "" {
		err = f.inFile(&out)
	} else {
		err = f.inLog(ctx, p, &out)
	}
	if err != nil {
		return refusedAsWrong(err)
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(out)
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is called %s, which has %s\n", escape.Text(out.From), escape.Text(out.To),
		counted(out.Documents, "document"))
	return err
}

// inFile renames in a model file.
func (f *labelsFlags) inFile(out *renamed) error {
	if _, err := os.Stat(f.Model); err != nil {
		return missing(err)
	}
	return inputError(changeModel(f.Model, nil, false, func(state *fold.State, _ *store.Store) error {
		if state.Spec().Names(f.Document) {
			return cli.WrongInput(fmt.Errorf("the spec of %s names class %q: train a model with another spec", f.Model,
				f.Document))
		}
		m := state.Model()
		if _, ok := m.Classes().ID(f.Document); !ok {
			return cli.WrongInput(fmt.Errorf("%s has no class %q; it has %s", f.Model, f.Document, firstQuoted(m.ClassNames())))
		}
		if err := m.Rename(f.Document, f.Label); err != nil {
			return cli.WrongInput(err)
		}
		id, _ := m.Classes().ID(f.Label)
		out.Documents = m.Classes().Documents(id)
		return nil
	}))
}

// inLog renames in the model log.
func (f *labelsFlags) inLog(ctx context.Context, p cli.Process, out *renamed) error {
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	state := fold.New(true)
	at, err := modellog.Command(ctx, client, f.ModelTopic, state, modellog.Rename(f.Document, f.Label, f.Why))
	if err != nil {
		return behindCut(err, "labels --rename", "relabel the documents, or count into a new --model-topic from records "+
			"that have the new label")
	}
	id, _ := state.Model().Classes().ID(f.Label)
	out.Documents = state.Model().Classes().Documents(id)
	out.Offset = &at
	return nil
}
