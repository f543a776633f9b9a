package classify

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
)

// outline returns what an answer says of each document: its id, or the reason why it has no
// decision.
func outline(t *testing.T, answer []byte) string {
	t.Helper()
	type document struct {
		ID    string
		Error struct{ Reason string }
	}
	var list []document
	if err := json.Unmarshal(answer, &list); err != nil {
		for line := range strings.Lines(string(answer)) {
			var one document
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatalf("%v: %s", err, answer)
			}
			list = append(list, one)
		}
	}
	var says []string
	for _, d := range list {
		says = append(says, d.ID+d.Error.Reason)
	}
	return strings.Join(says, " ")
}

// Several documents have as many answers, in their order, in the form in which they were sent; a
// document that cannot be used does not spoil the others.
func TestSeveralBodies(t *testing.T) {
	for _, c := range []struct{ format, body, want, refused string }{
		{"json", `[{"id":"a","text":"x"},{"id":"b","text":"y"}]`, "a b", ""},
		{"json", ` [{"id":"a","text":"x"}, 7, {"id":"c"}, {"id":"d","text":"z","prior":{"egg":1}}]`, "a not_json no_text bad_prior", ""},
		{"json", `[]`, "", ""},
		{"json", "{\"id\":\"a\",\"text\":\"x\"}\r\n\n{\"id\":\"b\",\"text\":\"y\"}\n{", "a b not_json", ""},
		{"json", "{\n\"id\":\"a\",\n\"text\":\"x\"}\n", "a", ""},
		{"json", `[{"id":"a","text":"x"}`, "", "not_json"},
		{"json", "[" + strings.Repeat(`{"text":"x"},`, maxBodies) + `{"text":"x"}]`, "", "too_large"},
		{"text", "[1]\n2", "", ""},
	} {
		s := modeltest.Spec(t, "format: "+c.format)
		settings := config.Default[config.Classify]()
		l, err := newLane(&settings, s, nil, 0, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		state := fold.Offline(s)
		state.Model().Prepare()
		q, err := newQuestions([]byte(c.body), l.json)
		var answer []byte
		for err == nil && !q.done {
			q.piece = q.piece[:0]
			err = q.slice(l, state, &expectation{})
			answer = append(answer, q.piece...)
		}
		var reject *wire.Reject
		switch {
		case c.refused != "":
			if !errors.As(err, &reject) || string(reject.Reason) != c.refused {
				t.Errorf("%.60s: got %v, want %s", c.body, err, c.refused)
			}
		case err != nil:
			t.Errorf("%.60s: %v", c.body, err)
		default:
			if got := outline(t, answer); got != c.want {
				t.Errorf("%.60s: got %q of %s, want %q", c.body, got, answer, c.want)
			}
		}
	}
}
