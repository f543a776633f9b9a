package ingest

import (
	"encoding/binary"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
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

func (p place) digest() digest.Sum {
	key := append([]byte(p.topic), 0)
	key = binary.BigEndian.AppendUint32(key, uint32(p.partition))
	key = binary.BigEndian.AppendUint64(key, uint64(p.offset))
	return digest.Hash(key)
}
