package console

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// named is what a place or an id names: a decision, a document, or both.
type named struct {
	id     string
	entry  *entry
	at     *wire.Ref // of the decision; nil: none is known
	source *wire.Ref // of the document; nil: none is known
	record *stream.Record
}

// message answers GET /v1/message.
func (c *Console) message(r *http.Request, q *query) (any, error) {
	place, id := q.text("place"), q.text("id")
	pair := contrast{q.text("for"), q.text("against")}
	if place != "" && wire.ParsePlace(place) == nil {
		q.wrong("place", "topic/partition/offset")
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	if (place == "") == (id == "") {
		return nil, badRequest("name the message by place or by id")
	}
	return c.look(r.Context(), cmp.Or(place, id), pair)
}

// look returns the message that a place or an id names.
func (c *Console) look(ctx context.Context, name string, pair contrast) (*messageJSON, error) {
	n, err := c.find(ctx, name)
	if err != nil {
		return nil, err
	}
	m := &messageJSON{ID: n.id}
	c.neighbours(m, n)
	if err := c.readDecision(ctx, m, n); err != nil {
		return nil, err
	}
	if n.source != nil {
		m.Source = new(n.source.String())
	}
	if err := c.readText(ctx, m, n, pair); err != nil {
		return nil, err
	}
	c.setLearned(m)
	m.May = c.may(m)
	return m, nil
}

// find returns what a place or an id names.
func (c *Console) find(ctx context.Context, name string) (*named, error) {
	c.memory.mu.RLock()
	e := c.memory.find(name)
	c.memory.mu.RUnlock()
	if e != nil {
		at := e.at
		return &named{id: e.ID, entry: e, at: &at, source: e.source}, nil
	}
	place := wire.ParsePlace(name)
	if place == nil {
		return c.findLearned(name)
	}
	t := c.options.Topics
	if !slices.Contains(append([]string{t.Documents, t.Training}, t.Labels...), place.Topic) {
		return nil, notFound("the console does not read the topic %s", place.Topic)
	}
	rec, err := worker.ReadAt(ctx, c.client, place.Topic, place.Partition, place.Offset)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		return nil, httpapi.Refusef(http.StatusNotFound, "gone", "the topic does not hold the record %s any more", name)
	}
	if slices.Contains(t.Labels, place.Topic) {
		decided := remember(rec, c.options.EnrichField)
		if decided == nil {
			return nil, httpapi.Refusef(http.StatusNotFound, "no_decision", "the record %s is no decision", name)
		}
		return &named{id: decided.ID, at: place, source: decided.source}, nil
	}
	return c.findDocument(rec, place)
}

// findDocument returns the message of a record of the documents or the training topic.
func (c *Console) findDocument(rec *stream.Record, place *wire.Ref) (*named, error) {
	l, err := c.lens()
	if err != nil {
		return nil, err
	}
	n := &named{source: place, record: rec}
	if place.Topic == c.options.Topics.Documents {
		var d wire.Document
		err = l.decoder.Document(rec, &d)
		n.id = strings.Clone(d.ID)
		return n, err
	}
	var t wire.Training
	err = l.decoder.Training(rec, &t)
	n.id = t.ID
	if t.Ref != nil {
		n.source, n.record = t.Ref, nil
	}
	return n, err
}

// findLearned returns the message of an id of which no decision is remembered, but which was
// learned.
func (c *Console) findLearned(id string) (*named, error) {
	if holders := c.holders(id); len(holders) > 0 {
		put := &holders[0].Put
		return &named{id: id, source: &wire.Ref{Topic: put.Topic, Partition: int(put.Partition), Offset: put.Offset}}, nil
	}
	return nil, notFound("the console remembers no decision on a document %q, and it was not learned", id)
}

// neighbours sets what the memory says of a message.
func (c *Console) neighbours(m *messageJSON, n *named) {
	if n.entry == nil {
		return
	}
	c.memory.mu.RLock()
	defer c.memory.mu.RUnlock()
	m.Correction = n.entry.Correction
	beside := func(number int64) *neighbourJSON {
		if e := c.memory.at(number); e != nil {
			return &neighbourJSON{e.Number, e.Place}
		}
		return nil
	}
	m.Before = beside(n.entry.Number - 1)
	m.After = beside(n.entry.Number + 1)
}

