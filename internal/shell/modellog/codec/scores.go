package codec

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"bayestream/internal/core/race"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/logpb"
)

// BoundScores returns an upper bound of the bytes that the scores of a delta take, with so many
// candidates and the shadow, for one record; BoundTally has what others add.
func BoundScores(candidates int) int {
	const (
		frame     = 128                                // list, counts, tags and lengths
		record    = 2 * (tally + counts.MaxClassBytes) // the classes of a record: its own, and what was decided
		histogram = 3 * race.Bins                      // of varints
		varint    = 8                                  // of a sum of the records that a delta may have
	)
	return frame + record + histogram*varint + candidates*(24+(2+len(race.Tempers())+histogram)*varint)
}

// tally bounds the bytes that a class takes in the scores of a delta, besides its name.
const tally = 32

// BoundTally returns an upper bound of the bytes that a class takes in the scores of a delta.
func BoundTally(class string) int { return tally + len(class) }

// ScoresProto returns the protobuf form of sums of a list.
func ScoresProto(list race.Fingerprint, s *race.Sums) *logpb.Scores {
	p := &logpb.Scores{
		List: list[:], Scored: s.Scored, Errors: s.Decided.Errors, Loss: s.Decided.Loss,
		Confidence: confidenceProto(&s.Decided.Confidence),
	}
	for i := range s.By {
		c := &s.By[i]
		p.Candidates = append(p.Candidates, &logpb.CandidateScores{Errors: c.Errors, Cost: c.Cost, Loss: slices.Clone(c.Loss),
			Confidence: confidenceProto(&c.Confidence)})
	}
	return p
}

func confidenceProto(h *race.Histogram) *logpb.Confidence {
	if *h == (race.Histogram{}) {
		return nil
	}
	p := &logpb.Confidence{Records: make([]int64, len(h)), Right: make([]int64, len(h)), Sum: make([]int64, len(h))}
	for i := range h {
		p.Records[i] = h[i].Records
		p.Right[i] = h[i].Right
		p.Sum[i] = h[i].Sum
	}
	return p
}

// ReadScores reads and checks the protobuf form of sums of a list. They are nil if they are of
// another one.
func ReadScores(p *logpb.Scores, l *race.List) (*race.Sums, error) {
	if list := l.Fingerprint(); string(p.GetList()) != string(list[:]) {
		return nil, nil
	}
	if n := len(p.GetCandidates()); n != len(l.Scored()) { // before they take 300 times the bytes of the record
		return nil, fmt.Errorf("scores of %d candidates, of which the list has %d", n, len(l.Scored()))
	}
	s := &race.Sums{Scored: p.GetScored(), Decided: race.Decided{Errors: p.GetErrors(), Loss: p.GetLoss()}}
	err := readConfidence(&s.Decided.Confidence, p.GetConfidence())
	s.By = make([]race.CandidateSums, len(p.GetCandidates()))
	for i, c := range p.GetCandidates() {
		of := &s.By[i]
		of.Errors = c.GetErrors()
		of.Cost = c.GetCost()
		of.Loss = c.GetLoss()
		err = errors.Join(err, readConfidence(&of.Confidence, c.GetConfidence()))
	}
	if err != nil {
		return nil, err
	}
	return s, s.Check(l)
}

func readConfidence(h *race.Histogram, p *logpb.Confidence) error {
	if p == nil {
		return nil
	}
	if len(p.GetRecords()) != race.Bins || len(p.GetRight()) != race.Bins || len(p.GetSum()) != race.Bins {
		return errors.New("decisions are counted by other intervals of confidence")
	}
	for i := range h {
		h[i].Records = p.GetRecords()[i]
		h[i].Right = p.GetRight()[i]
		h[i].Sum = p.GetSum()[i]
	}
	return nil
}

