package profile_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/tools/lab/profile"

	"pgregory.net/rapid"
)

// TestSuggest finds the parts of a table of 57 numbers, as Spambase has them.
func TestSuggest(t *testing.T) {
	header := []string{"id"}
	for i := range 57 {
		header = append(header, fmt.Sprintf("word_freq_%d", i))
	}
	header = append(header, "constant", "spam")
	p := &profile.Profile{}
	for n := range 20 {
		row := []string{fmt.Sprint("m", n)}
		for i := range 57 {
			row = append(row, fmt.Sprint(float64(n*i%7)/10+float64(n)))
		}
		p.AddRow(header, append(row, "1", fmt.Sprint(n%2)))
	}
	s := p.Suggest()
	if s.ID != "id" || s.Label != "spam" || s.Text != "" || len(s.Numbers) != 57 || len(s.Categories) != 0 || !slices.Equal(s.Rest, []profile.LeftOut{{"constant", "all its values are the same"}}) {
		t.Errorf("the suggestion is %+v", s)
	}
	parsed, err := spec.Parse([]byte(s.YAML("spambase.csv", nil)))
	if err != nil || len(parsed.Numbers) != 1 || len(parsed.Numbers[0].Fields) != 57 || parsed.Numbers[0].VarSmoothing != 1e-9 {
		t.Fatalf("the spec is %v, %v", parsed, err)
	}
	if at := parsed.RecordPlaces(); at.Label.Field != "spam" || at.ID.Field != "id" {
		t.Errorf("label and id are at %+v", at)
	}
}

// Names with dots are paths in text and label, and plain names in numbers and categories; a label
// may be a boolean.
func TestDotsAndBooleans(t *testing.T) {
	p := &profile.Profile{}
	for n := range 8 {
		if err := p.AddObject(fmt.Appendf(nil, `{"a.text": "some words to read", "x.amount": %d, "geo.country": "%c", "in": {"amount": 1}, "label": %v}`, n*n, 'a'+n%2, n%2 == 0)); err != nil {
			t.Fatal(err)
		}
	}
	s := p.Suggest()
	if s.Text != `a\.text` || !slices.Equal(s.Numbers, []string{"x.amount"}) || !slices.Equal(s.Categories, []string{"geo.country"}) || !slices.Equal(p.NumberFields(), []string{"x.amount", "in.amount"}) {
		t.Errorf("%+v", s)
	}
	if s.Label != "label" || !s.LabelAny || !slices.Equal(s.Labels, []string{"false", "true"}) || !strings.Contains(s.YAML("x", nil), "\nrecords:\n  label: {type: any}\n") {
		t.Errorf("%+v with the spec\n%s", s, s.YAML("x", nil))
	}
}

// Whatever the fields are called, the YAML is a spec with those names, and a comment stays on its
// line.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ -~\n\x{202e}é]{1,12}`).Draw(t, "name")
		p := &profile.Profile{}
		for n := range 8 {
			p.AddRow([]string{name, "label"}, []string{fmt.Sprint(n * n), string(rune('a' + n%2))})
		}
		text := p.Suggest().YAML(name, nil)
		if strings.Contains(name, "*") != (len(p.Suggest().Rest) > 0) && strings.TrimSpace(name) == name {
			t.Fatalf("%q: a pattern is left out, and nothing else", name)
		}
		if strings.TrimSpace(name) != name || strings.Contains(name, "*") || name == "label" || strings.EqualFold(name, "id") {
			return
		}
		s, err := spec.Parse([]byte(text))
		if err == nil && len(s.Numbers) == 1 && slices.Equal(s.Numbers[0].Fields, []string{name}) {
			return
		}
		if err != nil && strings.ContainsAny(name, "\n\u202e") {
			return // no field may be called that
		}
		t.Fatalf("%q: %v\n%s", name, err, text)
	})
}

