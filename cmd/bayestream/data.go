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

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/modelfile"
	"bayestream/internal/tools/lab/profile"
)

// dataFlags are the flags of all verbs that read documents from files.
type dataFlags struct {
	Format     string            `enum:"jsonl,csv,text,labelled,mail,mbox," default:"" placeholder:"FORMAT" help:"Format of the files: jsonl (or a JSON array), csv, text (one document per line), labelled (a label, a tab and a text per line), mail or mbox. Default: by the extension of the name, else by the content. A folder holds a subfolder for each class; with --label, or if no labels are needed, it may hold the files itself. Files packed by gzip, zstd, xz, bzip2 or zip are unpacked."`
	Schema     string            `type:"existingfile" placeholder:"FILE" help:"Schema of files that hold nothing but values: Avro (.avsc), or Protobuf (.proto), whose messages stand behind their lengths. An Avro object container has its own."`
	Separator  dataset.Separator `placeholder:"CHARACTER" help:"Separator of the columns of CSV, such as ; or tab. Default: guessed from the header."`
	Encoding   dataset.Encoding  `placeholder:"NAME" help:"Encoding of the text, such as utf-16, windows-1252 (or latin-1) or iso-8859-2. Default: utf-8. A mail says its own."`
	fieldFlags `embed:""`
	LabelType  string `enum:"string,any" default:"string" placeholder:"string|any" help:"What a label in JSON may be: a string, or any: a number or a boolean too, which is taken as it is written."`
	Label      string `placeholder:"NAME" help:"Label of all records, for files without labels."`
	OnBad      string `enum:"stop,skip" default:"stop" placeholder:"stop|skip" help:"What to do with a record that cannot be used: stop with exit code 2, or skip and count it."`
}

// fieldFlags name the fields of what is no feature but the text.
type fieldFlags struct {
	LabelField string `placeholder:"NAME" help:"Field or column of the label. Default: that of the spec, or label."`
	TextField  string `placeholder:"NAME" help:"Field or column of the text. Default: the field of the spec."`
	IDField    string `name:"id-field" placeholder:"NAME" help:"Field or column of the id. Default: that of the spec, or id. A record without an id gets the id file:line."`
}

func (d *dataFlags) options(s *spec.Spec, unlabelled bool) dataset.Options {
	return dataset.Options{
		Format: d.Format, Schema: d.Schema, Spec: s,
		LabelField: d.LabelField, TextField: d.TextField, IDField: d.IDField, Label: d.Label,
		Unlabelled: unlabelled,
		Separator:  d.Separator, Encoding: d.Encoding, LabelType: d.LabelType,
	}
}

// formFlags say how decisions are written as JSON.
type formFlags struct {
	Classes config.Classes `default:"10" placeholder:"N|all" help:"Number of classes up to which a JSON decision has all numbers of each. Of more it has the posteriors of that many, the likeliest, and all numbers of the label and the runner-up."`
	Digits  int            `default:"0" placeholder:"N" help:"Digits after the decimal point of the numbers in a JSON decision, at most 12; 0: as many as each number needs to be read back exactly."`
}

func (f formFlags) form() wire.Form { return wire.Form{Classes: int(f.Classes), Digits: f.Digits} }

// onBad returns the handling of bad records. Each skipped one is reported on standard error.
func (d *dataFlags) onBad(p cli.Process) *dataset.OnBad {
	return &dataset.OnBad{Skip: d.OnBad == "skip", Report: func(err error) {
		fmt.Fprintf(p.Stderr, "skipped: "+
			"%s\n", escape.Text(err.Error()))
	}}
}

// keepStdin returns a function that returns standard input from its start. If the files are read
// repeatedly and standard input is one of them, what is read of it is kept in memory.
func keepStdin(p cli.Process, repeatedly bool, files []string) (stdin func() io.Reader) {
	if !repeatedly || len(files) > 0 && !slices.Contains(files, "-") {
		return func() io.Reader { return p.Stdin }
	}
	kept := &bytes.Buffer{}
	rest := io.TeeReader(p.Stdin, kept)
	return func() io.Reader {
		if kept.Len() == 0 {
			return rest
		}
		return io.MultiReader(bytes.NewReader(kept.Bytes()), rest)
	}
}

func reportSkipped(p cli.Process, skipped int64) {
	if skipped > 0 {
		fmt.Fprintf(p.Stderr, "%s skipped\n", counted(skipped, "record"))
	}
}

// reportMissing warns of fields of the spec that no record has.
func reportMissing(p cli.Process, fields []string) {
	for _, f := range fields {
		advice := ""
		if strings.Contains(f, ".") {
			advice = ": if it stands inside of another one, say its path under from in the spec"
		}
		fmt.Fprintf(p.Stderr, "warning: no record has the field %q, which the spec reads%s\n", f, advice)
	}
}

// reportLanguage warns of a spec for another language than that of the texts.
func reportLanguage(p cli.Process, s *spec.Setting) {
	if s != nil {
		fmt.Fprintf(p.Stderr, "warning: %s: the spec should say %s: %s under text\n", s.Why, s.Key, s.Value)
	}
}

