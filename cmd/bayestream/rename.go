package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name: "rename", group: "Keep it", place: 10,
		summary: "Give a class another name, or merge it into another class.",
		example: "bayestream rename --model=sms.db spam junk",
		run:     cli.Watched(runRename),
		outline: outline[renameFlags](&renameCommand),
	})
}

// renameFlags are the flags of the verb rename.
type renameFlags struct {
	Model string `type:"path" placeholder:"M.db" help:"Model file that was trained on files. For the model of running workers use --brokers."`
	Why   string `placeholder:"TEXT" help:"With --brokers: the reason, for those who read the log."`
	JSON  bool   `name:"json" help:"Write the result as one JSON object."`
	From  string `arg:"" name:"from" help:"Class to rename."`
	To    string `arg:"" name:"to" help:"Its new name. If a class has it, the counts are added to those of that class."`

	brokerFlags `embed:""`
}

var renameCommand = config.Command{
	Name: program + " rename",
	About: "Moves everything that a class counted to another name, exactly, in a model file or in the model log, after which every worker has the new name. Documents " +
		"that were learned under the old name can still be replaced and forgotten. Records that come with the old label make the class again: change " +
		"what writes them first. A class that the spec names cannot be renamed.",
	Examples: []config.Example{
		{What: "In a model file", Type: "bayestream rename --model=sms.db spam junk"},
		{What: "In the model of the workers", Type: "bayestream rename --brokers=127.0.0.1:9092 spam junk"},
	},
}

// Validate returns all problems of the flags.
func (f renameFlags) Validate() error {
	found := f.problems()
	if (f.Model == "") == (len(f.Brokers) == 0) {
		found = append(found, errors.New("give either --model, a model file, or --brokers, for the model log"))
	}
	if f.Why != "" && len(f.Brokers) == 0 {
		found = append(found, errors.New("--why has an effect only with --brokers"))
	}
	return errors.Join(found...)
}

// renamed is the output of rename.
type renamed struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Documents int64  `json:"documents"` // of the class under its new name
	Offset    *int64 `json:"offset"`    // of the control record; null: a file
}

func runRename(ctx context.Context, p cli.Process) error {
	var f renameFlags
	if err := renameCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	f.To = strings.TrimSpace(f.To) // as that of a record is
	out := renamed{From: f.From, To: f.To}
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
	_, err = fmt.Fprintf(p.Stdout, "%s is called %s, which has %s\n", escape.Text(out.From), escape.Text(out.To), counted(out.Documents, "document"))
	return err
}

// inFile renames in a model file.
func (f *renameFlags) inFile(out *renamed) error {
	if _, err := os.Stat(f.Model); err != nil {
		return missing(err)
	}
	return inputError(changeModel(f.Model, nil, false, func(state *fold.State, _ *store.Store) error {
		if state.Spec().Names(f.From) {
			return cli.WrongInput(fmt.Errorf("the spec of %s names class %q: train a model with another spec", f.Model, f.From))
		}
		m := state.Model()
		if _, ok := m.Classes().ID(f.From); !ok {
			return cli.WrongInput(fmt.Errorf("%s has no class %q; it has %s", f.Model, f.From, firstQuoted(m.ClassNames())))
		}
		if err := m.Rename(f.From, f.To); err != nil {
			return cli.WrongInput(err)
		}
		id, _ := m.Classes().ID(f.To)
		out.Documents = m.Classes().Documents(id)
		return nil
	}))
}

// inLog renames in the model log.
func (f *renameFlags) inLog(ctx context.Context, p cli.Process, out *renamed) error {
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	state := fold.New(true)
	at, err := modellog.Command(ctx, client, f.ModelTopic, state, modellog.Rename(f.From, f.To, f.Why))
	if err != nil {
		return behindCut(err, "rename", "relabel the documents, or count into a new --model-topic from records that have the new label")
	}
	id, _ := state.Model().Classes().ID(f.To)
	out.Documents = state.Model().Classes().Documents(id)
	out.Offset = &at
	return nil
}