// TestAddObject reads nested objects, and refuses what is no object.
func TestAddObject(t *testing.T) {
	p := &profile.Profile{}
	for n := range 6 {
		object := fmt.Sprintf(`{"payload":{"body":"the text of number %d"},"numbers":{"a.b":%d},"categories":{"c":"x%d"},"flag":true,"none":null,"label":"l%d"}`, n, n, n%2, n%2)
		if err := p.AddObject([]byte(object)); err != nil {
			t.Fatal(err)
		}
	}
	s := p.Suggest()
	if s.Text != "payload.body" || !slices.Equal(s.Numbers, []string{"a.b"}) || !slices.Equal(s.Categories, []string{"c"}) || s.Label != "label" || !slices.Equal(s.Rest, []profile.LeftOut{{"flag", "true and false are no category: write them as strings"}}) {
		t.Errorf("the suggestion is %+v", s)
	}
	for _, bad := range []string{"", "[1]", `{"a":1`, "x", `{"a"}`} {
		if err := p.AddObject([]byte(bad)); err == nil {
			t.Errorf("%q is taken for an object", bad)
		}
	}
}

// Records of a topic that correct, forget or replace documents change nothing of what the fields
// are.
func TestCorrectionsAreNoDocuments(t *testing.T) {
	p := &profile.Profile{}
	for n := range 30 {
		id := n
		if n == 29 {
			id = 3 // replaces the fourth
		}
		lines := []string{
			fmt.Sprintf(`{"id":"m%d","text":"some words of a text %d","label":"%c"}`, id, n, 'a'+n%2), fmt.Sprintf(`{"id":"m%d","label":null}`, n),
			fmt.Sprintf(`{"id":"m%d","label":"a","weight":2}`, n), fmt.Sprintf(`{"id":"r%d","label":"b","ref":{"topic":"t","partition":0,"offset":%d}}`, n, n),
		}
		for _, line := range lines {
			if err := p.AddObject([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := p.Suggest(); s.Records != 30 || s.ID != "id" || s.Label != "label" || s.Text != "text" || len(s.Categories)+len(s.Numbers)+len(s.Rest) > 0 {
		t.Errorf("the suggestion is %+v", s)
	}
}

// A column that has another word in each row, or running numbers, is the id, whatever it is called;
// other numbers, sentences and a few rows are not, unless running numbers are called so.
func TestIDByItsValues(t *testing.T) {
	for _, c := range []struct {
		records int
		header  string
		row     string
		want    string
	}{
		{30, "ticket,team,body", "T%d,x,the printer %d is broken", "ticket"},
		{30, "ticket,id,body", "T%d,i%d,the printer is broken", "id"},
		{30, "price,team,body", "%d,x,the printer %d is broken", "price"},
		{30, "price,team,body", "%d.5,x,the printer %d is broken", ""},
		{30, "price,team,body", "%d0,x,the printer %d is broken", ""},
		{10, "price,team,body", "%d,x,the printer %d is broken", ""},
		{10, "ticket,team,body", "%d,x,the printer %d is broken", "ticket"},
		{10, "case_id,team,body", "%d,x,the printer %d is broken", "case_id"},
		{30, "price,ticket,body", "%d,%d,the printer %d is broken", "ticket"},
		{30, "ticket_id,team,body", "%d7,x,the printer %d is broken", "ticket_id"},
		{30, "nr,queue,body", "%d7,x,the printer %d is broken", "nr"},
		{10, "nr,queue,body", "%d7,x,the printer %d is broken", ""},
		{10, "ticket,team,body", "T%d,x,the printer %d is broken", ""},
		{30, "text,code", "word%d,x%d", "code"},
		// a time, though each has another one
		{30, "created_at,team,body", "2026-01-02T03:04:%d,x,the printer %d is broken", ""},
	} {
		p := &profile.Profile{}
		for i := range c.records {
			p.AddRow(strings.Split(c.header, ","), strings.Split(strings.ReplaceAll(c.row, "%d", strconv.Itoa(i)), ","))
		}
		if got := p.Suggest().ID; got != c.want {
			t.Errorf("%d rows of %s: the id is %q, want %q", c.records, c.header, got, c.want)
		}
	}
}

// A table whose only column of a few values is none that is usually a label has its label there;
// of two such columns neither. A date is no category.
func TestLabelByItsValues(t *testing.T) {
	for _, c := range []struct{ header, row, label, categories string }{
		{"no,desk,body", "%d,%c,the printer %d is broken", "desk", ""},
		{"no,desk,way,body", "%d,%c,w%c,the printer %d is broken", "", "desk way"},
		{"no,desk,created at,body", "%d,%c,w%c,the printer %d is broken", "desk", ""},
		{"no,body,sum", "%d,the printer %d is broken,%b%", "", ""},
		{"no,desk,seen,body", "%d,%c,2026-01-0%b,the printer %d is broken", "desk", ""},
		{"no,desk,seen,body", "%d,%c,0%b.02.26 10:00,the printer %d is broken", "desk", ""},
	} {
		p := &profile.Profile{}
		for i := range 30 {
			row := strings.NewReplacer("%d", strconv.Itoa(i), "%c", string(rune('a'+i%3)), "%b", strconv.Itoa(1+i%2)).Replace(c.row)
			p.AddRow(strings.Split(c.header, ","), strings.Split(row, ","))
		}
		if s := p.Suggest(); s.Label != c.label || strings.Join(s.Categories, " ") != c.categories {
			t.Errorf("%s: label %q and categories %q, want %q and %q", c.header, s.Label, s.Categories, c.label, c.categories)
		}
	}
}

// Labels of one look are said to be, with what makes them one; the later is the lower-cased one.
func TestAlikeLabels(t *testing.T) {
	p := &profile.Profile{}
	for i := range 30 {
		p.AddRow([]string{"label", "text"}, []string{[]string{"Spam", "spam", "ham"}[i%3], "some words here"})
	}
	text := p.Suggest().YAML("x", nil)
	if want := "add: labels: {Spam: spam}\n"; !strings.Contains(text, want) {
		t.Errorf("the spec is\n%s\nwant %q in it", text, want)
	}
}

// A first row that is a document is none of names.
func TestHeadless(t *testing.T) {
	for header, want := range map[string]string{"a;x y": "a", "desk;text": "", "0;1": "", "a;text 7": ""} {
		p := &profile.Profile{}
		for i := range 30 {
			p.AddRow(strings.Split(header, ";"), []string{string(rune('a' + i%3)), fmt.Sprint("text ", i)})
		}
		if got := p.Headless(); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

// The spec of a text leaves open how its words are scored, so that candidates race as they do by
// default.
func TestTextRaces(t *testing.T) {
	p := &profile.Profile{}
	for range 5 {
		p.AddRow([]string{"label", "body"}, []string{"x", "the printer is broken"})
	}
	s, err := spec.Parse([]byte(p.Suggest().YAML("t.csv", nil)))
	if err != nil || s.Race == nil {
		t.Errorf("no candidates race: %v", err)
	}
}

// What is called a label is no feature, though many records lack it or it is a number, and numbers
// that a model refuses are left out.
func TestSuggestLeavesTraps(t *testing.T) {
	var table profile.Profile
	for i, label := range []string{"net", "", "bill", "bill", "", "net", "net", "", "bill", "net"} {
		table.AddRow([]string{"text", "label", "when", "rate"}, []string{"some words here", label, strconv.FormatInt(1_700_000_000_000+int64(i*i), 10), []string{"0.5", "NaN", "0x1p4"}[i%3]})
	}
	s := table.Suggest()
	if s.Label != "label" || s.Unlabelled != 3 || len(s.Categories) > 0 || len(s.Numbers) > 0 || len(s.Rest) != 2 {
		t.Errorf("of the table: %+v", s)
	}
	for _, want := range []string{"# Records without it: 3 of 10. train and eval need --on-bad=skip.\n", "# left out: when: numbers are beyond 9.2e9: divide them, ", "# left out: rate: 6 of 10 values are no numbers, such as \"NaN\": remove these values\n"} {
		if text := s.YAML("x", nil); !strings.Contains(text, want) {
			t.Errorf("the spec is\n%s\nwant %q in it", text, want)
		}
	}
	var objects profile.Profile
	for i := range 10 {
		if err := objects.AddObject(fmt.Appendf(nil, `{"text":"some words here","label":%d,"size":%d}`, i%2, i*i)); err != nil {
			t.Fatal(err)
		}
	}
	if s := objects.Suggest(); s.Label != "label" || !s.LabelAny || !slices.Equal(s.Numbers, []string{"size"}) {
		t.Errorf("of the objects: %+v", s)
	}
}

// Each field that is left out has a reason, and no number as people write it is a category, an id or a label.
func TestWhyNot(t *testing.T) {
	for _, c := range []struct {
		value func(i int) string
		why   string
	}{
		{func(i int) string { return fmt.Sprintf("5,%d", i%3) }, `values like "5,0" look like numbers`},
		{func(i int) string { return fmt.Sprintf("5,%d", i) }, `values like "5,0" look like numbers`},
		{func(i int) string { return fmt.Sprintf("$%d,912", i+1) }, `values like "$1,912" look like numbers`},
		{func(i int) string { return fmt.Sprintf("%d%%", i%4) }, `values like "0%" look like numbers`},
		{func(i int) string { return fmt.Sprintf("%d.912,5 €", i+1) }, `values like "1.912,5 €" look like numbers`},
		{func(i int) string { return []string{"1,500", "700", "NA"}[i%3] }, `values like "1,500" look like numbers`},
		{func(i int) string { return []string{"1.5", "700", "NA"}[i%3] }, `10 of 30 values are no numbers, such as "NA": remove these values`},
		{func(i int) string { return fmt.Sprintf("%de-13", i+1) }, "all its numbers are 0 at the scale 1e-9"},
		{func(i int) string { return fmt.Sprintf("%de12", i+1) }, "numbers are beyond 9.2e9"},
		{func(i int) string { return fmt.Sprintf("2026-01-%02d", i+1) }, "a time is no category"},
		{func(i int) string { return fmt.Sprint("one ", i%16) }, "16 different values are too many for a category"},
		{func(int) string { return "x" }, "all its values are the same"},
		{func(i int) string { return "1.5" + strings.Repeat("0", i%2) }, ""},
	} {
		p := &profile.Profile{}
		for i := range 30 {
			p.AddRow([]string{"label", "x"}, []string{string(rune('a' + i%2)), c.value(i)})
		}
		s := p.Suggest()
		if s.Label != "label" || s.ID != "" || len(s.Categories) > 0 || (c.why == "") != (len(s.Rest) == 0) || !strings.Contains(s.YAML("x", nil), c.why) || c.why != "" && s.Check() == nil {
			t.Errorf("%s: want %q, got %+v", c.value(0), c.why, s)
		}
	}
}

// The label, the text and the id that are named are no features, whatever they look like.
func TestNamedFields(t *testing.T) {
	p := &profile.Profile{Label: "sum", Text: "way", ID: "class"}
	for i := range 30 {
		p.AddRow([]string{"class", "way", "sum", "id"}, []string{"c" + strconv.Itoa(i), "air", strconv.Itoa(i % 3), strconv.Itoa(i)})
	}
	s := p.Suggest()
	if err := p.Check(); err != nil || s.Label != "sum" || s.Text != "way" || s.ID != "class" || len(s.Labels) != 3 || !slices.Equal(s.Numbers, []string{"id"}) {
		t.Errorf("%+v, %v", s, err)
	}
	p.Label = "summ"
	if err := p.Check(); err == nil || err.Error() != `no record has a field "summ"; there are "class", "way", "sum", "id"` {
		t.Errorf("a name that no record has: %v", err)
	}
}
