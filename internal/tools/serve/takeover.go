package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/worker"
	"bayestream/internal/tools/lab/exchange"
	"bayestream/internal/tools/lab/modelfile"
)

// takeOver begins with the counts of a model file that another verb made, like train, and moves the
// file aside: the new one follows the topics. A start that was killed on the way is finished by the
// next one.
func (p *pipeline) takeOver(ctx context.Context, isNew bool) error {
	state, err := p.given(ctx, isNew)
	if err == nil && state != nil {
		err = p.importCounts(ctx, state)
	}
	if err != nil {
		return fmt.Errorf("begin with the counts of %s: %w", p.options.Model, err)
	}
	p.hasBegun = true
	if state == nil {
		return nil
	}
	aside, err := store.MoveAside(p.options.Model, "before-serve", time.Now())
	if err == nil {
		p.options.Said(fmt.Sprintf("The model begins with the counts of %s, which is %s now. Their documents are not in the "+
			"ledger: they cannot be corrected by their ids.", p.options.Model, aside))
	}
	return err
}

// given returns the model of a file that another verb made, nil if there is none.
func (p *pipeline) given(ctx context.Context, isNew bool) (*fold.State, error) {
	_, err := os.Stat(p.options.Model)
	if errors.Is(err, fs.ErrNotExist) || !isNew && !store.IsOffline(p.options.Model) {
		return nil, nil
	}
	state, err := modelfile.Load(ctx, p.options.Model)
	if err != nil {
		return nil, &InputError{err}
	}
	return state, nil
}

func (p *pipeline) importCounts(ctx context.Context, state *fold.State) error {
	if p.own != nil {
		if diff := p.own.CountingDifference(state.Spec()); diff != "" {
			return &ingest.CountingError{Spec: p.options.Preset.SpecName(p.options.Spec), Topic: modelLog, Difference: diff}
		}
	}
	source, err := exchange.Source(state.Model())
	if err != nil {
		return err
	}
	if _, err := worker.CreateLog(ctx, p.client, modelLog); err != nil {
		return err
	}
	if err := p.checkLog(ctx, source); err != nil {
		return err
	}
	_, err = modellog.Import(ctx, p.client, modelLog, source, state.Model(), state.Scores(), nil)
	if errors.As(err, new(*modellog.RefusedError)) {
		return &InputError{err}
	}
	return err
}

// checkLog refuses counts of which the log has none, but others.
func (p *pipeline) checkLog(ctx context.Context, source fold.Source) error {
	log := fold.New(false)
	if err := modellog.Replay(ctx, p.client, modelLog, log, -1, nil); err != nil {
		return err
	}
	if _, isBegun := log.Progress(source); isBegun || log.Model() == nil || log.Model().Classes().Total() == 0 {
		return nil
	}
	return &InputError{fmt.Errorf("%s has another model: name a new file with --model, or move that folder away",
		p.folder)}
}
