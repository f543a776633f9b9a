package classify

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// answer is what becomes of one document.
type answer struct {
	outcome

	record   stream.Record
	decision []byte // the decision in JSON, if the lane keeps it
	dead     bool   // record is a dead letter
}

// outcome is what the metrics are told of a decision.
type outcome struct {
	status    string  // "" for a null document
	label     string  // "" for none
	posterior float64 // of the label
	shortened string  // what write did so that the topic takes it; "" for nothing
}

// lane is the scratch of one goroutine that labels documents. Its answers point into its buffer.
type lane struct {
	spec     *spec.Spec
	schema   wire.Schema
	decoder  *wire.Decoder
	lane     *model.Lane
	emit     *wire.Emitter
	options  model.Options
	form     wire.Form // of decisions
	json     bool
	keeps    bool // answers have the decision in JSON
	spans    bool // decisions of body have the segments and the places in them
	document wire.Document
	buf      []byte
	abstain  func(block string)
}

// newLane returns a lane for models of the spec, whose terms may have a key. evidence is the number
// of entries in a decision; -1 for none.
func newLane(c *config.Classify, s *spec.Spec, key *spec.TermsKey, evidence int, abstain func(string)) (*lane, error) {
	schema := wire.SchemaOf(s)
	keyed, err := s.WithKey(key)
	if err != nil {
		return nil, err
	}
	scorer, err := model.NewLane(keyed)
	if err != nil {
		return nil, err
	}
	emit, err := newEmitter(c, schema)
	if err != nil {
		return nil, err
	}
	return &lane{
		spec: s, schema: schema, json: schema.Format == wire.FormatJSON, decoder: wire.NewDecoder(schema),
		lane: scorer, emit: emit,
		options: model.Options{Evidence: evidence}, form: c.Form(), abstain: abstain, keeps: c.HTTP != "",
	}, nil
}

// newEmitter returns an emitter for the answers to documents of the schema. The error says that
// there is none.
func newEmitter(c *config.Classify, schema wire.Schema) (*wire.Emitter, error) {
	if c.Emit == wire.EmitEnrich {
		return wire.NewEnricher(schema, c.EnrichField, c.Form())
	}
	return wire.NewEmitter(c.Emit, "", c.Form())
}

// label answers a document by the model of the state.
func (l *lane) label(dst *answer, rec *stream.Record, s *fold.State) {
	dst.outcome = outcome{}
	dst.dead = false
	err := l.decoder.Document(rec, &l.document)
	if err == nil && l.document.Null {
		l.buf = l.emit.Append(l.buf, &dst.record, rec, l.document.ID, nil)
		return
	}
	if err != nil {
		dst.dead = true
		dst.record = wire.DeadLetter(rec, "classify", err, wire.MaxDeadLetterBytes)
		return
	}
	d := l.decide(s)
	dst.status = d.Status
	dst.label = d.Label
	dst.posterior = d.Confidence()
	l.buf = l.emit.Append(l.buf, &dst.record, rec, l.document.ID, d)
	if l.keeps {
		l.buf, dst.decision = l.emit.AppendDecision(l.buf, &dst.record, rec, l.document.ID, d)
	}
}

// decide returns the decision on l.document.
func (l *lane) decide(s *fold.State) *model.Decision {
	d := l.lane.Decide(s.Model(), s.Next()-1, &l.document.Input, l.document.ID, l.options)
	for _, i := range l.lane.Scorer.Abstained() {
		l.abstain(s.Model().NumbersName(i))
	}
	return d
}

// body appends the answer to a document that came over HTTP.
func (l *lane) body(buf, body []byte, s *fold.State) ([]byte, error) {
	if err := l.decoder.Body(body, &l.document); err != nil {
		return nil, err
	}
	if l.json { // elsewhere the body is the document itself, whatever it looks like
		prior, err := wire.BodyPrior(body)
		if err == nil && prior != nil {
			err = wire.CheckPrior(prior, s.Model().ClassNames())
		}
		if err != nil {
			return nil, err
		}
		l.options.Prior = prior
	}
	d := l.decide(s)
	if l.spans {
		l.lane.Extractor.SetSpans(d, &l.document.Input)
	}
	encoder := wire.DecisionEncoder{Form: l.form}
	return encoder.Append(buf, l.document.ID, wire.Source{}, d), nil
}
