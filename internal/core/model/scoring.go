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
	joined
}

// joined says what enters the joint log likelihood beside the words and the fields.
type joined struct {
	prior bool // a score that is no likelihood has no place for it, and a weight of its own beside the other blocks
	shape bool // of the text
	edges bool // the words at its ends
	// what corrections of characters weigh, in the unit of the scores of words
	corrections float64
}

// joinedOf returns what enters under a candidate.
func joinedOf(c spec.Candidate) joined {
	form := formOf(c)
	return joined{prior: spec.IsLikelihood(c.Likelihood), shape: c.Shape, edges: c.Edges,
		corrections: c.Corrections * form.Unit()}
}

// leader is what decides by a race.
type leader struct {
	any, multinomial race.Leader
}

// Lead takes what decides from the race of the spec: its leader, and the best multinomial for what
// another does not decide. It is called again when the race has changed. Where the spec has no race
// it does nothing.
func (m *Model) Lead(r *race.State) {
	if m.spec.Race == nil {
		return
	}
	if l := (leader{r.Leader(), r.Multinomial()}); l != m.leader {
		m.leader = l
		m.setScoring()
		m.prepareScoring()
	}
	m.fallback.calibrate = r.Calibration(m.leader.multinomial)
	m.lead.calibrate = r.Calibration(m.leader.any)
}

// prepareScoring brings what decides, and what judges, up to date.
func (m *Model) prepareScoring() {
	m.prepareRuns()
	m.lead.prepare()
	if m.fallback != m.lead {
		m.fallback.prepare()
	}
	if m.judge != nil {
		m.judge.prepare()
	}
}

// setScoring sets what decides, by the leader of the race or as the spec says.
func (m *Model) setScoring() {
	m.lead = &scoring{joined: joined{prior: true}}
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
		m.setJudge()
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
	return &scoring{text: *t, event: m.newEventModel(t), joined: joinedOf(t.Candidate())}
}

// Deciding returns the block of text as it decides, with its likelihood, alpha, weight and temper:
// of a race those of the leader, else those of the spec; the weight of a likelihood is 1. second is
// what decides a document of which no word is known. The model must have a block of text.
func (m *Model) Deciding() (lead, second spec.Text) { return m.block(m.lead), m.block(m.fallback) }

func (m *Model) block(s *scoring) spec.Text {
	t := s.text
	t.Weight = m.weight(&s.joined)
	t.Temper = s.temper
	if s.scaled != nil {
		t.Temper = &spec.Temper{T: s.scaled.Scale()}
	}
	return t
}

// Lambda returns what one correction adds to the score of a token, before weight and temper; 0 where
// the leader of the race does not read them.
func (m *Model) Lambda() float64 {
	if l, ok := m.lead.event.(*multinomial.Likelihood); ok {
		return l.Lambda()
	}
	return 0
}

// Calibration returns how sure the leader of the race is made after its temper; nil: not, or there
// is no race.
func (m *Model) Calibration() *race.Calibration { return m.lead.calibrate }

// weight returns the factor of the score of words beside the other blocks: 1 for a likelihood.
func (m *Model) weight(by *joined) float64 {
	if !by.prior && m.spec.Text.Weight > 0 {
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
