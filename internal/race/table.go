package race

// Table shows the race. Losses are means of a record, in nats.
type Table struct {
	Scored     int64      `json:"scored"` // records; half of them are forgotten at 16,384
	Leader     Decider    `json:"leader"`
	Candidates []Standing `json:"candidates"` // in the order of the spec, the shadow last
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
	Loss    float64 `json:"log_loss"` // with its best temper
	Plain   float64 `json:"log_loss_untempered"`
}

// Decider returns the leader as tables have it.
func (l Leader) Decider() Decider { return Decider{l.Candidate.String(), l.Temper.T, l.Temper.Gamma} }

// Table returns how the race stands; nil where no candidates race.
func (s *State) Table() *Table {
	if s.list.racing == 0 {
		return nil
	}
	t := &Table{Scored: s.sums.Scored, Leader: s.leader.Decider()}
	for i := range s.list.scored {
		standing := Standing{Decider: s.lead(i).Decider(), Shadow: i >= s.list.racing, Errors: s.sums.By[i].Errors}
		if n := float64(s.sums.Scored) * Unit; n > 0 {
			standing.Loss = float64(s.sums.By[i].Loss[s.Temper(i)]) / n
			standing.Plain = float64(s.sums.By[i].Loss[0]) / n
		}
		t.Candidates = append(t.Candidates, standing)
	}
	return t
}
