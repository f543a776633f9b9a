package console

import (
	"errors"
	"fmt"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

// lens is how records are read and scored under a spec. Any number of goroutines may use it.
type lens struct {
	spec    *spec.Spec
	decoder *wire.Decoder
	hashed  bool      // the terms have a key, which the console lacks
	lanes   sync.Pool // of *model.Lane
}

// errNoSpec says that nothing is known of how records are read.
var errNoSpec = fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)

// lens returns the one of the spec in force.
func (c *Console) lens() (*lens, error) {
	var s *spec.Spec
	c.replica.Read(func(state *fold.State) { s = state.Spec() })
	if s == nil {
		return nil, errNoSpec
	}
	c.lensMu.Lock()
	defer c.lensMu.Unlock()
	if c.looks != nil && c.looks.spec == s {
		return c.looks, nil
	}
	l, err := c.newLens(s)
	if err == nil {
		c.looks = l
	}
	return l, err
}

func (c *Console) newLens(s *spec.Spec) (*lens, error) {
	decoder, err := wire.NewDecoder(wire.SchemaOf(s))
	if err != nil {
		return nil, err
	}
	l := &lens{spec: s, decoder: decoder}
	keyed, err := s.WithKey(c.options.Key)
	var missing *spec.KeyError
	if errors.As(err, &missing) {
		l.hashed = true
		return l, nil
	}
	if err == nil {
		_, err = model.NewLane(keyed)
	}
	if err != nil {
		return nil, err
	}
	l.lanes.New = func() any {
		lane, err := model.NewLane(keyed)
		if err != nil {
			panic(err) // it was made before
		}
		return lane
	}
	return l, nil
}
