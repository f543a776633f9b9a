package bayestream

import (
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire"
)

// Learn counts a document under a label. What decisions are made of holds it from then on. Where
// candidates race it is scored first, as ingest does with records of a stream: after 200 documents
// the best one decides. An error about the document or its label is a *DocumentError, and nothing
// is counted.
func (m *Model) Learn(label string, d Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	label, weight, err := m.prepare(label, &d)
	if err != nil {
		return err
	}
	return documentError(m.learner.Learn(label, weight, &m.learn.lane.Features))
}

// Unlearn takes a document out: the counts are then as if it had never been learned. The document,
// its label and its weight must be as they were learned, in a model that counts alike. The error is
// ErrNotLearned if the counts cannot hold them; a document that was never learned, and whose words
// were, cannot be told from one that was.
func (m *Model) Unlearn(label string, d Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	label, weight, err := m.prepare(label, &d)
	if err != nil {
		return err
	}
	err = m.learner.Unlearn(label, weight, &m.learn.lane.Features)
	if errors.Is(err, counts.ErrNegative) || errors.Is(err, model.ErrInconsistent) {
		return fmt.Errorf("%w: %w", ErrNotLearned, err)
	}
	return err
}

// prepare checks a label and a document, and sets the features of m.learn. The lock is held.
func (m *Model) prepare(label string, d *Document) (name string, weight int64, err error) {
	if m.readOnly {
		return "", 0, ErrReadOnly
	}
	classes := m.state.Spec().Classes
	isClass := func(name []byte) bool { return len(classes) == 0 || slices.Contains(classes, string(name)) }
	text, bad := wire.CheckLabel([]byte(label), isClass)
	if bad != nil {
		return "", 0, documentError(bad.At("the label"))
	}
	name = string(text)
	if weight, err = d.weight(); err != nil {
		return "", 0, err
	}
	return name, weight, m.learn.extract(d)
}

// Classify returns the decision on a document. An error about the document is a *DocumentError.
func (m *Model) Classify(d Document) (decision *Decision, err error) {
	readErr := m.read(func(s *fold.State) { decision, err = m.classify.Classify(s, &d) })
	return decision, errors.Join(readErr, err)
}

// read calls f with the state, which holds everything that was learned and which nobody changes
// meanwhile.
func (m *Model) read(f func(*fold.State)) error {
	m.mu.RLock()
	if !m.learner.Pending() {
		defer m.mu.RUnlock()
		f(m.state)
		return nil
	}
	m.mu.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.learner.Flush(); err != nil {
		return err
	}
	f(m.state)
	return nil
}

// Save writes what was learned since the last Save to the file of Open, in one transaction: after
// an error, or a crash, the file is as before. After an error the model must be opened again.
func (m *Model) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.readOnly:
		return fmt.Errorf("save: %w", ErrReadOnly)
	case m.file == nil:
		return errors.New("save: the model of New has no file: make one with Open")
	}
	if err := m.learner.Flush(); err != nil {
		return err
	}
	if err := m.file.Write(store.Collect(m.state)); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

// Close releases the file. What was not saved is lost.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readOnly = true
	if m.file == nil {
		return nil
	}
	file := m.file
	m.file = nil
	return file.Close()
}

// Counts returns how many documents each class has, by weight.
func (m *Model) Counts() (documents map[string]int64, err error) {
	err = m.read(func(s *fold.State) { documents = s.Documents() })
	return documents, err
}

// Spec returns the spec of the model as YAML, with its defaults.
func (m *Model) Spec() string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return string(m.state.Spec().YAML())
}