// reportUnmet warns of classes that the prior or the losses of a spec name, and that no document
// has: what the spec says of them is in vain, and was perhaps meant for others.
func reportUnmet(p cli.Process, s *spec.Spec, labels []string) {
	unmet := slices.DeleteFunc(s.Weighed(), func(class string) bool { return slices.Contains(labels, class) })
	if len(unmet) > 0 {
		fmt.Fprintf(p.Stderr, "warning: no document has the label %s, which decision.loss or "+
			"prior of the spec names; there are %s\n",
			firstQuoted(unmet), firstQuoted(distinct(labels)))
	}
}

// reportLabels warns of labels that look alike, and of labels that look like ids.
func reportLabels(p cli.Process, labels []string, documents int64) {
	const enough = 20 // documents: of fewer, each may have a label of its own
	labels = distinct(labels)
	if alike := profile.Alike(labels); len(alike) > 0 {
		fmt.Fprintf(p.Stderr, "warning: labels that differ in case, space or Unicode form are classes of their own; to "+
			"count them as one, say in the spec labels: {%s}\n", firstOf(alike))
	}
	if documents >= enough && 2*int64(len(labels)) > documents {
		fmt.Fprintf(p.Stderr, "warning: %d documents have %d labels, as if these were ids: --label-field names "+
			"another field\n",
			documents, len(labels))
	}
}

// distinct returns names in order, each once.
func distinct(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

func labelsOf(m *model.Model) (labels []string) {
	for _, c := range m.Classes().Live() {
		labels = append(labels, m.Classes().Name(c))
	}
	return labels
}

func firstQuoted(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return firstOf(quoted)
}

func firstOf(words []string) string { return strings.Join(first(words, 5, "and %d more"), ", ") }

// first returns the first words, and how many others there are, in a format.
func first(words []string, most int, others string) []string {
	if n := len(words) - most; n > 0 {
		words = append(slices.Clip(words[:most]), fmt.Sprintf(others, n))
	}
	return words
}

func noDocuments(files []string, bad *dataset.OnBad) error {
	skipped := ""
	if bad.Skipped > 0 {
		skipped = fmt.Sprintf(": %s skipped", counted(bad.Skipped, "record"))
	}
	return cli.WrongInput(fmt.Errorf("%s: no labelled documents%s", namesOf(files), skipped))
}

// namesOf returns the names of files for a sentence.
func namesOf(files []string) string {
	names := strings.Join(files, ", ")
	if names == "" || names == "-" {
		return "standard input"
	}
	return names
}

// fileAt returns the name of the part that dataset.Record names, for a sentence.
func fileAt(files []string, part int) string {
	if len(files) == 0 {
		return namesOf(nil)
	}
	return namesOf(files[part : part+1])
}

// inputError gives errors that the user can correct the exit code of wrong input: those of the input
// data and of model files, and what the model log refuses.
func inputError(err error) error {
	if errors.As(err, new(*wire.LineError)) || errors.As(err, new(*dataset.FolderError)) ||
		errors.As(err, new(*dataset.FeatureError)) || errors.As(err, new(*experiment.OneClassError)) ||
		errors.As(err, new(*experiment.UnfitError)) || errors.As(err, new(*store.NoFileError)) ||
		errors.As(err, new(*store.OtherLogError)) || errors.As(err, new(*modelfile.ExistsError)) ||
		errors.As(err, new(*modelfile.CopyError)) || errors.As(err, new(*modellog.RefusedError)) ||
		errors.Is(err, store.ErrDamaged) {
		return cli.WrongInput(err)
	}
	return missing(err)
}

// missing gives the error of a file that does not exist the exit code of wrong input.
func missing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return cli.WrongInput(err)
	}
	return err
}

// specFlags name the spec of the model: a file, and shortcuts.
type specFlags struct {
	Spec  string     `type:"existingfile" placeholder:"FILE" help:"Spec of the model (YAML; docs/toolbox.md lists its keys). Default: words of the field text, English stems; the documents choose how they are counted and scored."`
	Short shortFlags `embed:""`
}

func (f *specFlags) isSet() bool { return f.Spec != "" || f.Short != shortFlags{} }

// shortFlags are shortcuts for the most common keys of a spec.
type shortFlags struct {
	config.PresetFlag `embed:""`

	Likelihood string   `enum:"multinomial,bernoulli,complement,one_vs_all," default:"" placeholder:"NAME" help:"Event model of the text: multinomial, bernoulli, complement or one_vs_all."`
	Alpha      *float64 `placeholder:"NUMBER" help:"Smoothing constant of the text, above 0."`
	NGrams     int      `name:"ngrams" placeholder:"N" help:"Count n-grams of up to N words, 1 to 5."`
	NoStem     bool     `help:"Count words instead of their stems."`
	Prior      string   `enum:"empirical,uniform," default:"" placeholder:"NAME" help:"Prior of the classes: empirical or uniform."`
}

