package spec_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

const fields = "text: {fields: [subject, body]}\nnumbers: [{fields: [amount]}]\ncategories: [{field: country}]\n"

// Where else fields stand is not counting; it only grows.
func TestFrom(t *testing.T) {
	first := modeltest.Spec(t, fields+"from: {training: {amount: [total]}, documents: {body: [message]}}")
	more := modeltest.Spec(t, fields+"from: {training: {amount: [total, payload.sum], country: [land]}, documents: {body: [message]}}")
	if first.Counting() != more.Counting() || first.Counting() != modeltest.Spec(t, fields).Counting() {
		t.Error("from is counting")
	}
	if first.Scoring() == more.Scoring() {
		t.Error("a spec with more paths is not told from that in force")
	}
	if first.FromRevision() != 2 || more.FromRevision() != 4 || modeltest.Spec(t, fields).FromRevision() != 0 {
		t.Errorf("got the revisions %d and %d, want 2 and 4", first.FromRevision(), more.FromRevision())
	}
	if again := modeltest.Spec(t, string(more.YAML())); again.Scoring() != more.Scoring() || again.FromRevision() != 4 {
		t.Errorf("from is lost on the way through YAML:\n%s", more.YAML())
	}
	for _, s := range []*spec.Spec{first, more} {
		if err := s.Extends(first); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct{ from, says string }{
		{"", "from.training: amount is [], and the spec in force has [total]"},
		{"from: {training: {amount: [payload.sum, total]}, documents: {body: [message]}}", "amount is [payload.sum, total], and the spec in force has [total]"},
		{"from: {training: {amount: [total]}, documents: {body: [text]}}", "from.documents: body is [text], and the spec in force has [message]"},
	} {
		if err := modeltest.Spec(t, fields+c.from).Extends(first); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.from, err, c.says)
		}
	}
}

func TestFieldsAreRefused(t *testing.T) {
	for _, c := range []struct{ spec, says string }{
		{fields + "from: {training: {amuont: [total]}}", `from.training names "amuont", which the spec does not read: its fields are subject, body, amount, country`},
		{fields + "from: {documents: {amount: []}}", "from.documents.amount has no path"},
		{fields + "from: {documents: {amount: [a, a]}}", `from.documents.amount has "a" twice`},
		{fields + "from: {training: {amount: total}}", "want a list"},
		{"format: mail\nfrom: {training: {text: [body]}}", "from is for format json"},
		{"text: {field: a, fields: [b]}", "text.field and text.fields are both set"},
		{"text: {apart: true}", "text.apart is for the words of several fields"},
		{"text: {fields: [a, a]}", `text.fields has "a" twice`},
		{"text: {fields: [a, '']}", "text.fields has an empty name"},
		{"format: text\ntext: {fields: [a, b]}", "text.fields is for format json"},
		{"text: {fields: [a, " + strings.Repeat("b", 40) + "], apart: true}", "leaves too little of limits.term_bytes"},
	} {
		if _, err := spec.Parse([]byte(c.spec)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.spec, err, c.says)
		}
	}
}
