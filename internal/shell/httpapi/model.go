package httpapi

import (
	"cmp"
	"net/http"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
)

// Model is the answer of GET /v1/model: the model after an offset of the log. Replicas at the same
// offset have the same.
type Model struct {
	Name       string       `json:"name"`
	Offset     int64        `json:"offset"` // of the last record that was folded
	Documents  int64        `json:"documents"`
	Classes    []ModelClass `json:"classes"` // by name
	Vocabulary int          `json:"vocabulary"`
	Frozen     bool         `json:"frozen"`
	// documents of the largest class over those of the smallest; null: fewer than two classes
	Imbalance    *float64     `json:"imbalance"`
	MinDocuments int64        `json:"min_documents"`
	Spec         string       `json:"spec"` // YAML
	Fingerprint  Fingerprint  `json:"fingerprint"`
	Digest       string       `json:"digest"`
	Temper       *string      `json:"temper"` // in force; null: none
	Race         *ModelRace   `json:"race"`   // null: no candidates race
	Drift        *Drift       `json:"drift"`
	Window       *ModelWindow `json:"window"` // null: the model has none
}

// ModelClass is the size of a class.
type ModelClass struct {
	Name         string  `json:"name"`
	Documents    int64   `json:"documents"`
	Share        float64 `json:"share"`
	MinDocuments int64   `json:"min_documents"`
	Tokens       int64   `json:"tokens"`
}

// Fingerprint are the two fingerprints of a spec.
type Fingerprint struct {
	Counting string `json:"counting"`
	Scoring  string `json:"scoring"`
}

// ModelRace is how the candidates of a spec do.
type ModelRace struct {
	Leader     string           `json:"leader"`
	Candidates []ModelCandidate `json:"candidates"` // in the order of the spec, the shadow last

	// Calibration is the leader's, by rising posterior; empty if nothing is calibrated.
	Calibration []race.ReliabilityBin `json:"calibration"`
}

// ModelCandidate is one of the candidates.
type ModelCandidate struct {
	Name      string   `json:"name"`
	Shadow    bool     `json:"shadow"`
	T         float64  `json:"t"` // of its best temper
	Gamma     float64  `json:"gamma"`
	Errors    int64    `json:"errors"`
	Cost      float64  `json:"cost,omitzero"` // of the decisions by the losses of the spec; absent where it names none
	LogLoss   *float64 `json:"log_loss"`      // mean, in nats, with its best temper; null: no record was scored
	Documents int64    `json:"documents"`     // scored records; half of them are forgotten at 16,384
}

// ModelWindow is the window of a model.
type ModelWindow struct {
	Holds  string `json:"holds"`
	Exact  bool   `json:"exact"` // the counts are those of a model that has learned the window alone
	Detail string `json:"detail"`
	Owed   int    `json:"owed"` // documents that have left it and are not taken out yet; 0 in classify
	Gone   int64  `json:"gone"` // documents that have left it and stay counted, because their texts are gone
}

// NewModel returns what a state says of its model, nil before the first spec.
func NewModel(s *fold.State) *Model {
	m := s.Model()
	if m == nil {
		return nil
	}
	sp := m.Spec()
	digest, _ := s.Digests()
	out := &Model{
		Name: sp.Name, Offset: s.Next() - 1, Documents: m.Classes().Total(), Classes: []ModelClass{},
		MinDocuments: sp.Decision.MinDocuments,
		Spec:         string(sp.YAML()), Fingerprint: Fingerprint{sp.Counting().String(), sp.Scoring().String()},
		Digest: digest.String(),
		Temper: temperOf(s), Race: raceOf(s), Drift: NewDrift(s),
	}
	if t := m.Text(); t != nil {
		out.Vocabulary, out.Frozen = t.Vocabulary(), t.Frozen()
	}
	for _, c := range m.Classes().Live() {
		size := ModelClass{Name: m.Classes().Name(c), Documents: m.Classes().Documents(c), MinDocuments: out.MinDocuments}
		size.Share = float64(size.Documents) / float64(max(1, out.Documents))
		if m.Text() != nil {
			size.Tokens = m.Text().Total(c)
		}
		out.Classes = append(out.Classes, size)
	}
	if len(out.Classes) > 1 {
		byDocuments := func(a, b ModelClass) int { return cmp.Compare(a.Documents, b.Documents) }
		ratio := float64(slices.MaxFunc(out.Classes, byDocuments).Documents) / float64(slices.MinFunc(out.Classes,
			byDocuments).Documents)
		out.Imbalance = &ratio
	}
	if w := s.Window(); w != nil {
		out.Window = &ModelWindow{Holds: w.Contains(), Exact: w.IsExact(), Detail: w.String(), Owed: w.Owed, Gone: w.Gone}
	}
	return out
}

// temperOf returns the temper in force, from the leader of a race or from the spec; nil: none.
func temperOf(s *fold.State) *string {
	sp := s.Spec()
	var temper string
	switch {
	case sp.Race != nil:
		temper = s.Race().Leader().Temper.String()
	case sp.Text != nil && sp.Text.Temper != nil:
		temper = sp.Text.Temper.String()
	default:
		return nil
	}
	return &temper
}

func raceOf(s *fold.State) *ModelRace {
	t := s.Race().Table()
	if t == nil {
		return nil
	}
	out := &ModelRace{Leader: t.Leader.Candidate, Calibration: append([]race.ReliabilityBin{}, t.Calibration...)}
	for i := range t.Candidates {
		x := &t.Candidates[i]
		c := ModelCandidate{Name: x.Candidate, Shadow: x.Shadow, T: x.T, Gamma: x.Gamma, Errors: x.Errors, Cost: x.Cost,
			Documents: t.Scored}
		if t.Scored > 0 {
			c.LogLoss = &x.Loss
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}

func (s *Server) model(w http.ResponseWriter, _ *http.Request) {
	var m *Model
	s.options.State(func(state *fold.State) { m = NewModel(state) })
	if m == nil {
		Fail(w, http.StatusServiceUnavailable, "not_ready", "the model log has no spec yet: an ingest worker writes it")
		return
	}
	Answer(w, http.StatusOK, m)
}

func (out *scrape) lookAtRace(r *race.State) {
	candidates, sums := r.List().Scored(), r.Sums()
	if len(candidates) == 0 {
		return
	}
	out.gauge("race_scored_records", "Scored records in the sums of the race, which are halved at 16384.",
		float64(sums.Scored))
	errors := out.gauges("race_errors_records", "Scored records in the sums of the race for which a candidate, or the "+
		"shadow, had another class than the label.", "candidate")
	loss := out.gauges("race_log_loss_nats", "Mean log loss of a candidate, or the shadow, in the sums of the race, with "+
		"its best temper; NaN when they are empty.", "candidate")
	leader := out.gauges("race_leader", "1 for the candidate that decides, else 0.", "candidate")
	for i, c := range candidates {
		leads := i < len(r.List().Racing()) && c == r.Leader().Candidate
		errors(float64(sums.By[i].Errors), c.String())
		loss(float64(sums.By[i].Loss[r.Temper(i)])/race.Unit/float64(sums.Scored), c.String()) // 0/0 is NaN: unknown
		leader(zeroOrOne(leads), c.String())
	}
}
