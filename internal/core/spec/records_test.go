package spec_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// What a spec leaves out has its usual place, and a spec that writes it out says the same.
func TestRecordPlaces(t *testing.T) {
	usual := spec.Records{
		Label: spec.LabelPlace{Field: "label", Type: spec.TypeString}, ID: spec.IDPlace{Field: "id", From: spec.FromField},
		Weight: spec.Place{Field: "weight"}, By: spec.Place{Field: "by"},
	}
	other := usual
	other.Label = spec.LabelPlace{Field: "is.team", Type: spec.TypeAny}
	other.ID.From = spec.FromKey
	other.Time.Field = "at"
	named := usual
	named.By.Field = "who"
	elsewhere := usual
	elsewhere.By.Field = ""
	byID := elsewhere
	byID.ID.Field = "by"
	mail := usual
	mail.Label.Header = "label"
	mail.ID.From = spec.FromKey
	for text, want := range map[string]spec.Records{
		"": usual,
		"records: {label: {field: label}, id: {from: field}}":                               usual,
		"records: {label: {field: is.team, type: any}, id: {from: key}, time: {field: at}}": other,
		"format: mail":                mail,
		"records: {by: {field: who}}": named,
		"text: {field: by}":           elsewhere, // it is the author of each text, who taught nothing
		"records: {id: {field: by}}":  byID,
	} {
		s := modeltest.Spec(t, text)
		if got := s.RecordPlaces(); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
		written := modeltest.Spec(t, string(s.YAML()))
		if written.RecordPlaces() != want || written.Changes(s) || written.Reading() != s.Reading() {
			t.Errorf("%q: written and read again it is\n%s", text, s.YAML())
		}
		if base := modeltest.Spec(t, ""); (s.Reading() == base.Reading()) != (want == usual) || s.IsJSON() && s.Text.Field == "text" && s.Counting() != base.Counting() {
			t.Errorf("%q: its fingerprints do not tell where records have what is no feature, and nothing else", text)
		}
	}
}

// Spellings of labels change how records are read, and nothing of how they count or score.
func TestLabels(t *testing.T) {
	s := modeltest.Spec(t, "labels: {Spam: spam, SPAM: spam}")
	base := modeltest.Spec(t, "")
	if s.Class("Spam") != "spam" || s.Class("spam") != "spam" || s.Class("Ham") != "Ham" {
		t.Error("the classes of labels are not those of the spec")
	}
	if s.Counting() != base.Counting() || s.Scoring() != base.Scoring() || s.Reading() == base.Reading() || !s.Changes(base) {
		t.Error("the fingerprints do not tell that records are read otherwise, and nothing else")
	}
	if written := modeltest.Spec(t, string(s.YAML())); written.Reading() != s.Reading() {
		t.Errorf("written and read again it is\n%s", s.YAML())
	}
}

func TestRecordsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"records: {label: {type: number}}":               `records.label.type is "number": want string or any`,
		"records: {id: {from: header}}":                  `records.id.from is "header": want field, key or cloudevent`,
		"teachers: {llm: {weight: 0}}":                   "teachers.llm.weight is 0: want the largest weight",
		"teachers: {' llm': {weight: 1}}":                `a name of teachers is " llm": want it without`,
		"records: {weight: {type: any}}":                 "records.weight: unknown key type",
		"records: {label: {field: text}}":                `records.label.field is "text", which the spec reads as a feature`,
		"records: {label: {field: id}}":                  `records has "id" twice`,
		"records: {lable: {field: x}}":                   `did you mean label?`,
		"format: mail\nrecords: {label: {field: class}}": "records.label.field: a record of format mail has no fields: name a header",
		"format: text\nrecords: {id: {from: field}}":     "records.id.from is field, and a record of format text has none: want key or cloudevent",
		"numbers: [{fields: [weight], likelihood: gaussian}]\nrecords: {weight: {field: weight}}": `records.weight.field is "weight", which the spec reads as a feature`,
	} {
		if _, err := spec.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// Label and weight may change; id and time say which documents are counted, and until when.
func TestRecordsThatMayChange(t *testing.T) {
	const cutover = "count them again into a new model topic (bayestream cutover)"
	first := modeltest.Spec(t, "")
	for text, want := range map[string]string{
		"":                                "",
		"records: {label: {field: team}}": "",
		"records: {weight: {header: w}}":  "",
		"records: {by: {field: who}}":     "",
		"teachers: {llm: {weight: 2}}":    "",
		"records: {id: {field: key}}":     "records.id is {field: key, from: field}, and records are counted by {field: id, from: field}: keep it, or " + cutover,
		"records: {time: {field: at}}":    "records.time is {field: at}, and records are counted by {}: keep it, or " + cutover,
	} {
		s := modeltest.Spec(t, text)
		err := s.Extends(first)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
		if s.Counting() != first.Counting() || s.Scoring() != first.Scoring() || s.Changes(first) != (text != "") {
			t.Errorf("%s: it counts or scores differently, or changes nothing", text)
		}
	}
}

// A field that is a feature is not read as one where the label or the weight has it. Once they have
// left it, documents that are read again would have one feature more.
func TestRecordsBesideAFeature(t *testing.T) {
	const numbers = "numbers: [{fields: [weight], likelihood: gaussian}]\n"
	usual := modeltest.Spec(t, numbers)
	moved := modeltest.Spec(t, numbers+"records: {weight: {field: times}}")
	for _, pair := range [][2]*spec.Spec{{moved, usual}, {usual, moved}} {
		if err := pair[0].Extends(pair[1]); err == nil || !strings.HasPrefix(err.Error(), "records.weight is ") {
			t.Errorf("the error is %v, want one that names records.weight", err)
		}
	}
}
