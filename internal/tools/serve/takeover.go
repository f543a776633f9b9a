package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/worker"
	"bayestream/internal/tools/lab/exchange"
	"bayestream/internal/tools/lab/modelfile"
)

// takeOver begins with the counts of a model file that another verb made, like train, and moves the
// file aside: the new one follows the topics.
func (p *pipeline) takeOver(ctx context.Context) error {
	if _, err := os.Stat(p.options.Model); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := p.importCounts(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("begin with the counts of %s: %w", p.options.Model, err), os.RemoveAll(p.folder))
	}
	aside, err := store.MoveAside(p.options.Model, "before-serve", time.Now())
	if err == nil {
		p.options.Said(fmt.Sprintf("The model begins with the counts of %s, which is %s now. Their documents are not in the "+
			"ledger: they cannot be corrected by their ids.", p.options.Model, aside))
	}
	return err
}

func (p *pipeline) importCounts(ctx context.Context) error {
	state, err := modelfile.Load(ctx, p.options.Model)
	if err != nil {
		return err
	}
	source, err := exchange.Source(state.Model())
	if err != nil {
		return err
	}
	if _, err := worker.CreateLog(ctx, p.client, modelLog); err != nil {
		return err
	}
	_, err = modellog.Import(ctx, p.client, modelLog, source, state.Model(), state.Scores(), nil)
	return err
}
