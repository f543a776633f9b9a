package classify

import (
	"bytes"
	"encoding/json"
	"errors"

	"bayestream/internal/fold"
	"bayestream/internal/wire"
)

// maxBodies bounds the documents of one request: their decisions are larger than they are.
const maxBodies = 1000

// bodies answers one document, or several: a JSON array of them, or one on each line. Several have an array or lines as
// answer, in their order: a decision each, or what is wrong with the document.
func (l *lane) bodies(body []byte, s *fold.State) ([]byte, error) {
	if !l.json { // elsewhere the body is the document itself, whatever it looks like
		return l.body(body, s)
	}
	if body := bytes.TrimSpace(body); len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, wire.Rejectf(wire.NotJSON, "the array: %v", err)
		}
		answers, err := l.several(list, s)
		if err != nil {
			return nil, err
		}
		return append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']'), nil
	}
	lines := lines(body)
	if len(lines) < 2 {
		return l.body(body, s)
	}
	answers, err := l.several(lines, s)
	if err != nil {
		return nil, err
	}
	return append(bytes.Join(answers, []byte{'\n'}), '\n'), nil
}

// lines returns the documents of a body that has one on each line; none if it is a single document of several lines.
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

func (l *lane) several(list []json.RawMessage, s *fold.State) (answers [][]byte, err error) {
	if len(list) > maxBodies {
		return nil, wire.Rejectf(wire.TooLarge, "the request has %d documents: send %d at most", len(list), maxBodies)
	}
	for _, document := range list {
		answer, err := l.body(document, s)
		var reject *wire.Reject
		if errors.As(err, &reject) {
			answer, err = refusal(reject)
		}
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// refusal returns what is wrong with a document, in the form of the errors of HTTP.
func refusal(reject *wire.Reject) ([]byte, error) {
	type reason struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	return json.Marshal(map[string]reason{"error": {string(reject.Reason), reject.Error()}})
}
