package race

import (
	"fmt"
	"math"
)

const (
	// Unit is a nat of log loss in sums, the largest loss of a decision, and a posterior of 1.
	Unit = 1 << 20
	// MaxLoss is the largest log loss of one record: one certain error must not decide the race.
	MaxLoss = 20 * Unit
	// Bins is how many intervals of confidence a Histogram has.
	Bins = 26

	mostWeight = 16 // of an error in BalancedCost

	leastLogOdds = -4  // log odds at the end of the first interval
	binWidth     = 0.5 // of the intervals between the first and the last

	maxScored = 1 << 32 // records in sums: no product with a loss overflows
)

// Sums is what scored records add up to.
type Sums struct {
	Scored  int64
	Decided Decided
	By      []CandidateSums // by candidate of List.Scored
}

// Decided is what the decisions, as they were given, come to.
type Decided struct {
	Errors     int64
	Loss       int64 // log loss in Unit
	Confidence Histogram
}

// CandidateSums is what a candidate would have come to.
type CandidateSums struct {
	Errors int64   // of the most probable class
	Cost   int64   // by List.Cost of the class of the least risk, or by BalancedCost, in Unit; 0 by accuracy
	Loss   []int64 // by temper: log loss in Unit

	// Confidence is that under the temper that was the best then, once there are Enough to tell: see
	// Histogram.Calibration.
	Confidence Histogram
}

// Histogram counts decisions by confidence, the posterior of the most probable class. Bin has the
// intervals.
type Histogram [Bins]struct {
	Records int64
	Right   int64
	Sum     int64 // of the confidences, in Unit
}

// Bin returns the interval of a confidence: half a nat of log odds each from -4 to 8, and one at
// each end.
func Bin(confidence float64) int {
	odds := math.Log(confidence / (1 - confidence))
	return int(min(max(math.Floor((odds-leastLogOdds)/binWidth)+1, 0), Bins-1))
}

// Add adds a decision.
func (h *Histogram) Add(confidence float64, right bool) {
	bin := &h[Bin(confidence)]
	bin.Records++
	bin.Sum += int64(math.Round(confidence * Unit))
	if right {
		bin.Right++
	}
}

// FixedLoss returns a log loss in Unit, at most MaxLoss, which it also is if it is not a number.
func FixedLoss(loss float64) int64 {
	x := loss*Unit + 0.5 // to be truncated: math.Round takes longer than all the rest of a loss
	switch {
	case x < 0:
		return 0
	case x < MaxLoss:
		return int64(x)
	}
	return MaxLoss
}

// NewSums returns sums of no record for n scored candidates.
func NewSums(n int) *Sums {
	s := &Sums{By: make([]CandidateSums, n)}
	for i := range s.By {
		s.By[i].Loss = make([]int64, len(grid))
	}
	return s
}

// Reset makes them the sums of no record again.
func (s *Sums) Reset() {
	by := s.By
	for i := range by {
		clear(by[i].Loss)
		by[i] = CandidateSums{Loss: by[i].Loss}
	}
	*s = Sums{By: by}
}

// each calls f with every sum of s, and the sum of o at the same place.
func (s *Sums) each(o *Sums, f func(a, b *int64)) {
	f(&s.Scored, &o.Scored)
	f(&s.Decided.Errors, &o.Decided.Errors)
	f(&s.Decided.Loss, &o.Decided.Loss)
	s.Decided.Confidence.each(&o.Decided.Confidence, f)
	for i := range s.By {
		a := &s.By[i]
		b := &o.By[i]
		f(&a.Errors, &b.Errors)
		f(&a.Cost, &b.Cost)
		for j := range a.Loss {
			f(&a.Loss[j], &b.Loss[j])
		}
		a.Confidence.each(&b.Confidence, f)
	}
}

func (h *Histogram) each(o *Histogram, f func(a, b *int64)) {
	for i := range h {
		f(&h[i].Records, &o[i].Records)
		f(&h[i].Right, &o[i].Right)
		f(&h[i].Sum, &o[i].Sum)
	}
}

func add(a, b *int64)   { *a += *b }
func halve(a, _ *int64) { *a /= 2 }

// Add adds the sums of the same list.
func (s *Sums) Add(o *Sums) { s.each(o, add) }

func (s *Sums) halve() {
	s.Decided.Confidence.makeEven()
	for i := range s.By {
		s.By[i].Confidence.makeEven()
	}
	s.each(s, halve)
}

// makeEven takes a record of the mean confidence out of each interval with an odd number: halved,
// these would lose half a record, and the sum would not, so that the mean would be above all that
// is in the interval.
func (h *Histogram) makeEven() {
	for i := range h {
		if n := h[i].Records; n%2 == 1 {
			h[i].Sum -= h[i].Sum / n
		}
	}
}

// Check returns an error if a list can have no such sums.
func (s *Sums) Check(l *List) error {
	if len(s.By) != len(l.scored) || s.Scored < 0 || s.Scored > maxScored {
		return fmt.Errorf("sums of %d records for %d candidates, want %d candidates", s.Scored, len(s.By), len(l.scored))
	}
	if err := s.checkBy(); err != nil {
		return err
	}
	if d := &s.Decided; !s.isDecided() {
		return fmt.Errorf("%d records cannot have %d errors, a log loss of %d, or their confidence", s.Scored, d.Errors,
			d.Loss)
	}
	return nil
}

// isDecided reports whether the decisions on the records can come to what is said of them.
func (s *Sums) isDecided() bool {
	d := &s.Decided
	return s.isCount(d.Errors) && s.isSum(d.Loss, MaxLoss) && d.Confidence.isOf(s.Scored)
}

func (s *Sums) checkBy() error {
	for i := range s.By {
		c := &s.By[i]
		if len(c.Loss) != len(grid) || !s.isCount(c.Errors) || !s.isSum(c.Cost, mostWeight*Unit) ||
			!c.Confidence.isOf(s.Scored) {
			return fmt.Errorf("candidate %d has %d errors of cost %d in %d records and %d tempers, "+
				"want %d, or a confidence that these cannot have",
				i, c.Errors, c.Cost, s.Scored, len(c.Loss), len(grid))
		}
		for _, loss := range c.Loss {
			if !s.isSum(loss, MaxLoss) {
				return fmt.Errorf("candidate %d has a log loss of %d, which %d records cannot have", i, loss, s.Scored)
			}
		}
	}
	return nil
}

func (s *Sums) isCount(n int64) bool { return n >= 0 && n <= s.Scored }

// isSum reports whether a sum can be of the records, at most so much each. One more is allowed,
// because halving cuts off half a record.
func (s *Sums) isSum(sum, most int64) bool { return sum >= 0 && sum <= (s.Scored+1)*most }

// isOf reports whether a histogram can be of at most n records.
func (h *Histogram) isOf(n int64) bool {
	for i := range h {
		b := &h[i]
		if b.Records < 0 || b.Records > n || b.Right < 0 || b.Right > b.Records || b.Sum < 0 || b.Sum > (b.Records+1)*Unit {
			return false
		}
		n -= b.Records
	}
	return true
}
