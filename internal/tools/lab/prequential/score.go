package prequential

import (
	"context"
	"errors"
	"fmt"
	"math"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// Place is where a record of the training topic is.
type Place struct {
	Partition int32
	Offset    int64
}

// Score is what a model decided on a record before it learned it.
type Score struct {
	Correct bool
	LogLoss float64 // in nats, at most 34.54
}

// Scores are those of one model.
type Scores struct {
	ByPlace map[Place]Score
	Skipped map[Place]string // the reasons of records that its ingest did not learn
	Unread  int64            // records that its ingest learned, and that its spec does not read
	Example error            // why, of the first of them
}

// Score scores the records of a window. key is that of the terms where the model's spec has one.
// each, if not nil, is called after every record of the log.
//
// What is no new document is left out: a record that corrects or forgets, and one whose id the
// model has learned before.
func (l *Log) Score(ctx context.Context, broker modellog.Reader, key *spec.TermsKey, window map[int32]Range,
	each func()) (*Scores, error) {
	s := &scorer{
		records: &records{broker: broker, topic: l.training, fetched: map[int32]worker.Fetched{}},
		state:   fold.New(true),
		found:   Scores{ByPlace: map[Place]Score{}, Skipped: map[Place]string{}},
	}
	if l.State.Spec().HashesTerms() {
		s.key = key
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The state between two records of the log is the model before the second one.
	err := modellog.Replay(ctx, broker, l.Topic, s.state, l.State.Next(), func(e fold.Entry, _ fold.Outcome) {
		for _, next := range l.deltas[e.Offset+1] {
			if ctx.Err() != nil {
				break
			}
			if err := s.score(ctx, &next, window[next.partition]); err != nil {
				stop(err)
			}
		}
		if each != nil {
			each()
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		err = cause // of its own, or that of the caller
	}
	return &s.found, err
}

// scorer scores the records of one delta after the other.
type scorer struct {
	key     *spec.TermsKey // nil: the terms are counted as they are
	records *records
	state   *fold.State

	reads   *spec.Spec // by which the next three read
	decoder *wire.Decoder
	lane    *model.Lane
	hasher  *spec.Hasher // nil: the ledger knows ids as they are

	training wire.Training
	document wire.Document
	input    *model.Input // of the document, in one of these
	found    Scores
}

// score scores the records of a delta that lie in the window.
func (s *scorer) score(ctx context.Context, d *span, window Range) error {
	start := max(d.start, window.From)
	end := min(d.end, window.To)
	if start >= end {
		return nil
	}
	s.state.Settle()
	if err := s.read(s.state.Spec()); err != nil {
		return err
	}
	return s.records.each(ctx, d.partition, start, end, func(rec *stream.Record) error {
		at := Place{d.partition, rec.Offset}
		if reason, skipped := d.skipped[rec.Offset]; skipped {
			s.found.Skipped[at] = reason
			return nil
		}
		return s.record(ctx, at, rec)
	})
}

// read makes the scorer read by the spec in force.
func (s *scorer) read(now *spec.Spec) (err error) {
	if now == s.reads {
		return nil
	}
	keyed, err := now.WithKey(s.key)
	if err != nil {
		return err
	}
	s.decoder = wire.NewDecoder(wire.SchemaOf(keyed))
	if s.lane, err = model.NewLane(keyed); err != nil {
		return err
	}
	if s.key != nil {
		s.hasher = s.key.Hasher()
	}
	s.reads = now
	return nil
}

// record scores a record that is a new document.
func (s *scorer) record(ctx context.Context, at Place, rec *stream.Record) error {
	isNew, err := s.open(ctx, rec)
	switch {
	case errors.As(wire.AsReject(err), new(*wire.Reject)):
		if s.found.Unread++; s.found.Unread == 1 {
			s.found.Example = fmt.Errorf("%s/%d/%d: %w", rec.Topic, rec.Partition, rec.Offset, err)
		}
		return nil
	case err != nil || !isNew:
		return err
	}
	d := s.lane.Decide(s.state.Model(), s.state.Next()-1, s.input, "", model.Options{Evidence: -1})
	if !d.Labelled {
		return nil // nothing was learned yet
	}
	loss := max(0, min(d.LogLoss(s.training.Label), -math.Log(minProbability)))
	s.found.ByPlace[at] = Score{d.Label == s.training.Label, loss}
	return nil
}

// minProbability clips the log loss, as the workers and eval do: one certain mistake must not
// outweigh all the others.
const minProbability = 1e-15

// open reads a record, and sets the input to that of its document if it is a new one.
func (s *scorer) open(ctx context.Context, rec *stream.Record) (isNew bool, err error) {
	t := &s.training
	if err := s.decoder.Training(rec, t); err != nil {
		return false, err
	}
	if t.Kind != wire.Learn || t.Explicit && s.knows(rec, t.ID) {
		return false, nil
	}
	if t.Ref == nil {
		s.input = &t.Input
		return true, nil
	}
	text, err := worker.ReadAt(ctx, s.records.broker, t.Ref.Topic, t.Ref.Partition, t.Ref.Offset)
	if text == nil || err != nil {
		return false, err // it was there when it was learned
	}
	decode := s.decoder.Document
	if text.Topic == rec.Topic {
		decode = s.decoder.Learned
	}
	if err := decode(text, &s.document); err != nil {
		return false, err
	}
	s.input = &s.document.Input
	return true, nil
}

// knows reports whether the model has learned an id before.
func (s *scorer) knows(rec *stream.Record, id string) bool {
	if s.hasher != nil {
		id = s.hasher.ID(id)
	}
	ledger := s.state.Ledger(fold.Source{Topic: rec.Topic, Partition: int32(rec.Partition)})
	if ledger == nil {
		return false // nothing of the partition was learned
	}
	_, known := ledger.Entry(id)
	return known
}
