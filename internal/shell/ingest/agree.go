package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
)

// CountingError reports a spec that counts differently from the model of a topic.
type CountingError struct{ Spec, Topic, Difference string }

func (e *CountingError) Error() string {
	return fmt.Sprintf("%s counts differently from the model in topic %q: %s; use a new --model-topic for it "+
		"(docs/tokenizer.md)", e.Spec, e.Topic, e.Difference)
}

// agree sets the spec that this worker counts by to the log's. Of several workers that start
// on an empty log the first wins; the others go on with its spec if it counts like theirs.
func (in *ingester) agree(ctx context.Context, own *spec.Spec) (err error) {
	if own != nil {
		if own, err = own.WithKey(in.key); err != nil {
			return fmt.Errorf("%s: %w", in.config.SpecName(in.config.Spec), err)
		}
	}
	epoch, err := in.replica.CatchUp(ctx)
	if err != nil {
		return err
	}
	if specOf(epoch) == nil {
		first := own
		if first == nil {
			if first, err = spec.Default().WithKey(in.key); err != nil {
				return err
			}
		}
		epoch, err = in.propose(ctx, first)
		if err != nil {
			return err
		}
	}
	if err := in.take(specOf(epoch)); err != nil {
		return err
	}
	if in.spec == nil {
		return errors.New("the spec was appended to the model log and is not in force: the log " +
			"holds something else; look at the errors above")
	}
	if own == nil {
		return nil
	}
	diff := own.CountingDifference(in.spec)
	if diff != "" {
		return &CountingError{Spec: in.config.SpecName(in.config.Spec), Topic: in.config.ModelTopic, Difference: diff}
	}
	if err := own.Extends(in.spec); err != nil && hasCounted(epoch) {
		return fmt.Errorf("%s: %w", in.config.SpecName(in.config.Spec), err)
	}
	if own.Limits.Window != in.spec.Limits.Window {
		in.log.Info("the window is made shorter", "from", in.spec.Limits.Window.String(), "to", own.Limits.Window.String())
	}
	if own.Name != in.spec.Name {
		in.log.Info("the model gets another name", "from", in.spec.Name, "to", own.Name)
	}
	if own.Changes(in.spec) {
		in.log.Info("the part of the spec that is not counting is replaced", "from", in.spec.Scoring().String(), "to",
			own.Scoring().String())
		epoch, err = in.propose(ctx, own)
		if err != nil {
			return err
		}
		return in.take(specOf(epoch))
	}
	return nil
}

func (in *ingester) take(s *spec.Spec) (err error) {
	if s != nil {
		s, err = s.WithKey(in.key)
	}
	in.spec = s
	if err != nil {
		return fmt.Errorf("the model in topic %q: %w", in.config.ModelTopic, err)
	}
	return nil
}

// renew waits until the state is up to date, and appends the spec that this worker counts by if the
// log has none: the topic was deleted and created again while the worker ran. It returns the epoch
// in which the spec is in force.
func (in *ingester) renew(ctx context.Context) (modellog.Epoch, error) {
	in.renewing.Lock()
	defer in.renewing.Unlock()
	epoch, err := in.replica.CatchUp(ctx)
	if err != nil {
		return epoch, err
	}
	if specOf(epoch) == nil {
		in.log.Warn("the model log was created again: the spec is appended to it, and everything is counted from the start",
			"topic", in.config.ModelTopic)
		epoch, err = in.propose(ctx, in.latest())
		if err != nil {
			return epoch, err
		}
	}
	now := specOf(epoch)
	if now == nil || now.Counting() != in.counting {
		return epoch, fmt.Errorf("model topic %q was created again, with a spec that counts "+
			"differently from that of this worker: restart it",
			in.config.ModelTopic)
	}
	return epoch, nil
}

// latest returns the spec for a log that is created again: the spec of the start, or one of
// more paths.
func (in *ingester) latest() *spec.Spec {
	return cmp.Or(in.newest.Load(), in.spec)
}

// remember keeps a spec that is in force. Paths only grow: one with fewer is of a log that another
// worker began again.
func (in *ingester) remember(now *spec.Spec) {
	for {
		before := in.newest.Load()
		if now.FromRevision() < cmp.Or(before, in.spec).FromRevision() || in.newest.CompareAndSwap(before, now) {
			return
		}
	}
}

// specOf returns the spec in force, nil if there is none or the epoch has ended.
func specOf(epoch modellog.Epoch) (current *spec.Spec) {
	epoch.Read(func(s *fold.State) { current = s.Spec() })
	return current
}

func hasCounted(epoch modellog.Epoch) (yes bool) {
	epoch.Read(func(s *fold.State) { yes = s.HasCounted() })
	return yes
}

func (in *ingester) propose(ctx context.Context, s *spec.Spec) (modellog.Epoch, error) {
	value, err := codec.EncodeSpec(s, modellog.NewID())
	if err != nil {
		return modellog.Epoch{}, fmt.Errorf("encode spec: %w", err)
	}
	if _, err := in.replica.Append(ctx, value); err != nil {
		return modellog.Epoch{}, err
	}
	return in.replica.CatchUp(ctx)
}
