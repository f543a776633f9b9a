package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

type streamFlags struct {
	Model string `required:"" type:"path" placeholder:"FILE" help:"Model file, which no other process can open meanwhile. What learns creates it if it does not exist."`
	Spec  string `type:"existingfile" placeholder:"FILE" help:"Spec of a new model (YAML). Default: the words of the field text; with --mail, the preset mail."`

	config.PresetFlag `embed:""`

	fieldFlags `embed:""`

	Mail   bool   `help:"Standard input is one mail. The exit code says what it is, as bogofilter does: 0 spam, 1 another label, 2 unsure, 3 an error. Unsure is a posterior below 0.95, or another status than ok."`
	Spam   string `default:"spam" placeholder:"NAME" help:"The label of exit code 0."`
	Pass   bool   `help:"Write the mail with the fields X-Bayestream, which names the label, and X-Bayestream-Words before its header. Fields of these names that it had are removed. The exit code is 0 for any label."`
	Update bool   `help:"Learn the mail under the label that it gets, unless that is unsure."`
	Label  string `placeholder:"NAME" help:"Learn the mail under this label instead of labelling it."`
	Not    string `placeholder:"NAME" help:"Take the mail out of this label, under which --update learned it, before it is learned under --label."`

	keyFlags  `embed:""`
	formFlags `embed:""`
}

var streamVerb = verbOf[streamFlags](config.Command{
	Name:    "stream",
	Summary: "Label and learn the lines of a pipe, or filter a mail.",
	About: "Reads JSON Lines from standard input. A line without a label gets a decision on standard output, as predict " +
		"--json writes it, at once if no more input waits. A line with a label is learned; decisions after it know it. A " +
		"line that cannot be used gets an object with the member error in the place of its decision. While no input " +
		"waits, else once a second, what was learned is synced to the disk, and standard error says how much that is. An " +
		"id is learned once in a run; another run does not know it. A signal ends the stream as the end of the input does. " +
		"With --mail it filters one mail, and waits half a minute for another filter that has the model file open.",
	Examples: []config.Example{
		{What: "Learn what has a label, label what has none", Type: "bayestream stream --model=sms.db < new.jsonl"},
		{What: "What is this mail?", Type: "bayestream stream --mail --model=mails.db < one.eml || [ $? -lt 3 ]"},
		{What: "The filter of a mail server, which learns from what it decides", Type: "bayestream stream --mail --pass " +
			"--update --model=mails.db < one.eml"},
		{What: "It was no ham", Type: "bayestream stream --mail --model=mails.db --label=spam < one.eml"},
	},
}, cli.Brief, mailCodes)

func (f streamFlags) Validate() error {
	found := config.Problems{config.CheckDigits(f.Digits)}
	switch {
	case !f.Mail && (f.Pass || f.Update || f.Label != "" || f.Not != ""):
		found = append(found, errors.New("--pass, --update, --label and --not are for --mail"))
	case f.Mail && f.fieldFlags != fieldFlags{}:
		found = append(found, errors.New("a mail has no --label-field, --text-field and --id-field"))
	case f.Label != "" && (f.Pass || f.Update):
		found = append(found, errors.New("--label learns the mail: leave out --pass and --update, which label it"))
	case f.Not != "" && (f.Label == "" || f.Not == f.Label):
		found = append(found, errors.New("--not takes the mail out of another label than --label: name both"))
	}
	return errors.Join(found...)
}

// mailCodes gives a command line with --mail that is wrong the exit code of a filter.
func mailCodes(run cli.Program) cli.Program {
	return func(ctx context.Context, p cli.Process) error {
		err := run(ctx, p)
		if errors.As(err, new(*config.UsageError)) && slices.Contains(p.Args, "--mail") {
			return cli.WithCode(err, mailError)
		}
		return err
	}
}

func (f *streamFlags) run(ctx context.Context, p cli.Process) error {
	if f.Mail {
		return f.filter(ctx, p)
	}
	signal.Ignore(syscall.SIGPIPE) // what was learned is synced before the end
	state, file, err := f.open(p, time.Second)
	if err != nil {
		return inputError(err)
	}
	err = f.stream(ctx, p, state, file)
	return inputError(errors.Join(err, file.Close()))
}

func (f *streamFlags) stream(ctx context.Context, p cli.Process, state *fold.State, file *store.Store) error {
	s, err := modelfile.NewStream(state, file, p.Stdout, f.form(), func(learned int64) {
		fmt.Fprintf(p.Stderr, "%s learned and on the disk\n", counted(learned, "record"))
	})
	if err != nil {
		return err
	}
	s.Warn = func(sentence string) { fmt.Fprintf(p.Stderr, "warning: %s\n", sentence) }
	err = s.Run(ctx, func(waiting func()) (dataset.Reader, error) {
		return dataset.Open(dataset.Options{
			Format: dataset.JSONL, Spec: state.Spec(), LabelField: f.LabelField, TextField: f.TextField, IDField: f.IDField,
			Mixed: true, Waiting: waiting, Progress: progress.From(ctx),
		}, p.Stdin)
	})
	labelled := counted(s.Labelled, "record")
	fmt.Fprintf(p.Stderr, "%s labelled, %d learned, %d could not be used\n", labelled, s.Learned, s.Bad)
	return err
}

// open opens the model file to learn, and creates it with an empty model if it does not exist.
func (f *streamFlags) open(p cli.Process, wait time.Duration) (*fold.State, *store.Store, error) {
	short := &shortFlags{PresetFlag: f.PresetFlag}
	if f.Mail && f.Spec == "" && f.Preset == "" {
		short.Preset = "mail"
	}
	s, err := short.spec(f.Spec)
	if err != nil {
		return nil, nil, err
	}
	leaveWindowOut(p, s)
	_, missing := os.Stat(f.Model)
	state, file, err := openModel(f.Model, s, f.Spec != "" || f.Preset != "", wait)
	if err != nil {
		return nil, nil, err
	}
	if err = f.unlock(state); err == nil && errors.Is(missing, fs.ErrNotExist) {
		err = file.Write(store.Collect(state)) // who waits for the file finds a model
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return state, file, nil
}
