package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/counts"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire/mail"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
)

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
	message, err := io.ReadAll(p.Stdin)
	if err != nil {
		return 0, fmt.Errorf("read the mail: %w", err)
	}
	m := &filteredMail{flags: f, message: mail.WithoutFields(message, verdictField, wordsField)}
	if f.Label == "" && !f.Update {
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
	if err != nil || f.Label != "" {
		return mailSpam, err
	}
	if !f.Pass {
		return m.code(), nil
	}
	_, err = p.Stdout.Write(m.stamped())
	return mailSpam, err
}

type filteredMail struct {
	flags   *streamFlags
	message []byte // without the fields of a filter
	state   *fold.State
	lane    *model.Lane
	record  dataset.Record
}

// change learns the mail under the label of a flag, or labels it and learns it if that is sure.
func (m *filteredMail) change(p cli.Process) error {
	state, file, err := m.flags.open(p, mailWait)
	if err != nil {
		return err
	}
	m.state = state
	if m.flags.Label != "" {
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
	reader, err := dataset.Open(dataset.Options{
		Format: dataset.Mail, Spec: s, Label: m.flags.Label, Unlabelled: m.flags.Label == "",
	}, bytes.NewReader(m.message[:min(len(m.message), s.Limits.RecordBytes)]))
	if err == nil {
		err = reader.Read(&m.record)
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
	m.lane.Decide(m.state.Model(), m.state.Next()-1, &m.record.Input, m.record.ID, model.Options{Evidence: 0})
	return nil
}

func (m *filteredMail) isSure() bool {
	d := &m.lane.Decision
	return d.Status == model.StatusOK && d.Confidence() >= mailSure
}

// warn warns of a label that is new and spelt nearly like another one. --not takes the mail out of it.
func (m *filteredMail) warn(p cli.Process) {
	labels := labelsOf(m.state.Model())
	if near := spelling.Neighbours(m.flags.Label, labels); len(near) > 0 && !slices.Contains(labels, m.flags.Label) {
		fmt.Fprintf(p.Stderr, "warning: the label %q is new; did you mean %q?\n", m.flags.Label, near[0])
	}
}

// learn learns the mail under a label, and takes it out of another.
func (m *filteredMail) learn(file *store.Store) error {
	if err := m.read(); err != nil {
		return err
	}
	m.lane.Extractor.Extract(&m.lane.Features, &m.record.Input)
	if not := m.flags.Not; not != "" {
		err := fold.NewLearner(m.state).Unlearn(not, 1, &m.lane.Features)
		if errors.Is(err, counts.ErrNegative) || errors.Is(err, model.ErrInconsistent) {
			return fmt.Errorf("the model has not learned this mail under %q, and nothing was changed: %w", not, err)
		}
		if err != nil {
			return err
		}
	}
	return m.count(file, m.record.Label)
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
