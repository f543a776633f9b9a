package profile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/escape"
)

// plain are the names that YAML takes as strings without quotes.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// reserved are plain words that YAML takes for something else.
var reserved = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)

func quote(name string) string {
	if plain.MatchString(name) && !reserved.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// YAML returns a spec with comments. source is where the records are from, as its reader knows it;
// preset says how words are counted, nil: as by default.
func (s *Suggestion) YAML(source string, preset *spec.Preset) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What %d records of %s look like. Edit it: docs/toolbox.md explains every key.\n", s.Records,
		strconv.Quote(source))
	s.comments(&b)
	b.WriteString("name: bayestream\n")
	if s.Text != "" {
		b.WriteString(s.text(preset))
		for _, other := range s.Texts {
			fmt.Fprintf(&b, "  # also text: %s\n", quote(other))
		}
	}
	if len(s.Numbers) > 0 {
		b.WriteString("numbers:\n  - fields: " + list(s.Numbers) +
			"\n    var_smoothing: 1e-9   # keeps a class whose numbers are all the same from dividing by zero\n")
	}
	if len(s.Categories) > 0 {
		b.WriteString("categories:\n")
		for _, name := range s.Categories {
			fmt.Fprintf(&b, "  - field: %s\n", quote(name))
		}
	}
	s.records(&b)
	return b.String()
}

// text returns how the words of the text are counted.
func (s *Suggestion) text(preset *spec.Preset) string {
	if preset != nil {
		if change := preset.Spec().Text.Suit(s.Written); change != nil {
			preset = preset.With(*change)
		}
		return preset.YAML(quote(s.Text))
	}
	text := fmt.Sprintf("text:\n  field: %s\n  # likelihood and alpha are left open: the documents choose them\n",
		quote(s.Text))
	if change := spec.Default().Text.Suit(s.Written); change != nil {
		text += fmt.Sprintf("  %s: %s   # %s\n", change.Key, change.Value, change.Why)
	}
	return text
}

// records writes where records have label and id, where these places are not the usual ones.
func (s *Suggestion) records(b *strings.Builder) {
	var label []string
	if s.Label != "" && s.Label != "label" {
		label = append(label, "field: "+quote(s.Label))
	}
	if s.LabelAny {
		label = append(label, "type: any")
	}
	isOtherID := s.ID != "" && s.ID != "id"
	if len(label) > 0 || isOtherID {
		b.WriteString("records:\n")
	}
	if len(label) > 0 {
		fmt.Fprintf(b, "  label: {%s}\n", strings.Join(label, ", "))
	}
	if isOtherID {
		fmt.Fprintf(b, "  id: {field: %s}\n", quote(s.ID))
	}
}

// comments says what is not part of a spec.
func (s *Suggestion) comments(b *strings.Builder) {
	if s.Label == "" {
		b.WriteString("# No field looks like a label: name it with --label-field.\n")
	} else {
		fmt.Fprintf(b, "# The label could be %s: %s.\n", quote(s.Label), clip(s.Labels))
	}
	if alike := Alike(s.Labels); len(alike) > 0 {
		fmt.Fprintf(b, "# Some labels have one look. To count them as one, add: labels: {%s}\n", strings.Join(alike, ", "))
	}
	if s.Label != "" && s.Unlabelled > 0 {
		fmt.Fprintf(b, "# Records without it: %d of %d. train and eval need --on-bad=skip.\n", s.Unlabelled, s.Records)
	}
	if s.Bad > 0 {
		fmt.Fprintf(b, "# Rows that cannot be used: %d. The first is %s. train and eval need --on-bad=skip.\n", s.Bad,
			escape.Text(s.BadRow.Error()))
	}
	if s.ID == "" {
		b.WriteString("# No field looks like an id, without which a record cannot be corrected or forgotten by id.\n")
	} else {
		fmt.Fprintf(b, "# The id could be %s.\n", quote(s.ID))
	}
	if s.Counted != "" {
		fmt.Fprintf(b, "# %s%s.\n", strings.ToUpper(s.Counted[:1]), s.Counted[1:])
	}
	if s.Flags != "" {
		fmt.Fprintf(b, "# So train, eval and send need: %s\n", s.Flags)
	}
	for _, field := range s.Rest {
		fmt.Fprintf(b, "# left out: %s\n", field)
	}
}

// Alike returns the labels that look like a later one, as the key labels of a spec has them.
func Alike(labels []string) (spellings []string) {
	last := map[string]string{} // by look: there may be many labels
	for _, label := range labels {
		last[spelling.Look(label)] = label
	}
	for _, label := range labels {
		if later := last[spelling.Look(label)]; later != label {
			spellings = append(spellings, quote(label)+": "+quote(later))
		}
	}
	return spellings
}

// Check returns an error if there is nothing that a model could count.
func (s *Suggestion) Check() error {
	records := "1 record"
	if s.Records != 1 {
		records = fmt.Sprintf("%d records", s.Records)
	}
	switch {
	case s.Text != "" || len(s.Numbers)+len(s.Categories) > 0:
		return nil
	case len(s.Rest) == 0:
		return fmt.Errorf("%s, and no field besides the label and the id", records)
	}
	return fmt.Errorf("%s, and no field that a model can count; %s", records, s.Rest[0])
}

// list returns a flow sequence of names, in lines that are not too long.
func list(names []string) string {
	const width = 100
	var out strings.Builder
	column := 0
	for i, name := range names {
		if i > 0 {
			out.WriteString(", ")
		}
		if column > width {
			out.WriteString("\n      ")
			column = 0
		}
		out.WriteString(quote(name))
		column += len(quote(name)) + 2
	}
	return "[" + out.String() + "]"
}

// clip lists the first labels.
func clip(labels []string) string {
	const most = 8
	var out []string
	for i, l := range labels {
		if i == most {
			out = append(out, fmt.Sprintf("%d more", len(labels)-most))
			break
		}
		out = append(out, strconv.Quote(l))
	}
	return strings.Join(out, ", ")
}
