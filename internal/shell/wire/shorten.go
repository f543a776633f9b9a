package wire

import (
	"math"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/record"
)

// What Shorten does to an answer.
const (
	ShortenedClasses  = "fewer_classes" // classes were added to the others
	ShortenedEvidence = "no_evidence"   // the evidence was added to the rest, too
	ShortenedHeaders  = "headers"       // the decision was moved into headers
)

// Shortenings are all of them, in the order in which Shorten does them.
var Shortenings = []string{ShortenedClasses, ShortenedEvidence, ShortenedHeaders}

// Shorten makes an answer smaller that Append made of the document in and that is too large for its
// topic. It returns what it did, "" if nothing can be done. First the likeliest classes stay, then
// the label and the runner-up; then the evidence is left out; last, in the mode EmitEnrich, the
// decision is moved into headers.
func (e *Emitter) Shorten(answer, in *record.Record) (action string) {
	value, found := e.decisionIn(answer)
	if !found {
		return ""
	}
	p, err := ParseDecision(value)
	if err != nil {
		return ""
	}
	form := e.encoder.Form
	defer func() { e.encoder.Form = form }()
	d := &p.Decision
	switch {
	case len(d.Classes) > DefaultClasses+2:
		e.encoder.Form.Classes = DefaultClasses
		action = ShortenedClasses
	case len(d.Classes) > 2:
		e.encoder.Form.Classes = 1
		action = ShortenedClasses
	case len(d.Evidence) > 0:
		dropEvidence(d)
		action = ShortenedEvidence
	case e.mode == EmitEnrich:
		action = ShortenedHeaders
	default:
		return ""
	}
	e.encoder.prepare(d, p.Others)
	e.replace(answer, in, p, action == ShortenedHeaders)
	return action
}

func (e *Emitter) decisionIn(answer *record.Record) (value []byte, found bool) {
	switch {
	case answer.Value == nil || e.mode == EmitHeaders:
		return nil, false
	case e.mode == EmitEnrich:
		return e.found(answer)
	}
	return answer.Value, true
}

// replace puts another decision into an answer, for which the encoder is prepared.
func (e *Emitter) replace(answer, in *record.Record, p *Decision, inHeaders bool) {
	if inHeaders {
		w := headerWriter{headers: answer.Headers}
		e.appendVerdict(&w, &p.Decision)
		answer.Headers = w.headers
		answer.Value, _ = e.appendEnriched(nil, in, nil)
		return
	}
	value := e.encoder.append(nil, p.ID, p.Source, &p.Decision)
	if e.mode == EmitEnrich {
		value, _ = e.appendEnriched(nil, in, value)
	}
	answer.Value = value
}

// dropEvidence adds the evidence to the rest. Of infinite evidence, whose weight is null, there is
// no rest.
func dropEvidence(d *model.Decision) {
	rest := d.Rest
	for i := range d.Evidence {
		rest += d.Evidence[i].Weight
	}
	if !math.IsNaN(rest) {
		d.Rest = rest
	}
	d.Evidence = nil
}
