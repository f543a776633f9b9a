package ingest

import (
	"encoding/binary"
	"math"
	"strings"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
)

// scores measures the model, and the candidates of its race, on documents that it has not learned
// yet (prequential evaluation, Dawid 1984). What a batch scores goes into its delta, and only
// through the fold into the metrics, so that a delta that is built again counts once.
type scores struct {
	*scratch            // until the delta is encoded
	list     *race.List // that the batch is scored by, nil before the first batch
	sums     *race.Sums // of the batch
	classes  race.Tallies
}

// begin empties the scores for a batch, and returns an upper bound of the bytes that they will take
// in its delta.
func (q *scores) begin(epoch modellog.Epoch) int {
	q.classes = race.Tallies{}
	if q.sums != nil {
		q.sums.Reset()
	}
	epoch.Read(func(s *fold.State) {
		if s.Race() == nil {
			return
		}
		if l := s.Race().List(); q.list == nil || l.Fingerprint() != q.list.Fingerprint() {
			q.use(l)
		}
	})
	if q.list == nil {
		return 0
	}
	return codec.BoundScores(len(q.list.Scored()))
}

// use scores by another list.
func (q *scores) use(l *race.List) {
	q.list = l
	q.sums = race.NewSums(len(l.Scored()))
}

// add scores a document that was learned, by the model as it is before the delta in the making. A
// nil document is none, and one whose id was known is not scored: the model may know its text. It
// returns an upper bound of the bytes by which the scores of the delta grow.
func (q *scores) add(epoch modellog.Epoch, at place, learned *sample) (grown int) {
	if learned == nil || learned.known || q.list == nil {
		return 0
	}
	epoch.Read(func(s *fold.State) {
		if s.Race() == nil || s.Race().List().Fingerprint() != q.list.Fingerprint() {
			return // a spec came meanwhile
		}
		if m := s.Model(); len(m.Classes().Live()) > 0 && q.isDrawn(m, at) {
			grown = q.score(m, s.Race(), learned)
		}
	})
	return grown
}

// isDrawn reports whether a record is scored: all are that a small model learns and, because it
// takes time, one in so many where candidates race, by a hash of its place.
func (q *scores) isDrawn(m *model.Model, at place) bool {
	r := m.Spec().Race
	if r == nil {
		return true
	}
	key := append([]byte(at.topic), 0)
	key = binary.BigEndian.AppendUint32(key, uint32(at.partition))
	key = binary.BigEndian.AppendUint64(key, uint64(at.offset))
	return race.Draws(m.Classes().Total(), digest.Hash(key), r.Share)
}

func (q *scores) score(m *model.Model, state *race.State, learned *sample) (grown int) {
	d := &q.decision
	q.scorer.Decide(d, m, learned.features, "", model.Options{Evidence: -1})
	loss := math.Inf(1)
	for _, c := range d.Classes {
		if c.Name == learned.label {
			loss = -c.LogPosterior
		}
	}
	if len(q.list.Scored()) > 0 {
		q.racerOf(q.list).Add(q.sums, state, m, learned.features, learned.label)
	} else {
		q.sums.Scored++
	}
	for _, class := range []string{learned.label, d.Label} {
		if _, known := q.classes[class]; !known {
			grown += codec.BoundTally(class)
		}
	}
	q.classes.Score(strings.Clone(learned.label), d.Label)
	right := d.Label == learned.label
	decided := &q.sums.Decided
	decided.Loss += race.FixedLoss(loss)
	if !right {
		decided.Errors++
	}
	if d.Labelled {
		decided.Confidence.Add(d.Confidence(), right)
	}
	return grown
}

// delta returns the scores of the batch, nil if none was scored.
func (q *scores) delta() *fold.Scores {
	if q.sums == nil || q.sums.Scored == 0 {
		return nil
	}
	return &fold.Scores{List: q.list.Fingerprint(), Sums: q.sums, Classes: q.classes}
}
