package bayestream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
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
