package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// partition is the work on one partition of the training topic, while this worker has it.
type partition struct {
	*ingester
	source fold.Source
	assign stream.Assignment
	reader reader
	batch  *batch
	trial  *model.Trial // of the batch; nil: nothing is scored
	writer writer
	upkeep upkeep

	epoch modellog.Epoch // of the log that the batch is built on
	built standing       // of the state that the batch is built on
	known standing       // to which this worker's last delta has led, or that it has found
	at    fold.Progress  // of the source, as the batch continues it
	first firstDelta     // where counting begins, as long as no delta has begun it
	texts int            // that were counted
	alone bool           // the next delta is in no sum: another partition has spoilt the last one
}

func (in *ingester) newPartition(a stream.Assignment) *partition {
	var hasher *spec.Hasher
	if in.key != nil {
		hasher = in.key.Hasher()
	}
	source := fold.Source{Topic: a.Topic, Partition: int32(a.Partition)}
	return &partition{
		ingester: in, source: source, assign: a,
		reader: reader{ingester: in, source: source, recent: in.newRecent(source)},
		writer: writer{ingester: in, source: source},
		batch: &batch{
			source: source, index: in.index, refs: in.config.RefTopics, reads: in.spec, decoder: in.decoder, hasher: hasher,
			admission: model.NewAdmission(in.spec), limits: &in.spec.Limits,
			most: codec.DeltaLimit(in.host.LogMessageBytes()), read: model.NewCoverage(in.spec),
		},
	}
}

// run learns the partition until ctx ends.
func (p *partition) run(ctx context.Context) error {
	if err := p.checkLimits(p.spec); err != nil { // the model topic may take less than at the start
		return err
	}
	defer p.reader.release()
	for ctx.Err() == nil {
		if !p.epoch.Holds() {
			if err := p.begin(ctx); err != nil {
				return err
			}
		}
		err := p.step(ctx)
		var changed *SourceChangedError
		if errors.Is(err, errUnsettled) {
			err = p.settle(ctx)
		}
		switch {
		case errors.Is(err, errOvertaken), errors.Is(err, errOtherLog):
			continue // nothing was counted: build the delta again
		case errors.Is(err, errApart):
			p.alone = true
			continue
		case errors.As(err, &changed):
			if err := p.decideSource(ctx, changed); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		p.host.ReportPartition(p.assign.Partition, nil)
	}
	return nil
}

// noteLanguage warns once if the spec is for another language than that of the first texts.
func (p *partition) noteLanguage() {
	p.texts += p.batch.learned
	if p.batch.read == nil || p.texts < textsOfLanguage {
		return
	}
	s := p.batch.read.Language()
	p.batch.read = nil
	if s != nil {
		p.misread.Do(func() {
			p.log.Warn("the texts are in another language than the spec is for: a new model should say what suits it",
				"why", s.Why, "text."+s.Key, s.Value)
		})
	}
}

// textsOfLanguage is how many documents tell their language.
const textsOfLanguage = 50

func (p *partition) begin(ctx context.Context) error {
	epoch, err := p.renew(ctx)
	p.epoch = epoch
	p.first = none
	p.upkeep = upkeep{refused: map[int64]error{}, unkept: p.upkeep.unkept}
	p.reader.doubt()
	return err
}

// errOtherLog says that the model log was replaced by another one: the watermark that the batch
// begins at is void.
var errOtherLog = errors.New("the model log was replaced while the delta was built")

// errOvertaken says that the watermark has left the start of the batch.
var errOvertaken = errors.New("another worker counted these records while the delta was built")

// errApart says that the fold did not accept a sum, though the part of this partition was built on
// the state that it met.
var errApart = errors.New("the share of another partition has spoilt the delta")

// errRefused says why a document cannot be taken out whose text is there.
var errRefused = fmt.Errorf("the fold refused it: %w", model.ErrInconsistent)

// standing is how far a source is counted in a state: what a delta is built on, and what it leads
// to.
type standing struct {
	log     fold.LogID
	counted bool // false: the source was never counted
	fold.Basis
	watermark int64
}

func standingIn(s *fold.State, src fold.Source) standing {
	p, counted := s.Progress(src)
	return standing{log: s.Log(), counted: counted, Basis: s.Basis(src), watermark: p.Watermark}
}

// isOvertaken reports whether the source was counted further while the batch was built. Then the
// batch is built on two states, and no void may ever make it count.
func (p *partition) isOvertaken() (yes bool) {
	p.epoch.Read(func(s *fold.State) { yes = standingIn(s, p.source) != p.built })
	return yes
}
