package race

import (
	"math"
	"slices"
)

// Table shows the race. Losses are means of a record, in nats.
type Table struct {
	Scored     int64      `json:"scored"` // records; half of them are forgotten at 16,384
	Leader     Decider    `json:"leader"`
	Candidates []Standing `json:"candidates"` // in the order of the spec, the shadow last

	// Calibration is that of the leader, by rising posterior; empty where nothing is calibrated.
	Calibration []ReliabilityBin `json:"calibration,omitempty"`
}

// ReliabilityBin is how often decisions with about one posterior are right.
type ReliabilityBin struct {
	Records    int64   `json:"records"`
	Posterior  float64 `json:"posterior"`  // mean, as the temper makes it
	Right      float64 `json:"right"`      // share of the records
	Calibrated float64 `json:"calibrated"` // what the calibration makes of that mean
}

// Decider is a candidate and its temper.
type Decider struct {
	Candidate string  `json:"candidate"`
	T         float64 `json:"t"`
	Gamma     float64 `json:"gamma"`
}

// Standing is how a candidate stands.
type Standing struct {
	Decider         // with its best temper
	Shadow  bool    `json:"shadow,omitempty"` // it never leads
	Errors  int64   `json:"errors"`
	Cost    float64 `json:"cost,omitzero"` // of the decisions by the losses of the spec; 0 where it names none
	Loss    float64 `json:"log_loss"`      // with its best temper
	Plain   float64 `json:"log_loss_untempered"`
}

// Decider returns the leader as tables have it.
func (l Leader) Decider() Decider { return Decider{l.Candidate.String(), l.Temper.T, l.Temper.Gamma} }

// Table returns how the race stands; nil where no candidates race.
func (s *State) Table() *Table {
	if s.list.racing == 0 {
		return nil
	}
	t := &Table{Scored: s.sums.Scored, Leader: s.leader.Decider(), Calibration: s.reliability()}
	for i := range s.list.scored {
		standing := Standing{Decider: s.lead(i).Decider(), Shadow: i >= s.list.racing, Errors: s.sums.By[i].Errors,
			Cost: float64(s.sums.By[i].Cost) / Unit * s.list.largest}
		if n := float64(s.sums.Scored) * Unit; n > 0 {
			standing.Loss = float64(s.sums.By[i].Loss[s.Temper(i)]) / n
			standing.Plain = float64(s.sums.By[i].Loss[0]) / n
		}
		t.Candidates = append(t.Candidates, standing)
	}
	return t
}

// reliability returns how often decisions of the leader are right, by two intervals of its
// histogram each; nil where nothing is calibrated.
func (s *State) reliability() (all []ReliabilityBin) {
	c := s.Calibration(s.leader)
	if c == nil {
		return nil
	}
	h := &s.sums.By[slices.Index(s.list.scored, s.leader.Candidate)].Confidence
	for i := 0; i < Bins; i += 2 {
		records := h[i].Records + h[i+1].Records
		if records == 0 {
			continue
		}
		odds := logOdds(h[i].Sum+h[i+1].Sum, records)
		right := float64(h[i].Right+h[i+1].Right) / float64(records)
		all = append(all, ReliabilityBin{records, posterior(odds), right, posterior(c.Of(odds))})
	}
	return all
}

// posterior returns the probability with some log odds.
func posterior(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }
