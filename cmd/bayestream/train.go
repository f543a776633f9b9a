package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/modelfile"
)

type trainFlags struct {
	Model   string   `required:"" type:"path" placeholder:"OUT.db" help:"Output model file. If it exists and has the same counting settings, training continues from it."`
	Replace bool     `help:"Let a later record of this run replace an earlier one with the same id. Default: a repeated id is an error."`
	Again   bool     `help:"Learn files again whose documents were learned before: they count once more."`
	JSON    bool     `name:"json" help:"Write what was learned as one JSON object."`
	Files   []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders to train on; - or none: standard input."`

	specFlags `embed:""`
	dataFlags `embed:""`
	keyFlags  `embed:""`
}

var trainVerb = verbOf[trainFlags](config.Command{
	Name:    "train",
	Summary: "Train a model file on files.",
	About: "Trains a model file on labelled documents. The file has the format of ingest, so that a model trained " +
		"here can be served, and a served one examined here. If the file exists, training continues from it. " +
		"Without a spec it compares the default with the presets on a sample, and counts the words as the best. A " +
		"line of JSON Lines is an object with text and label, and optionally id, weight, numbers and categories: " +
		"{\"text\": \"you won\", \"label\": \"spam\", \"numbers\": {\"length\": 7}}. A CSV file has a column of " +
		"each of these names. docs/formats.md has the rest.",
	Examples: []config.Example{
		{What: "JSON Lines, one object with text and label per line", Type: "bayestream train --model=sms.db sms.jsonl.gz"},
		{What: "A CSV file with other column names", Type: "bayestream train --model=tickets.db --text-field=body " +
			"--label-field=team tickets.csv"},
		{What: "Numbers, by a spec", Type: "bayestream train --model=iris.db --spec=iris.yaml iris.csv"},
		{What: "A folder with a subfolder for each class", Type: "bayestream train --model=mail.db --format=mail corpus/"},
	},
}, cli.Watched, cli.Brief)

func (f *trainFlags) run(ctx context.Context, p cli.Process) error {
	if err := f.checkFiles(); err != nil {
		return err
	}
	s, err := f.Short.specFor(f.Spec, f.Files)
	if err != nil {
		return err
	}
	leaveWindowOut(p, s)
	f.rememberMail(ctx, s)
	if f.isSet() {
		s, err = f.keyed(s)
	} else if _, missing := os.Stat(f.Model); errors.Is(missing, os.ErrNotExist) {
		if err := canCreate(f.Model, s); err != nil {
			return inputError(err)
		}
		s, err = f.count(ctx, &p, s)
	}
	if err != nil {
		return err
	}
	var summary *trainSummary
	err = changeModel(f.Model, s, f.isSet(), func(state *fold.State, file *store.Store) (err error) {
		summary, err = f.train(ctx, p, state, file)
		return err
	})
	if err != nil {
		return inputError(err)
	}
	replaced := ""
	if summary.Replaced > 0 {
		replaced = fmt.Sprintf("%d replaced, ", summary.Replaced)
	}
	return result(p, f.JSON, summary, func(out *printer) {
		out.f("%s learned from %s, %s%d skipped; %s holds %s and %s\n", counted(summary.Documents, "document"),
			counted(summary.Learned+summary.Replaced, "record"), replaced, summary.Skipped, f.Model,
			counted(len(summary.Classes), "class"), counted(summary.Total, "document"))
		out.lines(summary.Scoring.line())
	})
}

// checkFiles returns an error if a file is named twice. All documents would be read before remember
// finds it.
func (f *trainFlags) checkFiles() error {
	if f.Again || f.Replace {
		return nil
	}
	named := map[string]string{}
	for _, file := range f.Files {
		path, err := filepath.EvalSymlinks(file)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			continue // opening it returns the error
		}
		if first, twice := named[path]; twice {
			return cli.WrongInput(fmt.Errorf("%s and %s are one file: name it once, or count it twice with --again",
				escape.Text(first), escape.Text(file)))
		}
		named[path] = file
	}
	return nil
}

