package bayestream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire"
)

// ErrNotLearned is the error of Unlearn for a document that the model has not learned under that
// label.
var ErrNotLearned = errors.New("the model has not learned this document under this label")

// ErrReadOnly is the error of Learn, Unlearn and Save for a model of Load, or of a worker's file.
var ErrReadOnly = errors.New("the model cannot be trained here: it was loaded, or it follows a model topic")

// lockWait is how long Open waits for a process that is about to release the file.
const lockWait = time.Second

// Model is a model in memory, with or without a file. It is safe for concurrent use.
type Model struct {
	classify *Classifier
	file     *store.Store // nil: none
	readOnly bool

	mu      sync.RWMutex
	state   *fold.State
	learn   *reader
	learner *fold.Learner
}

// New returns an empty model in memory. specification is the YAML of a spec; "" is the default:
// English words, and the candidates of a race.
func New(specification string, o ...Option) (*Model, error) {
	s, err := spec.Parse([]byte(specification))
	if err != nil {
		return nil, err
	}
	return newModel(fold.Offline(s), nil, o)
}

// Open opens a model file, or creates an empty one by the spec, and holds it until Close: no other
// process can open it. The spec of an existing file stays; it must count alike if one is given.
// [Model.Save] writes what was learned.
func Open(path, specification string, o ...Option) (*Model, error) {
	s, err := spec.Parse([]byte(specification))
	if err != nil {
		return nil, err
	}
	if err := store.CheckModel(path); err != nil {
		return nil, err
	}
	file, err := store.Open(path, lockWait)
	if err != nil {
		return nil, err
	}
	m, err := opened(file, s, specification != "", o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return m, nil
}

func opened(file *store.Store, s *spec.Spec, asked bool, o []Option) (*Model, error) {
	state, err := file.Load()
	if err != nil {
		return nil, err
	}
	if state == nil {
		state = fold.Offline(s)
	}
	if state.Model() == nil || state.Next() > 0 {
		return nil, fmt.Errorf("%s: %w", file.Path(), ErrReadOnly)
	}
	if asked {
		if diff := s.CountingDifference(state.Spec()); diff != "" {
			return nil, fmt.Errorf("%s counts differently: %s; train a new file", file.Path(), diff)
		}
		state.Rescore(s)
	}
	return newModel(state, file, o)
}

// Load reads a model file, which it does not hold, or the snapshot of a worker:
// http://HOST:PORT/v1/snapshot. The model stays as it is.
func Load(ctx context.Context, from string, o ...Option) (*Model, error) {
	var state *fold.State
	var err error
	if store.IsURL(from) {
		state, err = store.Peek(ctx, from)
	} else {
		state, err = store.ReadModel(from, lockWait)
	}
	if err != nil {
		return nil, err
	}
	m, err := newModel(state, nil, o)
	if err != nil {
		return nil, err
	}
	m.readOnly = true
	return m, nil
}

func newModel(state *fold.State, file *store.Store, list []Option) (*Model, error) {
	classify, err := NewClassifier(list...)
	if err != nil {
		return nil, err
	}
	s := state.Spec()
	learn, err := newReader(s, classify.key)
	if err != nil {
		return nil, err
	}
	return &Model{classify: classify, file: file, state: state, learn: learn, learner: fold.NewLearner(state)}, nil
}

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
