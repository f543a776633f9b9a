package httpapi

import (
	"math"

	"bayestream/internal/core/race"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	descRaceScored = describe("race_scored_records", "Scored records in the sums of the race, which are halved at 16384.")
	descRaceErrors = describe("race_errors_records", "Scored records in the sums of the race for which a candidate, or "+
		"the shadow, had another class than the label.", "candidate")
	descRaceLoss = describe("race_log_loss_nats", "Mean log loss of a candidate, or the shadow, in the sums of the "+
		"race, with its best temper; NaN when they are empty.", "candidate")
	descRaceLeader = describe("race_leader", "1 for the candidate that decides, else 0.", "candidate")
)

// standings is what a scrape shows of a race.
type standings struct {
	scored     int64
	candidates []raced
}

// raced is a candidate, or the shadow, in standings.
type raced struct {
	name   string
	errors int64
	loss   int64 // in race.Unit
	leads  bool
}

// lookAtRace returns nil where no candidates race.
func lookAtRace(r *race.State) *standings {
	if r == nil || len(r.List().Scored()) == 0 {
		return nil
	}
	sums := r.Sums()
	out := &standings{scored: sums.Scored}
	for i, c := range r.List().Scored() {
		isLeader := i < len(r.List().Racing()) && c == r.Leader().Candidate
		out.candidates = append(out.candidates, raced{c.String(), sums.By[i].Errors, sums.By[i].Loss[r.Temper(i)], isLeader})
	}
	return out
}

func (s *standings) collect(gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	if s == nil {
		return
	}
	gauge(descRaceScored, float64(s.scored))
	for _, c := range s.candidates {
		gauge(descRaceErrors, float64(c.errors), c.name)
		loss := math.NaN()
		if s.scored > 0 {
			loss = float64(c.loss) / race.Unit / float64(s.scored)
		}
		gauge(descRaceLoss, loss, c.name)
		leads := 0.0
		if c.leads {
			leads = 1
		}
		gauge(descRaceLeader, leads, c.name)
	}
}
