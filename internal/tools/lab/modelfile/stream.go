package modelfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/dataset"
)

// Stream labels and learns records one after the other. A decision is by all that was learned
// before it.
type Stream struct {
	Labelled, Learned, Bad int64

	// Warn takes a sentence about a record that is odd, and learned nevertheless; may be nil.
	Warn func(sentence string)

	to      io.Writer
	state   *fold.State
	file    *store.Store
	synced  func(learned int64) // is told of each sync, with all that was learned
	learner *fold.Learner
	lane    *model.Lane
	encoder wire.DecisionEncoder
	options model.Options
	seen    dataset.Places  // ids that were learned
	labels  map[string]bool // that were learned, in this run or before
	pace    *store.Pace
	onDisk  int64  // learned records
	out     []byte // that is not written yet
}

// NewStream returns a stream into the state of a file. It writes decisions, and refusals, to a
// writer. synced is called after each sync.
func NewStream(state *fold.State, file *store.Store, to io.Writer, form wire.Form,
	synced func(learned int64)) (*Stream, error) {
	lane, err := model.NewLane(state.Spec())
	if err != nil {
		return nil, err
	}
	labels := map[string]bool{}
	for _, name := range state.Model().ClassNames() {
		labels[name] = true
	}
	learner := fold.NewLearner(state)
	learner.Correct()
	return &Stream{
		to: to, state: state, file: file, synced: synced, labels: labels,
		learner: learner, lane: lane,
		encoder: wire.DecisionEncoder{Form: form}, options: model.Options{Evidence: streamEvidence}, seen: dataset.Places{},
		pace: store.NewPace(syncEvery, syncRecords, time.Now()),
	}, nil
}

const (
	streamEvidence = 10 // entries of a decision, as predict and classify write by default
	outBytes       = 64 << 10

	// Where input always waits, what was learned is synced now and then. Else it is synced when all
	// input is used.
	syncEvery   = time.Second
	syncRecords = 100_000
)

// Run reads to the end of the records, or of ctx. While it waits for input, all that was decided is
// written, and all that was learned is on the disk. A record that cannot be used is answered with
// why.
func (s *Stream) Run(ctx context.Context, open Opener) error {
	var broken error
	r, err := open(func() { broken = errors.Join(broken, s.catchUp()) })
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	var rec dataset.Record
	for {
		err := r.Read(&rec)
		if err == nil {
			err = s.take(&rec)
		}
		if dataset.IsReject(err) {
			err = s.refuse(err)
		}
		switch {
		case broken != nil:
			return broken
		case err == nil && ctx.Err() == nil:
			continue
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			err = nil
		}
		return errors.Join(err, s.catchUp())
	}
}

// take learns a record with a label, and labels one without.
func (s *Stream) take(rec *dataset.Record) error {
	var err error
	if rec.Label != "" {
		err = s.learn(rec)
	} else {
		err = s.label(rec)
	}
	if err == nil && s.pace.Due(time.Now(), int(s.Learned-s.onDisk)) {
		return s.sync()
	}
	return err
}

func (s *Stream) learn(rec *dataset.Record) error {
	if rec.Explicit {
		if err := s.seen.Add(rec, "it is learned once; serve and ingest correct documents by their ids"); err != nil {
			return err
		}
	}
	s.lane.Extractor.Extract(&s.lane.Features, &rec.Input)
	if err := s.learner.Learn(rec.Label, rec.Weight, &s.lane.Features); err != nil {
		if rec.Explicit {
			delete(s.seen, rec.ID)
		}
		return rec.Error(wire.AsReject(err))
	}
	s.Learned++
	s.meet(rec)
	return nil
}

// meet warns of a new label that looks like another one: it is probably the same class.
func (s *Stream) meet(rec *dataset.Record) {
	if s.labels[rec.Label] {
		return
	}
	if near := spelling.Alike(rec.Label, slices.Collect(maps.Keys(s.labels))); len(near) > 0 && s.Warn != nil {
		s.Warn(fmt.Sprintf("%s: the label %q is new, and looks like %q", rec.Location(), rec.Label, near[0]))
	}
	s.labels[strings.Clone(rec.Label)] = true
}

func (s *Stream) label(rec *dataset.Record) error {
	if err := s.learner.Flush(); err != nil {
		return err
	}
	d := s.lane.Decide(s.state.Model(), s.state.Next()-1, &rec.Input, rec.ID, s.options)
	s.out = append(s.encoder.Append(s.out, rec.ID, wire.FileSource(rec.File, rec.Line), d), '\n')
	s.Labelled++
	return s.writeFull()
}

// refuse answers a record that cannot be used.
func (s *Stream) refuse(err error) error {
	reject, _ := errors.AsType[*wire.Reject](err)
	place := wire.Source{}
	if line, ok := errors.AsType[*wire.LineError](err); ok {
		place = wire.FileSource(line.File, line.Line)
	}
	s.out = append(wire.AppendRefusal(s.out, reject, place), '\n')
	s.Bad++
	return s.writeFull()
}

// writeFull writes the output if there is much of it.
func (s *Stream) writeFull() error {
	if len(s.out) < outBytes {
		return nil
	}
	return s.write()
}

func (s *Stream) write() error {
	if len(s.out) == 0 {
		return nil
	}
	_, err := s.to.Write(s.out)
	s.out = s.out[:0]
	if err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// catchUp writes what was decided, and syncs what was learned, whether or not it could be written.
func (s *Stream) catchUp() error { return errors.Join(s.write(), s.sync()) }

// sync makes what was learned durable.
func (s *Stream) sync() error {
	if s.Learned == s.onDisk {
		return nil
	}
	if err := s.learner.Flush(); err != nil {
		return err
	}
	begun := time.Now()
	if err := s.file.Write(store.Collect(s.state)); err != nil {
		return err
	}
	s.pace.Wrote(time.Since(begun), time.Now())
	s.onDisk = s.Learned
	s.synced(s.Learned)
	return nil
}