// RaceProto returns the protobuf form of a race.
func RaceProto(r *race.State) *logpb.Race {
	leader := r.Leader()
	return &logpb.Race{
		Scores: ScoresProto(r.List().Fingerprint(), r.Sums()), Likelihood: leader.Candidate.Likelihood,
		Alpha: leader.Candidate.Alpha,
		T:     leader.Temper.T, Gamma: leader.Temper.Gamma, Sublinear: leader.Candidate.Sublinear,
		Shape: leader.Candidate.Shape, Edges: leader.Candidate.Edges, Corrections: leader.Candidate.Corrections,
	}
}

// ReadRace reads the protobuf form of the race of a list.
func ReadRace(p *logpb.Race, l *race.List) (*race.State, error) {
	sums, err := ReadScores(p.GetScores(), l)
	switch {
	case err != nil:
		return nil, err
	case sums == nil:
		return nil, errors.New("the race is of other candidates than those of the spec")
	}
	leader := race.Leader{}
	leader.Candidate.Likelihood = p.GetLikelihood()
	leader.Candidate.Alpha = p.GetAlpha()
	leader.Candidate.Sublinear = p.GetSublinear()
	leader.Candidate.Shape = p.GetShape()
	leader.Candidate.Edges = p.GetEdges()
	leader.Candidate.Corrections = p.GetCorrections()
	leader.Temper.T = p.GetT()
	leader.Temper.Gamma = p.GetGamma()
	return race.Restore(l, sums, leader)
}

// PrequentialProto returns the protobuf form of what the decisions on scored records come to.
func PrequentialProto(x *race.Prequential) *logpb.Prequential {
	p := &logpb.Prequential{Scored: x.Scored, Errors: x.Errors, Loss: x.Loss}
	for i := range x.Window {
		b := &x.Window[i]
		p.Window = append(p.Window, &logpb.Block{
			Scored: b.Scored, Errors: b.Decided.Errors, Loss: b.Decided.Loss, Confidence: confidenceProto(&b.Decided.Confidence),
			Classes: talliesProto(b.Classes),
		})
	}
	return p
}

// ReadPrequential reads and checks the protobuf form of what the decisions on scored records come
// to.
func ReadPrequential(p *logpb.Prequential) (*race.Prequential, error) {
	x := &race.Prequential{Scored: p.GetScored(), Errors: p.GetErrors(), Loss: p.GetLoss()}
	if n := len(p.GetWindow()); n > race.MostBlocks {
		return nil, fmt.Errorf("a window of %d blocks, which has at most %d", n, race.MostBlocks)
	}
	for _, w := range p.GetWindow() {
		b := race.Block{Scored: w.GetScored(), Decided: race.Decided{Errors: w.GetErrors(), Loss: w.GetLoss()}}
		if err := readConfidence(&b.Decided.Confidence, w.GetConfidence()); err != nil {
			return nil, err
		}
		var err error
		b.Classes, err = readTallies(w.GetClasses())
		if err != nil {
			return nil, err
		}
		x.Window = append(x.Window, b)
	}
	return x, x.Check()
}

// talliesProto returns the protobuf form of tallies, by ascending class.
func talliesProto(t race.Tallies) (p []*logpb.Tally) {
	for _, class := range slices.Sorted(maps.Keys(t)) {
		p = append(p, tallyProto(class, t[class]))
	}
	return p
}

func tallyProto(class string, n race.Tally) *logpb.Tally {
	return &logpb.Tally{Class: class, Records: n.Records, Right: n.Right, Decided: n.Decided}
}

// readTallies reads the protobuf form of tallies, without checking the numbers.
func readTallies(p []*logpb.Tally) (race.Tallies, error) {
	t := race.Tallies{}
	for i, n := range p {
		if i > 0 && p[i-1].GetClass() >= n.GetClass() {
			return nil, errors.New("the classes of scores are out of order")
		}
		t[n.GetClass()] = readTally(n)
	}
	return t, nil
}

func readTally(p *logpb.Tally) race.Tally {
	return race.Tally{Records: p.GetRecords(), Right: p.GetRight(), Decided: p.GetDecided()}
}