// spec returns the spec of a file, or the default for "", with the shortcuts applied.
func (f *shortFlags) spec(file string) (*spec.Spec, error) {
	text, err := f.SpecText(file)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	s, err := spec.Parse(text)
	if err != nil {
		return nil, cli.WrongInput(fmt.Errorf("%s: %w", f.SpecName(file), err))
	}
	return f.apply(s)
}

func (f *shortFlags) apply(s *spec.Spec) (*spec.Spec, error) {
	textual := f.Likelihood != "" || f.Alpha != nil || f.NGrams != 0 || f.NoStem
	if textual && s.Text == nil {
		return nil, cli.WrongInput(errors.New("the spec has no text, so --likelihood, --alpha, " +
			"--ngrams and --no-stem have no effect"))
	}
	if f.Likelihood != "" || f.Alpha != nil {
		s.Race = nil // the flags name what decides
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
	if f.Prior == spec.Uniform && s.Race != nil { // the others have no place for a prior
		s.Race.Candidates = slices.DeleteFunc(s.Race.Candidates,
			func(c spec.Candidate) bool { return !spec.IsLikelihood(c.Likelihood) })
	}
	checked, err := spec.Parse(s.YAML())
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	return checked, nil
}

// specFor returns the spec of a file, or the default for "", with the shortcuts applied, and
// patterns expanded.
func (f *shortFlags) specFor(file string, files []string) (*spec.Spec, error) {
	s, err := f.spec(file)
	if err != nil {
		return nil, err
	}
	return s, expand(s, file, files)
}

// expand expands the patterns among the fields of a spec, which is in a file, by the first of
// the files with the records.
func expand(s *spec.Spec, file string, files []string) error {
	if len(s.Patterns()) == 0 {
		return nil
	}
	patterns := strings.Join(s.Patterns(), ", ")
	if len(files) == 0 || !dataset.OpensAgain(files[0]) {
		return cli.WrongInput(fmt.Errorf("%s: %s stands for the fields of a file, and standard input or a pipe cannot be "+
			"looked at first: name the fields, as bayestream init writes them", file, patterns))
	}
	seen := &profile.Profile{}
	look := initFlags{Source: files[0], Records: defaultRecords}
	if _, err := look.lookAtFile(cli.Process{}, seen); err != nil {
		return inputError(fmt.Errorf("%s: look for the fields of %s: %w", file, patterns, err))
	}
	if err := s.Expand(seen.NumberFields()); err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w (%s)", file, err, files[0]))
	}
	return nil
}

func fromZero(flag string, n int) error {
	if n < 0 {
		return fmt.Errorf("--%s: %d; want 0 or more", flag, n)
	}
	return nil
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// reader returns a reader of files with labels.
func (d *dataFlags) reader(ctx context.Context, p cli.Process, s *spec.Spec, files []string) (dataset.Reader, error) {
	if err := d.checkTextField(s); err != nil {
		return nil, err
	}
	return d.openWith(ctx, p, d.options(s, false), files)
}

// checkTextField returns an error if --text-field cannot replace the fields of a spec.
func (d *dataFlags) checkTextField(s *spec.Spec) error {
	if fields := s.TextFields(); d.TextField != "" && len(fields) > 1 {
		return cli.WrongInput(fmt.Errorf("the text is in several fields (text.fields is %s), which --text-field cannot "+
			"replace", strings.Join(fields, ", ")))
	}
	return nil
}

// openWith returns a reader of the files with other options than the flags give.
func (d *dataFlags) openWith(ctx context.Context, p cli.Process, o dataset.Options, files []string) (dataset.Reader,
	error) {
	o.Progress = progress.From(ctx)
	o.Warn = func(sentence string) { fmt.Fprintf(p.Stderr, "warning: %s\n", escape.Text(sentence)) }
	return dataset.Open(o, p.Stdin, files...)
}

// corpus reads the documents of files, with plain terms, since their counts are not kept.
func (d *dataFlags) corpus(ctx context.Context, p cli.Process, s *spec.Spec, bad *dataset.OnBad,
	files ...string) (*experiment.Corpus, error) {
	s = s.WithPlainTerms()
	r, err := d.reader(ctx, p, s, files)
	if err != nil {
		return nil, err
	}
	return readCorpus(p, s, r, bad, files)
}

// readCorpus reads the documents of files from their reader, and closes it.
func readCorpus(p cli.Process, s *spec.Spec, r dataset.Reader, bad *dataset.OnBad, files []string) (*experiment.Corpus,
	error) {
	before := bad.Skipped
	c, err := experiment.ReadCorpus(s, r, bad)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if len(c.Documents) == 0 {
		return nil, noDocuments(files, bad)
	}
	if bad.Report != nil {
		reportSkipped(p, bad.Skipped-before)
		reportMissing(p, c.Missing)
		reportLanguage(p, c.Language)
		reportLabels(p, c.Labels(), int64(len(c.Documents)))
	}
	return c, nil
}
