package classify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

// maxBodies bounds the documents of one request: their decisions are larger than they are.
const maxBodies = 1000

// pieceBytes is how much of an answer is collected before it is sent, beside its last decision.
const pieceBytes = 64 << 10

// body answers the documents of a request over HTTP, with the places of the evidence if spans is
// true. Of a long answer it holds a piece at a time.
func (c *classifier) body(ctx context.Context, to io.Writer, body []byte, spans bool) error {
	var isJSON bool
	err := c.withLane(func(l *lane, _ *fold.State) error {
		isJSON = l.json
		return nil
	})
	if err != nil {
		return err
	}
	q, err := newQuestions(body, isJSON)
	if err != nil {
		return err
	}
	for !q.done && err == nil {
		err = c.sendPiece(ctx, to, q, spans)
	}
	return err
}

// sendPiece writes the next piece of the answer.
func (c *classifier) sendPiece(ctx context.Context, to io.Writer, q *questions, spans bool) error {
	document := 0
	if len(q.documents) > 0 {
		document = len(q.documents[0])
	}
	expected := pieceBytes + c.replies.of(document, c.memory.Share(budget.Responses))
	room, err := c.memory.Take(ctx, budget.Responses, expected)
	if err != nil {
		return err
	}
	defer room.Release()
	q.piece = q.piece[:0]
	for !q.done && len(q.piece) < pieceBytes && err == nil {
		err = c.withLane(func(l *lane, s *fold.State) error {
			l.spans = spans
			return q.slice(l, s, &c.replies)
		})
	}
	if err != nil {
		return err
	}
	room.Resize(len(q.piece))
	_, err = to.Write(q.piece)
	return err
}

// withLane calls f with the lane for requests and the state, as long as there is a model. One
// request at a time is in f.
func (c *classifier) withLane(f func(l *lane, s *fold.State) error) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err = fmt.Errorf("%w: the model log has no spec yet", httpapi.ErrNotReady)
	c.replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			return
		}
		if c.http == nil || c.http.spec != s.Model().Spec() {
			c.http, err = newLane(&c.config, s.Model().Spec(), c.key, c.config.Evidence, c.abstained)
			if err != nil {
				return
			}
			c.http.decoder.Guessed = c.metrics.Guessed
		}
		err = f(c.http, s)
	})
	return err
}

// questions are the documents of a request, and what is written around their answers: several, in a
// JSON array or on lines of their own, have an array or lines as answer, in their order, of a
// decision each, or what is wrong with the document.
type questions struct {
	documents        []json.RawMessage // that are not answered yet
	several          bool
	before, end, gap string

	piece []byte // of the answer
	done  bool   // all of it is in pieces
}

// newQuestions returns the documents of a body.
func newQuestions(body []byte, isJSON bool) (*questions, error) {
	one := &questions{documents: []json.RawMessage{body}}
	if !isJSON { // the body is the document itself, whatever it looks like
		return one, nil
	}
	several := &questions{several: true}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(trimmed, &several.documents); err != nil {
			return nil, wire.Rejectf(wire.NotJSON, "the array: %v", err)
		}
		several.before = "["
		several.gap = ","
		several.end = "]"
	} else {
		several.documents = lines(body)
		several.gap = "\n"
		several.end = "\n"
		if len(several.documents) < 2 {
			return one, nil
		}
	}
	if n := len(several.documents); n > maxBodies {
		return nil, wire.Rejectf(wire.TooLarge, "the request has %d documents: send %d at most", n, maxBodies)
	}
	return several, nil
}

// lines returns the documents of a body that has one on each line; none if it is a single document
// of several lines.
func lines(body []byte) (list []json.RawMessage) {
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if list == nil && !json.Valid(line) {
			return nil
		}
		list = append(list, line)
	}
	return list
}

// slice appends answers to the piece until it is long enough, or the state was locked for long
// enough.
func (q *questions) slice(l *lane, s *fold.State, expected *expectation) error {
	begun := time.Now()
	for len(q.piece) < pieceBytes && time.Since(begun) < sliceTime {
		if len(q.documents) == 0 {
			q.piece = append(append(q.piece, q.before...), q.end...) // of an empty array
			q.done = true
			return nil
		}
		q.piece = append(q.piece, q.before...)
		begin := len(q.piece)
		if err := q.answer(l, s); err != nil {
			return err
		}
		expected.note(len(q.documents[0]), len(q.piece)-begin)
		q.documents = q.documents[1:]
		q.before = q.gap
		if len(q.documents) == 0 {
			q.before = ""
		}
	}
	return nil
}

// answer appends the answer to the next document.
func (q *questions) answer(l *lane, s *fold.State) error {
	grown, err := l.body(q.piece, q.documents[0], s)
	var reject *wire.Reject
	switch {
	case err == nil:
		q.piece = grown
		return nil
	case !q.several || !errors.As(err, &reject):
		return err
	}
	q.piece = wire.AppendRefusal(q.piece, reject, wire.Source{})
	return nil
}