// readDecision reads the decision of a message again, which has more than the console remembers.
func (c *Console) readDecision(ctx context.Context, m *messageJSON, n *named) error {
	if n.at == nil {
		return nil
	}
	m.Place = new(n.at.String())
	rec, err := worker.ReadAt(ctx, c.client, n.at.Topic, n.at.Partition, n.at.Offset)
	if err != nil || rec == nil {
		return err
	}
	m.Decided, _ = wire.ReadDecision(rec, c.options.EnrichField)
	m.Time = new(rec.Time.UTC())
	return nil
}

// text returns the record of a document, nil where it is not known or gone.
func (c *Console) text(ctx context.Context, n *named) (*stream.Record, error) {
	if n.record != nil || n.source == nil {
		return n.record, nil
	}
	return worker.ReadAt(ctx, c.client, n.source.Topic, n.source.Partition, n.source.Offset)
}

// readText reads the text of a message and looks at it with the model of this moment.
func (c *Console) readText(ctx context.Context, m *messageJSON, n *named, pair contrast) error {
	rec, err := c.text(ctx, n)
	switch {
	case err != nil:
		return err
	case n.source == nil:
		m.WhyNot = "the decision does not say where its document is"
		return nil
	case rec == nil:
		m.WhyNot = "the topic does not hold the document any more: " + n.source.String()
		return nil
	}
	if rec.Key != nil {
		m.Key = new(strings.ToValidUTF8(string(rec.Key), "\uFFFD"))
	}
	if m.Time == nil {
		m.Time = new(rec.Time.UTC())
	}
	l, err := c.lens()
	if err != nil {
		return err
	}
	var document wire.Document
	if err := c.readDocument(l, rec, &document); err != nil {
		m.WhyNot = "the record cannot be read as a document: " + err.Error()
		return nil //nolint:nilerr // said in the answer
	}
	m.Found = true
	m.Now, err = c.view(ctx, l, &document.Input, n.id, pair)
	return err
}

// readDocument decodes the document of a record of either topic.
func (c *Console) readDocument(l *lens, rec *stream.Record, into *wire.Document) error {
	if rec.Topic == c.options.Topics.Training {
		return l.decoder.Learned(rec, into)
	}
	return l.decoder.Document(rec, into)
}

// view looks at a document with the model of this moment.
func (c *Console) view(ctx context.Context, l *lens, in *model.Input, id string, pair contrast) (v *viewJSON,
	err error) {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.hashed {
		return plainView(l, in), nil
	}
	c.replica.Read(func(s *fold.State) {
		if s.Model() == nil || s.Spec() != l.spec {
			err = fmt.Errorf("%w: the spec of the model changes", httpapi.ErrNotReady)
			return
		}
		v = l.look(s, in, id, pair)
	})
	return v, err
}

// plainView returns the text alone: its words cannot be told without the key of the terms.
func plainView(l *lens, in *model.Input) *viewJSON {
	return &viewJSON{Terms: []termJSON{}, Segments: l.segments(&model.Decision{Segments: in.Segments}, in),
		Numbers: []numbersJSON{}, Values: []valueJSON{}, Hashed: true}
}

// setLearned sets the label that the model has counted for the id.
func (c *Console) setLearned(m *messageJSON) {
	holders := c.holders(m.ID)
	if len(holders) == 0 {
		return
	}
	h := &holders[0]
	training := c.options.Topics.Training
	m.Learned = &learnedJSON{Label: &h.Put.Label, Topic: training, Partition: h.Partition, Offset: h.Offset}
	if said, ok := c.memory.said(m.ID); ok &&
		said.place == (wire.Ref{Topic: training, Partition: h.Partition, Offset: h.Offset}) {
		m.Learned.Time = new(said.at.UTC())
	}
}

// may returns what may be done about a message.
func (c *Console) may(m *messageJSON) mayJSON {
	if c.options.ReadOnly || c.options.Token == nil {
		return mayJSON{WhyNot: "this console takes no corrections"}
	}
	may := mayJSON{Correct: m.Found || m.Learned != nil, Forget: m.Learned != nil}
	if m.Correction != nil {
		x, known := c.corrections.find(m.Correction.Place)
		may.Undo = known && c.corrections.undoable(&x)
	}
	return may
}
