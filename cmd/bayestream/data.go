package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/cli"
	"bayestream/internal/cli/progress"
	"bayestream/internal/lab/dataset"
	"bayestream/internal/lab/experiment"
	"bayestream/internal/spec"
	"bayestream/internal/store"
	"bayestream/internal/wire"
)

// dataFlags say how files are read. They are the same in every verb that reads some.
type dataFlags struct {
	Format     string `enum:"jsonl,csv,text,mail,mbox," default:"" placeholder:"FORMAT" help:"Format of the files: jsonl, csv, text (a document a line), mail or mbox. Without it: by the ending of the name, else jsonl. A folder holds a subfolder for each class, or files where --label names that of all or none is needed. Gzip is recognised."`
	LabelField string `placeholder:"NAME" help:"Field or column of the label, label if not given."`
	TextField  string `placeholder:"NAME" help:"Field or column of the text, that of the spec if not given."`
	IDField    string `name:"id-field" placeholder:"NAME" help:"Field or column of the id, id if not given. Records without one are called file:line."`
	Label      string `placeholder:"NAME" help:"Label of all records, for files that have no place for it."`
	OnBad      string `enum:"stop,skip" default:"stop" placeholder:"stop|skip" help:"What to do with a record that cannot be used: stop with exit code 2, or skip it and count it."`
}

func (d *dataFlags) options(s *spec.Spec, unlabelled bool) dataset.Options {
	return dataset.Options{
		Format: d.Format, Spec: s, LabelField: d.LabelField, TextField: d.TextField, IDField: d.IDField, Label: d.Label, Unlabelled: unlabelled,
	}
}

// onBad returns what becomes of bad records; each that is passed over is told on standard error.
func (d *dataFlags) onBad(p cli.Process) *dataset.OnBad {
	return &dataset.OnBad{Skip: d.OnBad == "skip", Report: func(err error) { fmt.Fprintf(p.Stderr, "skipped: %v\n", err) }}
}

// keepStdin returns what gives standard input from its start each time. It is kept in memory if the files
// are read more than once and it is among them.
func keepStdin(p cli.Process, often bool, files []string) (again func() io.Reader, err error) {
	if !often || len(files) > 0 && !slices.Contains(files, "-") {
		return func() io.Reader { return p.Stdin }, nil
	}
	all, err := io.ReadAll(p.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return func() io.Reader { return bytes.NewReader(all) }, nil
}

// tell says how many records were passed over, if any were.
func tell(p cli.Process, skipped int64) {
	if skipped > 0 {
		fmt.Fprintf(p.Stderr, "%d records skipped\n", skipped)
	}
}

// noDocuments says that there is nothing to learn or to measure.
func noDocuments(files []string, bad *dataset.OnBad) error {
	from := strings.Join(files, ", ")
	if from == "" || from == "-" {
		from = "standard input"
	}
	skipped := ""
	if bad.Skipped > 0 {
		skipped = fmt.Sprintf(": all %d records were skipped", bad.Skipped)
	}
	return cli.WrongInput(fmt.Errorf("%s: no labelled documents%s", from, skipped))
}

// inputError gives errors of the data the exit code of wrong input.
func inputError(err error) error {
	var line *wire.LineError
	var folder *dataset.FolderError
	var file *store.NoFileError
	var class *experiment.OneClassError
	var unfit *experiment.UnfitError
	if errors.As(err, &line) || errors.As(err, &folder) || errors.As(err, &file) || errors.As(err, &class) || errors.As(err, &unfit) || errors.Is(err, store.ErrDamaged) {
		return cli.WrongInput(err)
	}
	return missing(err)
}

// missing gives the error of a file that is not there the exit code of wrong input.
func missing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return cli.WrongInput(err)
	}
	return err
}

// specFlags say what the model is: a file, or the short cuts.
type specFlags struct {
	Spec  string     `type:"existingfile" placeholder:"FILE" help:"Spec of the model (YAML; docs/toolbox.md lists its keys). Without it: the words of the field text, multinomial, alpha 1, English stems."`
	Short shortFlags `embed:""`
}

// asked reports whether anything was said about the model.
func (f *specFlags) asked() bool { return f.Spec != "" || f.Short != shortFlags{} }

// shortFlags are short cuts for what a spec says most often.
type shortFlags struct {
	Likelihood string   `enum:"multinomial,bernoulli,complement," default:"" placeholder:"NAME" help:"Event model of the text: multinomial, bernoulli or complement."`
	Alpha      *float64 `placeholder:"NUMBER" help:"Smoothing constant of the text, above 0."`
	NGrams     int      `name:"ngrams" placeholder:"N" help:"Words and sequences of up to N words, 1 to 5."`
	NoStem     bool     `help:"Count words as they are, not their stems."`
	Prior      string   `enum:"empirical,uniform," default:"" placeholder:"NAME" help:"Prior of the classes: empirical or uniform."`
}

// spec returns the spec of a file, "" for none, with the short cuts.
func (f *shortFlags) spec(file string) (*spec.Spec, error) {
	var text []byte
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("read the spec: %w", err)
		}
	}
	s, err := spec.Parse(text)
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", file, err))
	}
	return f.apply(s)
}

// apply makes the short cuts count, and checks the result as if it had been written so.
func (f *shortFlags) apply(s *spec.Spec) (*spec.Spec, error) {
	textual := f.Likelihood != "" || f.Alpha != nil || f.NGrams != 0 || f.NoStem
	if textual && s.Text == nil {
		return nil, cli.WrongInput(errors.New("the spec has no text, so --likelihood, --alpha, --ngrams and --no-stem mean nothing"))
	}
	if f.Likelihood != "" {
		s.Text.Likelihood = f.Likelihood
	}
	if f.Alpha != nil {
		s.Text.Alpha = *f.Alpha
	}
	if f.NGrams != 0 {
		s.Text.NGrams = f.NGrams
	}
	if f.NoStem {
		s.Text.Stem = false
	}
	if f.Prior != "" {
		s.Prior = spec.Prior{Kind: f.Prior}
	}
	checked, err := spec.Parse(s.YAML())
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	return checked, nil
}

// fromZero refuses a number of things that is negative.
func fromZero(flag string, n int) error {
	if n < 0 {
		return fmt.Errorf("--%s: %d; want a number from 0 on", flag, n)
	}
	return nil
}

// short writes a float64 in its shortest form.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// reader opens the files.
func (d *dataFlags) reader(ctx context.Context, p cli.Process, s *spec.Spec, unlabelled bool, files []string) (dataset.Reader, error) {
	o := d.options(s, unlabelled)
	o.Progress = progress.From(ctx)
	return dataset.Open(o, p.Stdin, files...)
}
