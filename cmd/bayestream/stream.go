package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/counts"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/mail"
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

	Mail   bool    `help:"Standard input is one mail. The exit code says what it is, as bogofilter does: 0 spam, 1 another label, 2 unsure, 3 an error. Unsure is a posterior below 0.95, or another status than ok."`
	Spam   string  `default:"spam" placeholder:"NAME" help:"The label of exit code 0."`
	Pass   bool    `help:"Write the mail with the fields X-Bayestream, which names the label, and X-Bayestream-Words before its header. Fields of these names that it had are removed. The exit code is 0 for any label."`
	Update bool    `help:"Learn the mail under the label that it gets, unless that is unsure."`
	Label  *string `placeholder:"NAME" help:"Learn the mail under this label instead of labelling it."`
	Not    *string `placeholder:"NAME" help:"Take the mail out of this label, under which --update learned it, before it is learned under --label."`

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
	case !f.Mail && (f.Pass || f.Update || f.Label != nil || f.Not != nil):
		found = append(found, errors.New("--pass, --update, --label and --not are for --mail"))
	case f.Mail && f.fieldFlags != fieldFlags{}:
		found = append(found, errors.New("a mail has no --label-field, --text-field and --id-field"))
	case isEmpty(f.Label) || isEmpty(f.Not):
		found = append(found, errors.New("--label or --not is empty: want the name of a label"))
	case f.Label != nil && (f.Pass || f.Update):
		found = append(found, errors.New("--label learns the mail: leave out --pass and --update, which label it"))
	case f.Not != nil && (f.Label == nil || *f.Not == *f.Label):
		found = append(found, errors.New("--not takes the mail out of another label than --label: name both"))
	}
	return errors.Join(found...)
}

func isEmpty(s *string) bool { return s != nil && *s == "" }

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

// The exit codes of a filter, those of bogofilter.
const (
	mailSpam = iota
	mailOther
	mailUnsure
	mailError
)

const (
	mailWait = 30 * time.Second // for another filter that has the model file open
	mailSure = 0.95             // the posterior of a decision that is sure
	mailTop  = 8                // words of a header

	verdictField = "X-Bayestream"
	wordsField   = "X-Bayestream-Words"
)

// filter labels or learns the mail of standard input, and ends with the exit code of what it is.
func (f *streamFlags) filter(ctx context.Context, p cli.Process) error {
	p.Failure.Is(mailError)
	code, err := f.filterMail(p)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("a signal ended it: the mail is neither labelled nor learned")
	}
	if err != nil {
		return cli.WithCode(err, mailError)
	}
	return cli.Outcome(code)
}

func (f *streamFlags) filterMail(p cli.Process) (code int, err error) {
	came, err := io.ReadAll(p.Stdin)
	if err != nil {
		return 0, fmt.Errorf("read the mail: %w", err)
	}
	m := &filteredMail{flags: f, came: came, message: mail.WithoutFields(came, verdictField, wordsField)}
	if f.Label == nil && !f.Update {
		m.state, err = store.ReadModel(f.Model, mailWait)
		if err == nil {
			err = f.unlock(m.state)
		}
		if err == nil {
			err = m.decide()
		}
	} else {
		err = m.change(p)
	}
	if err != nil || f.Label != nil {
		return mailSpam, err
	}
	if !f.Pass {
		return m.code(), nil
	}
	_, err = p.Stdout.Write(m.stamped())
	return mailSpam, err
}

type filteredMail struct {
	flags    *streamFlags
	came     []byte
	message  []byte // without the fields of a filter
	state    *fold.State
	lane     *model.Lane
	document wire.Document
}

// change learns the mail under the label of a flag, or labels it and learns it if that is sure.
func (m *filteredMail) change(p cli.Process) error {
	state, file, err := m.flags.open(p, mailWait)
	if err != nil {
		return err
	}
	m.state = state
	if m.flags.Label != nil {
		m.warn(p)
		err = m.learn(file)
	} else if err = m.decide(); err == nil && m.isSure() {
		err = m.count(file, m.lane.Decision.Label)
	}
	return errors.Join(err, file.Close())
}

