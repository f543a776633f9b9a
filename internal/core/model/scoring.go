package model

import (
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/multinomial"
)

// scoring is a way to score documents.
type scoring struct {
	text      spec.Text  // the block, with the likelihood and the alpha that score
	event     eventModel // of the words; nil without text
	name      string     // in decisions; "": they do not name it
	temper    *spec.Temper
	calibrate *race.Calibration       // after the temper; nil: not
	amplifies bool                    // see spec.Spec.Amplifies
	scaled    *multinomial.Likelihood // whose Scale is the temper; nil: not
	usesPrior bool                    // the prior enters: a score that is no likelihood has no place for it
	shape     bool                    // the shape of the text enters
	edges     bool                    // the words at its ends enter
	weight    float64                 // of the score of the words beside the other blocks: 1 for a likelihood
}

// leader is what decides by a race.
type leader struct {
	any, multinomial race.Leader
}

// Lead takes what decides from the race of the spec: its leader, and the best multinomial for what another does not
// decide. It is called again when the race has changed. Where the spec has no race it does nothing.
func (m *Model) Lead(r *race.State) {
	if m.spec.Race == nil {
		return
	}
	if l := (leader{r.Leader(), r.Multinomial()}); l != m.leader {
		m.leader = l
		m.setScoring()
		m.lead.prepare()
		m.fallback.prepare()
	}
	m.fallback.calibrate = r.Calibration(m.leader.multinomial)
	m.lead.calibrate = r.Calibration(m.leader.any)
}

// setScoring sets what decides, by the leader of the race or as the spec says.
func (m *Model) setScoring() {
	m.lead = &scoring{usesPrior: true, weight: 1}
	m.fallback = m.lead
	switch {
	case m.spec.Text == nil:
	case m.spec.Race == nil:
		m.lead = m.named()
		m.fallback = m.lead
	default:
		m.lead = m.raced(m.leader.any)
		m.fallback = m.lead
		if m.leader.multinomial != m.leader.any {
			m.fallback = m.raced(m.leader.multinomial)
		}
	}
}

// named returns what the block of text names.
func (m *Model) named() *scoring {
	t := m.spec.Text
	s := m.scoringOf(t)
	s.temper = t.Temper
	s.amplifies = m.spec.Amplifies()
	if s.amplifies && t.Temper == nil {
		s.scaled = s.event.(*multinomial.Likelihood)
	}
	if t.Temper != nil || s.scaled != nil {
		s.name = m.spec.Candidate()
	}
	return s
}

// raced returns a candidate of a race with its temper.
func (m *Model) raced(l race.Leader) *scoring {
	s := m.scoringOf(m.spec.Text.ScoredBy(l.Candidate))
	s.temper = &l.Temper
	s.name = l.Candidate.String()
	return s
}

// scoringOf returns the scoring of a block of text, without a temper.
func (m *Model) scoringOf(t *spec.Text) *scoring {
	s := &scoring{text: *t, event: m.newEventModel(t), usesPrior: spec.IsLikelihood(t.Likelihood), shape: t.Shape, edges: t.Edges, weight: 1}
	if !s.usesPrior {
		s.weight = m.scoreWeight()
	}
	return s
}

// Deciding returns the block of text as it decides, with its likelihood, alpha, weight and temper: of a race those of the leader,
// else those of the spec; the weight of a likelihood is 1. second is what decides where the leader does not: a document of which no word is known, and one whose
// best classes have few documents. The model must have a block of text.
func (m *Model) Deciding() (lead, second spec.Text) { return m.lead.block(), m.fallback.block() }

func (s *scoring) block() spec.Text {
	t := s.text
	t.Weight = s.weight
	t.Temper = s.temper
	if s.scaled != nil {
		t.Temper = &spec.Temper{T: s.scaled.Scale()}
	}
	return t
}

// Calibration returns how sure the leader of the race is made after its temper; nil: not, or there is no race.
func (m *Model) Calibration() *race.Calibration { return m.lead.calibrate }

// scoreWeight returns the factor of a score of words that is no likelihood, beside the other blocks.
func (m *Model) scoreWeight() float64 {
	if m.spec.Text.Weight > 0 {
		return m.spec.Text.Weight
	}
	return 1
}

// scoringFor returns what scores a document first.
func (m *Model) scoringFor(o Options) *scoring {
	if o.Prior != nil {
		return m.fallback
	}
	return m.lead
}

func (s *scoring) prepare() {
	if s.event != nil {
		s.event.Prepare()
	}
}

// tau returns the factor of the joint log likelihood of a document with n known tokens.
func (s *scoring) tau(n int) float64 {
	switch {
	case s.scaled != nil && n > 0:
		return s.scaled.Scale()
	case s.temper == nil:
		return 1
	}
	return s.temper.Tau(n, s.amplifies)
}
