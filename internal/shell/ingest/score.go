package ingest

import (
	"encoding/binary"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/wire"
)

// What a batch scores goes into its delta, and only through the fold into the metrics, so that a
// delta that is built again counts once.

// beginTrial empties what scores the documents of the batch.
func (p *partition) beginTrial() {
	p.trial = nil
	p.epoch.Read(func(s *fold.State) {
		if s.Race() == nil {
			return
		}
		p.trial = p.batch.trial
		p.trial.Use(s.Race().List())
		p.trial.Reset()
		p.batch.size += codec.BoundScores(len(p.trial.List().Scored()))
	})
}

// score scores a document that was learned, by the model as it is before the delta in the making,
// if the place of its record draws it. A nil document is none, and one whose id was known is not
// scored: the model may know its text.
func (p *partition) score(at place, learned *sample) {
	if learned == nil || learned.known || p.trial == nil {
		return
	}
	p.epoch.Read(func(s *fold.State) {
		if s.Race() == nil || s.Race().List().Fingerprint() != p.trial.List().Fingerprint() {
			return // a spec came meanwhile
		}
		m := s.Model()
		if !p.trial.Draws(m, m.Classes().Total(), at.digest()) {
			return
		}
		before := len(p.trial.Classes)
		decided := p.trial.Score(m, s.Race(), learned.features, learned.label)
		p.batch.size += (len(p.trial.Classes) - before) * max(codec.BoundTally(learned.label), codec.BoundTally(decided))
	})
}

// digest returns the hash of a place.
func (p place) digest() digest.Sum {
	key := append([]byte(p.topic), 0)
	key = binary.BigEndian.AppendUint32(key, uint32(p.partition))
	key = binary.BigEndian.AppendUint64(key, uint64(p.offset))
	return digest.Hash(key)
}

// readBySpecInForce makes the batch read records by the spec in force, whose paths may have grown
// since the last one, and keep its window, which may be shorter. The error is errOvertaken if it is
// not that of the state that the batch is to be built on.
func (p *partition) readBySpecInForce() error {
	var now *spec.Spec
	isBuiltOn := false
	p.epoch.Read(func(s *fold.State) {
		now = s.Spec()
		isBuiltOn = s.Basis(p.source).Spec == p.built.Spec
	})
	if now == nil || !isBuiltOn {
		return errOvertaken
	}
	if now == p.batch.reads {
		return nil
	}
	decoder, err := wire.NewDecoder(wire.SchemaOf(now))
	if err != nil {
		return err
	}
	if now.FromRevision() != p.batch.reads.FromRevision() {
		p.log.Info("fields are looked for by the paths of a later spec", "partition", p.assign.Partition, "paths",
			now.FromRevision())
	}
	if now.Reading() != p.batch.reads.Reading() {
		p.log.Info("a later spec says where records have their label and weight", "partition", p.assign.Partition)
	}
	if now.Limits.Window != p.batch.reads.Limits.Window {
		p.log.Info("a later spec has made the window shorter", "partition", p.assign.Partition, "window",
			now.Limits.Window.String())
	}
	decoder.Guessed = p.batch.decoder.Guessed
	p.batch.decoder = decoder
	p.batch.limits = &now.Limits
	p.batch.reads = now
	p.remember(now)
	return nil
}

// readDocument decodes the document of a record at a place: in the training topic as
// training records are read, elsewhere as documents are.
func (b *batch) readDocument(at place, dst *wire.Document, read texts) error {
	if at.topic == b.source.Topic {
		return b.decoder.Learned(read[at], dst)
	}
	return b.decoder.Document(read[at], dst)
}