// read extracts the features of the mail. Of one beyond the limit of the spec its beginning counts.
func (m *filteredMail) read() (err error) {
	s := m.state.Spec()
	if m.lane, err = model.NewLane(s); err != nil {
		return err
	}
	schema := wire.SchemaOf(s)
	schema.Format = wire.FormatMail
	decoder := wire.NewDecoder(schema)
	for _, message := range [][]byte{m.message, m.came} { // a header of which nothing else is left is one still
		err = decoder.Body(message[:min(len(message), s.Limits.RecordBytes)], &m.document)
		if err == nil {
			return nil
		}
	}
	return err
}

func (m *filteredMail) decide() error {
	if err := m.read(); err != nil {
		return err
	}
	labels := labelsOf(m.state.Model())
	if len(labels) > 1 && !slices.Contains(labels, m.flags.Spam) {
		return fmt.Errorf("the model has no label %q: name one with --spam; it has %s", m.flags.Spam, firstQuoted(labels))
	}
	m.lane.Decide(m.state.Model(), m.state.Next()-1, &m.document.Input, m.document.ID, model.Options{Evidence: 0})
	return nil
}

func (m *filteredMail) isSure() bool {
	d := &m.lane.Decision
	return d.Status == model.StatusOK && d.Confidence() >= mailSure
}

// warn warns of a label that is new and spelt nearly like another one. --not takes the mail out of it.
func (m *filteredMail) warn(p cli.Process) {
	labels := labelsOf(m.state.Model())
	if near := spelling.Neighbours(*m.flags.Label, labels); len(near) > 0 && !slices.Contains(labels, *m.flags.Label) {
		fmt.Fprintf(p.Stderr, "warning: the label %q is new; did you mean %q?\n", *m.flags.Label, near[0])
	}
}

// learn learns the mail under a label, and takes it out of another.
func (m *filteredMail) learn(file *store.Store) error {
	if err := m.read(); err != nil {
		return err
	}
	label, err := dataset.Label(m.state.Spec(), *m.flags.Label)
	if err != nil {
		return err
	}
	m.lane.Extractor.Extract(&m.lane.Features, &m.document.Input)
	if not := m.flags.Not; not != nil {
		err := fold.NewLearner(m.state).Unlearn(*not, 1, &m.lane.Features)
		if errors.Is(err, counts.ErrNegative) || errors.Is(err, model.ErrInconsistent) {
			return fmt.Errorf("the model has not learned this mail under %q, and nothing was changed: %w", *not, err)
		}
		if err != nil {
			return err
		}
	}
	return m.count(file, label)
}

// count counts the mail under a label, and syncs it.
func (m *filteredMail) count(file *store.Store, label string) error {
	learner := fold.NewLearner(m.state)
	if err := learner.Learn(label, 1, &m.lane.Features); err != nil {
		return err
	}
	if err := learner.Flush(); err != nil {
		return err
	}
	return file.Write(store.Collect(m.state))
}

func (m *filteredMail) code() int {
	switch {
	case !m.isSure():
		return mailUnsure
	case m.lane.Decision.Label == m.flags.Spam:
		return mailSpam
	}
	return mailOther
}

// stamped returns the mail with the decision in its header. The words have a field of their own: a
// rule that looks for a label must not find it among them.
func (m *filteredMail) stamped() []byte {
	d := &m.lane.Decision
	verdict := "unsure"
	if m.isSure() {
		verdict = mime.QEncoding.Encode("utf-8", d.Label)
	}
	var words []string
	for i := range d.Evidence {
		if e := &d.Evidence[i]; e.Term != "" && e.Weight > 0 && len(words) < mailTop {
			words = append(words, mime.QEncoding.Encode("utf-8", e.Word()))
		}
	}
	out := m.message
	if len(words) > 0 {
		out = mail.WithField(out, wordsField, strings.Join(words, ", "))
	}
	verdict = fmt.Sprintf("%s, posterior=%.4f, status=%s", verdict, d.Confidence(), d.Status)
	return mail.WithField(out, verdictField, verdict)
}
