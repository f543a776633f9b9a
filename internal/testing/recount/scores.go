package recount

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"bayestream/internal/shell/modellog/logpb"
)

// scores are the sums of the race of the log, and what leads.
type scores struct {
	scored, errors, loss int64
	confidence           []int64
	candidates           []candidate
	leader               int // 1 + its index; 0: none
	temper               int
}

// candidate is what a candidate has in scores.
type candidate struct {
	errors           int64
	cost             int64 // where small classes weigh more: in unit
	loss, confidence []int64
}

const (
	enough    = 200   // scored records choose a leader
	errorNats = 4     // of log loss weigh as much as an error between candidates
	open      = 2000  // before so many it needs no margin
	full      = 16384 // scored records halve all

	unit = 1 << 20 // of losses and costs
)

// score adds the scores of a delta that counts, if they are of the list of the spec. fresh is how
// many of its records learned a document that was not known.
func (l *Log) score(s *logpb.Scores, fresh int64) error {
	if s.GetScored() > fresh {
		return fmt.Errorf("%d records are scored, and %d have learned a document that was not known", s.GetScored(), fresh)
	}
	if s == nil || !bytes.Equal(s.GetList(), l.rules.List) {
		return nil
	}
	r := &l.scores
	isOpen := r.scored < open
	r.scored += s.GetScored()
	r.errors += s.GetErrors()
	r.loss += s.GetLoss()
	r.confidence = plus(r.confidence, flat(s.GetConfidence()))
	for i, c := range s.GetCandidates() {
		if i == len(r.candidates) {
			r.candidates = append(r.candidates, candidate{})
		}
		r.candidates[i].errors += c.GetErrors()
		r.candidates[i].cost += c.GetCost()
		r.candidates[i].loss = plus(r.candidates[i].loss, c.GetLoss())
		r.candidates[i].confidence = plus(r.candidates[i].confidence, flat(c.GetConfidence()))
	}
	for r.scored >= full {
		r.halve()
	}
	r.choose(&l.rules, isOpen)
	return nil
}

// flat returns the numbers of a histogram.
func flat(c *logpb.Confidence) []int64 {
	return slices.Concat(c.GetRecords(), c.GetRight(), c.GetSum())
}

// plus adds b to a, which may be shorter.
func plus(a, b []int64) []int64 {
	if more := len(b) - len(a); more > 0 {
		a = append(a, make([]int64, more)...)
	}
	for i := range b {
		a[i] += b[i]
	}
	return a
}

func (s *scores) halve() {
	numbers := [][]int64{s.confidence}
	makeEven(s.confidence)
	for i := range s.candidates {
		s.candidates[i].errors /= 2
		s.candidates[i].cost /= 2
		numbers = append(numbers, s.candidates[i].loss, s.candidates[i].confidence)
		makeEven(s.candidates[i].confidence)
	}
	for _, list := range numbers {
		for i := range list {
			list[i] /= 2
		}
	}
	s.scored /= 2
	s.errors /= 2
	s.loss /= 2
}

// makeEven takes the mean out of the sums of the intervals with an odd number of records.
func makeEven(confidence []int64) {
	n := len(confidence) / 3
	for i, records := range confidence[:n] {
		if records%2 == 1 {
			confidence[2*n+i] -= confidence[2*n+i] / records
		}
	}
}

// choose sets the leader: of the first so many candidates, behind which a shadow may be. While the
// race is open it needs no margin.
func (s *scores) choose(r *Rules, isOpen bool) {
	racing := r.Racing
	if s.scored < enough || len(s.candidates) < racing || racing == 0 {
		return
	}
	best := 0
	for i, c := range s.candidates[:racing] {
		if c.rank(r) < s.candidates[best].rank(r) {
			best = i
		}
	}
	if s.leader > 0 && !isOpen {
		leader := s.candidates[s.leader-1].costs(r)
		if leader-s.candidates[best].costs(r) <= 5+math.Sqrt(leader) {
			best = s.leader - 1
		}
	}
	s.leader = best + 1
	loss := s.candidates[best].loss
	s.temper = slices.Index(loss, slices.Min(loss))
}

// costs returns what the decisions cost; an error in a class of the mean size is 1.
func (c *candidate) costs(r *Rules) float64 {
	if r.Balanced {
		return float64(c.cost) / unit
	}
	return float64(c.errors)
}

// rank is lower for a better candidate.
func (c *candidate) rank(r *Rules) int64 {
	if r.Balanced {
		return c.cost + c.errors*unit
	}
	return errorNats*c.errors*unit + slices.Min(c.loss)
}

// dump writes the sums and the leader.
func (s *scores) dump(out *strings.Builder, r *Rules) {
	leader := s.leader - 1
	temper := s.temper
	if s.leader == 0 {
		leader = min(r.Racing, 1) - 1
		temper = r.Start
	}
	fmt.Fprintf(out, "scored %d errors %d loss %d leader %d temper %d confidence %s\n", s.scored, s.errors, s.loss,
		leader, temper, Digest(s.confidence))
	if s.scored == 0 {
		return
	}
	for i, c := range s.candidates {
		fmt.Fprintf(out, "candidate %d errors %d cost %d loss %s confidence %s\n", i, c.errors, c.cost, Digest(c.loss),
			Digest(c.confidence))
	}
}

// Digest returns a short form of numbers, in which zeros at the end are nothing.
func Digest(numbers []int64) string {
	for len(numbers) > 0 && numbers[len(numbers)-1] == 0 {
		numbers = numbers[:len(numbers)-1]
	}
	h := fnv.New64a()
	var b [8]byte
	for _, n := range numbers {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		_, _ = h.Write(b[:])
	}
	return fmt.Sprintf("%d:%x", len(numbers), h.Sum64())
}