// canCreate returns an error if a model file that does not exist cannot be written. What is done
// before it is written may take long.
func canCreate(path string, s *spec.Spec) error {
	_, file, err := openModel(path, s, false, time.Second)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(path))
}

// leaveWindowOut takes the window out of a spec for files, and says so: a file has no partitions,
// and its model keeps no ledger from which a document could leave.
func leaveWindowOut(p cli.Process, s *spec.Spec) {
	if w := s.Limits.Window; !w.IsZero() {
		fmt.Fprintf(p.Stderr, "warning: limits.window %s is for the partitions of a training "+
			"topic: all documents of the files count\n", w)
		s.Limits.Window = spec.Window{}
	}
}

// rememberMail sets the format of the spec to mail if the files hold mails and the model is new or
// has that format: so the model reads mails where nothing else is said. A model that exists keeps
// what it counts.
func (f *trainFlags) rememberMail(ctx context.Context, s *spec.Spec) {
	_, err := os.Stat(f.Model)
	exists := err == nil
	if s.Text == nil || exists && !f.isSet() || !dataset.AreMail(f.options(s, false), f.Files...) {
		return
	}
	if exists {
		state, err := modelfile.Load(ctx, f.Model)
		if err != nil || state.Model().Spec().Format != wire.FormatMail {
			return // opening it for training says what is wrong
		}
	}
	s.Format = wire.FormatMail
}

type trainSummary struct {
	Model     string           `json:"model"`
	Learned   int64            `json:"learned"` // records that count
	Replaced  int64            `json:"replaced,omitempty"`
	Skipped   int64            `json:"skipped"`   // records
	Documents int64            `json:"documents"` // by weight, of this run
	Total     int64            `json:"total"`     // by weight, in the file
	Classes   map[string]int64 `json:"classes"`
	Terms     int              `json:"terms"`
	Again     []string         `json:"again,omitempty"` // files whose documents were learned before
	Seconds   float64          `json:"seconds"`
	Scoring   *scoringSummary  `json:"scoring,omitempty"`
}

