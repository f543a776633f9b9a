// Package race finds out which of several ways to score the same counts decides best on a stream, while the counts are
// made (prequential, Dawid 1984). Multinomial and complement naive Bayes and every alpha read one table, so that all of them
// can score a record before it is learned.
//
// What a record adds, Sums, is data: whoever scored it fixed it, in integers. What the sums of a log come to, a State, is
// a function of it alone: every replica has the same leader at the same offset, on every architecture.
package race

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/spec"
)

const (
	// Unit is a nat of log loss in sums.
	Unit = 1 << 20
	// MaxLoss is the largest log loss of one record: one certain error must not decide the race.
	MaxLoss = 20 * Unit
	// Enough is how many records must be scored before they choose a leader.
	Enough = 200
	// full is how many scored records halve the sums, so that old ones weigh less.
	full = 1 << 14
)

// Candidate is a way to score counts.
type Candidate struct {
	Likelihood string // spec.Multinomial or spec.Complement
	Alpha      float64
}

// String names the candidate as decisions do.
func (c Candidate) String() string { return fmt.Sprintf("%s/%v", c.Likelihood, c.Alpha) }

// Fallback decides until a leader is chosen.
var Fallback = Candidate{spec.Multinomial, 1}

// List is the candidates of a race, in the order of their sums.
type List []Candidate

// Default returns multinomial and complement with three alphas each.
func Default() List {
	var l List
	for _, likelihood := range []string{spec.Multinomial, spec.Complement} {
		for _, alpha := range []float64{0.01, 0.1, 1} {
			l = append(l, Candidate{likelihood, alpha})
		}
	}
	return l
}

// Fingerprint identifies what sums are of: the candidates and the tempers.
type Fingerprint [sha256.Size]byte

// Fingerprint returns that of the list.
func (l List) Fingerprint() Fingerprint {
	var names []string
	for _, c := range l {
		names = append(names, c.String())
	}
	for _, t := range grid {
		names = append(names, t.String())
	}
	return sha256.Sum256([]byte(strings.Join(names, "\n")))
}

// grid is the tempers that race for each candidate. The first is none. With each T its half is there, so that the odds under
// most of them are squares of others.
var grid = func() []spec.Temper {
	const typicalLength = 128 // tokens: at it, each gamma has the same taus
	tempers := []spec.Temper{{T: 1}}
	for _, gamma := range []float64{0, 0.25, 0.5, 0.75, 1} {
		for i := range 15 {
			t := math.Pow(typicalLength, gamma) * math.Exp2(-float64(i%2)/2)
			temper := spec.Temper{T: math.Ldexp(math.Round(t*1e3)/1e3, -i/2), Gamma: gamma}
			if temper != tempers[0] {
				tempers = append(tempers, temper)
			}
		}
	}
	return tempers
}()

// Tempers returns the tempers that race for each candidate, the first of which is none. It must not be changed.
func Tempers() []spec.Temper { return grid }

// Sums is what scored records add up to.
type Sums struct {
	Scored int64
	By     []CandidateSums // by candidate of the list
}

// CandidateSums is what a candidate has in Sums.
type CandidateSums struct {
	Errors int64
	Loss   []int64 // by temper: log loss in Unit
}

// NewSums returns sums of no record for n candidates.
func NewSums(n int) *Sums {
	s := &Sums{By: make([]CandidateSums, n)}
	for i := range s.By {
		s.By[i].Loss = make([]int64, len(grid))
	}
	return s
}

// Add adds the sums of the same list.
func (s *Sums) Add(o *Sums) {
	s.Scored += o.Scored
	for i := range s.By {
		s.By[i].Errors += o.By[i].Errors
		for j := range s.By[i].Loss {
			s.By[i].Loss[j] += o.By[i].Loss[j]
		}
	}
}

// halve halves all sums together.
func (s *Sums) halve() {
	s.Scored /= 2
	for i := range s.By {
		s.By[i].Errors /= 2
		for j := range s.By[i].Loss {
			s.By[i].Loss[j] /= 2
		}
	}
}

// FixedLoss returns a log loss in Unit, at most MaxLoss, which it also is if it is not a number.
func FixedLoss(loss float64) int64 {
	if !(loss*Unit < MaxLoss) {
		return MaxLoss
	}
	return max(0, int64(math.Round(loss*Unit)))
}

// Check returns an error if a list of n candidates can have no such sums.
func (s *Sums) Check(n int) error {
	if len(s.By) != n || s.Scored < 0 {
		return fmt.Errorf("sums of %d records for %d candidates, want %d candidates", s.Scored, len(s.By), n)
	}
	for i := range s.By {
		c := &s.By[i]
		if len(c.Loss) != len(grid) || c.Errors < 0 || c.Errors > s.Scored {
			return fmt.Errorf("candidate %d has %d errors in %d records and %d tempers, want %d", i, c.Errors, s.Scored, len(c.Loss), len(grid))
		}
		// Divided, because a product can overflow.
		if s.Scored > math.MaxInt64/MaxLoss || slices.ContainsFunc(c.Loss, func(l int64) bool { return l < 0 || l > s.Scored*MaxLoss }) {
			return fmt.Errorf("candidate %d has a log loss that %d records cannot have", i, s.Scored)
		}
	}
	return nil
}