// changeModel opens or creates a model file, changes it, and writes it if change succeeds.
// Otherwise a file that was created is removed.
func changeModel(path string, s *spec.Spec, asked bool, change func(*fold.State, *store.Store) error) error {
	_, statErr := os.Stat(path)
	state, file, err := openModel(path, s, asked, time.Second)
	if err != nil {
		return err
	}
	if err = change(state, file); err == nil {
		err = file.Write(store.Collect(state))
	}
	err = errors.Join(err, file.Close())
	if err != nil && errors.Is(statErr, os.ErrNotExist) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// openModel opens a model file that can be trained further, or creates one. It waits so long for a
// process that has it open.
func openModel(path string, s *spec.Spec, asked bool, wait time.Duration) (*fold.State, *store.Store, error) {
	if err := store.CheckModel(path); err != nil {
		return nil, nil, err
	}
	if err := hasFolder(path); err != nil {
		return nil, nil, err
	}
	_, statErr := os.Stat(path)
	if s == nil && errors.Is(statErr, os.ErrNotExist) {
		return nil, nil, &store.NoFileError{Path: path, Why: "does not exist", Err: os.ErrNotExist}
	}
	file, err := store.Open(path, wait)
	if err != nil {
		return nil, nil, err
	}
	state, err := file.Load()
	if err == nil && state == nil {
		if statErr == nil && (s == nil || !file.IsBlank()) { // a train that was killed leaves a blank one
			err = cli.WrongInput(fmt.Errorf("%s exists and holds no model: remove it, or choose another name", path))
		}
		return fold.Offline(s), file, err
	}
	if err == nil {
		err = canLearn(path, state, s, asked)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return state, file, nil
}

// canLearn returns an error if the counts of files cannot be added to a state.
func canLearn(path string, state *fold.State, s *spec.Spec, asked bool) error {
	if state.Next() > 0 {
		return cli.WrongInput(fmt.Errorf("%s follows a model log: other replicas would not get what is trained here; write "+
			"labelled records to the training topic instead", path))
	}
	if !asked {
		return nil
	}
	if diff := s.CountingDifference(state.Model().Spec()); diff != "" {
		return cli.WrongInput(fmt.Errorf("%s counts differently: %s; train a new file", path, diff))
	}
	if err := s.Extends(state.Spec()); err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w", path, err))
	}
	state.Rescore(s)
	return nil
}

func (f *trainFlags) train(ctx context.Context, p cli.Process, state *fold.State, file *store.Store) (*trainSummary,
	error) {
	start, before := time.Now(), state.Model().Classes().Total()
	if err := f.unlock(state); err != nil {
		return nil, err
	}
	reader, err := f.reader(ctx, p, state.Model().Spec(), f.Files)
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	trainer, err := modelfile.NewTrainer(state, f.Replace)
	if err != nil {
		return nil, err
	}
	bad := f.onBad(p)
	coverage := model.NewCoverage(state.Spec())
	err = dataset.Each(reader, bad, func(rec *dataset.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		coverage.Add(&rec.Input)
		return trainer.Learn(rec)
	})
	if err == nil {
		err = trainer.Flush()
	}
	if err != nil {
		return nil, err
	}
	reportSkipped(p, bad.Skipped)
	if trainer.Learned == 0 {
		return nil, noDocuments(f.Files, bad)
	}
	m := state.Model()
	reportLearned(p, m, coverage.Missing())
	reportLanguage(p, coverage.Language())
	if err := experiment.Fits(m); err != nil {
		return nil, cli.WrongInput(fmt.Errorf("nothing was written: %w", err))
	}
	if err := trainer.Choose(); err != nil {
		return nil, err
	}
	again, err := f.remember(file, trainer.Sums.Parts)
	if err != nil {
		return nil, err
	}
	s := &trainSummary{
		Model: f.Model, Again: again, Learned: trainer.Learned, Replaced: trainer.Replaced, Skipped: bad.Skipped,
		Documents: m.Classes().Total() - before, Total: m.Classes().Total(),
		Classes: map[string]int64{}, Seconds: time.Since(start).Seconds(),
	}
	for _, c := range m.Classes().Live() {
		s.Classes[m.Classes().Name(c)] = m.Classes().Documents(c)
	}
	if m.Text() != nil {
		s.Terms = m.Text().Vocabulary()
	}
	s.Scoring = newScoring(state.Race())
	return s, nil
}

// reportLearned warns of what the spec names and the documents do not have.
func reportLearned(p cli.Process, m *model.Model, missing []string) {
	reportMissing(p, missing)
	labels := labelsOf(m)
	reportUnmet(p, m.Spec(), labels)
	reportLabels(p, labels, m.Classes().Total())
	if len(missing) == 0 && m.Text() != nil && m.Text().Vocabulary() == 0 {
		fmt.Fprintln(p.Stderr, "warning: no document has a word, so that the text tells nothing of the classes")
	}
}

// remember keeps digests of the files in the model file. It returns the names of those whose
// documents were learned before, and refuses them without --again: nobody wants to count them twice.
func (f *trainFlags) remember(file *store.Store, sums []digest.Sum) (again []string, err error) {
	known, err := file.Learned()
	if err != nil {
		return nil, err
	}
	var added []digest.Sum
	for i, sum := range sums {
		switch {
		case sum == 0: // no document
		case known[sum]:
			again = append(again, fileAt(f.Files, i))
		default:
			known[sum] = true
			added = append(added, sum)
		}
	}
	file.Remember(added)
	if len(again) > 0 && !f.Again {
		return nil, cli.WrongInput(fmt.Errorf("nothing was written: the documents of %s were learned before; leave them "+
			"out, or count them once more with --again", escape.Text(firstOf(again))))
	}
	return again, nil
}
