package profile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bayestream/internal/tokenize"
)

// Suggestion is what the fields could be to a model.
type Suggestion struct {
	Records    int
	Label      string // "": none was found
	Labels     []string
	Unlabelled int    // records without it
	Bad        int    // rows that cannot be used
	BadRow     error  // of the first one
	LabelAny   bool   // it has numbers or booleans in JSON
	ID         string // "": none was found
	Counted    string // how the text is counted best, and why; "": nothing tells
	Flags      string // that reading the file needs
	Text       string // "": none was found
	Written    tokenize.Tongue
	Texts      []string
	Numbers    []string
	Categories []string
	Rest       []LeftOut // fields that are none of these
}

// LeftOut is a field that is no part of the spec, and why.
type LeftOut struct{ Name, Why string }

func (l LeftOut) String() string { return quote(l.Name) + ": " + l.Why }

// Names that such fields often have, lower-cased.
var (
	labelNames = []string{"label", "class", "category", "target", "species", "team", "sentiment", "topic", "spam",
		"is_spam", "type", "queue", "y", "play", "v1"}
	idNames = []string{"id", "_id", "uuid", "guid", "key", "message_id", "msg_id"}
	// of running numbers, or of many different integers; so is what ends in "id"
	runNames  = []string{"ticket", "number", "no", "nr", "num", "case", "order", "row", "index", "serial", "ref"}
	textNames = []string{"text", "body", "message", "content", "sms", "v2", "description", "title", "subject"}
)

const (
	sureNames      = 4   // of labelNames, which mean a label whatever else is known
	mostClasses    = 100 // distinct labels
	mostCategories = 50  // distinct values of a category
	wordsOfText    = 3   // on average
	// records with another word each, or running numbers, so that it is taken for an id whatever it is
	// called
	enoughForID = 20
)

// Check returns an error for a name of the label, the text or the id that no record has.
func (p *Profile) Check() error {
	var names []string
	for _, f := range p.fields {
		names = append(names, f.name)
	}
	for _, name := range []string{p.Label, p.Text, p.ID} {
		if name != "" && p.byName[name] == nil {
			return fmt.Errorf("no record has a field %q; there are %s", name, clip(names))
		}
	}
	return nil
}

// Suggest says what the fields could be.
func (p *Profile) Suggest() *Suggestion {
	s := &Suggestion{Records: p.Records, Bad: p.bad, BadRow: p.badRow}
	id, label, text := p.byName[p.ID], p.byName[p.Label], p.byName[p.Text]
	left := slices.DeleteFunc(slices.Clone(p.fields), func(f *field) bool { return f == id || f == label || f == text })
	take := func(f *field) string {
		if f == nil {
			return ""
		}
		left = slices.DeleteFunc(left, func(o *field) bool { return o == f })
		return f.name
	}
	if id == nil {
		id = best(left, p.isID)
	}
	s.ID = take(id)
	if label == nil {
		label = cmp.Or(best(left, p.isLabel), p.onlyClasses(left))
	}
	if label != nil {
		s.Labels = slices.Sorted(maps.Keys(label.distinct))
		s.Unlabelled = p.Records - label.present
		s.LabelAny = label.numbers+label.booleans > 0 && !p.isTable
	}
	s.Label = take(label)
	if text == nil {
		text = best(left, isText)
	}
	if text != nil {
		s.Written = text.written.Tongue()
	}
	s.Text = take(text)
	s.sort(left)
	return s
}

// sort puts the other fields where they belong.
func (s *Suggestion) sort(left []*field) {
	for _, f := range left {
		switch {
		case isText(f) > 0:
			s.Texts = append(s.Texts, f.name)
		case f.isNumber():
			s.Numbers = append(s.Numbers, f.plain)
		case f.isCategory() && !f.nested:
			s.Categories = append(s.Categories, f.plain)
		default:
			s.Rest = append(s.Rest, LeftOut{f.name, f.whyNot()})
		}
	}
}

// isNumber reports whether a field has numbers that a model can tell apart.
func (f *field) isNumber() bool {
	return f.numbers == f.present && !f.nested && !f.beyond && f.large && len(f.distinct) > 1 &&
		!strings.Contains(f.plain, "*")
}

// whyNot says why a field is neither a number nor a category, and what makes it one.
func (f *field) whyNot() string {
	switch {
	case f.others > f.booleans:
		return "it has lists"
	case f.booleans > 0:
		return "true and false are no category: write them as strings"
	case f.nested:
		return "it is inside another field: name its path under from"
	case f.looksNumeric():
		return fmt.Sprintf("values like %q look like numbers: write plain ones, such as 1234.5", f.odd)
	case f.numbers > 0 && f.strings > 0:
		return fmt.Sprintf("%d of %d values are no numbers, such as %q: remove these values", f.strings, f.present, f.word)
	case len(f.distinct) == 1:
		return "all its values are the same"
	case f.beyond:
		return "numbers are beyond 9.2e9: divide them, or give their block a coarser scale"
	case f.numbers > 0 && !f.large:
		return "all its numbers are 0 at the scale 1e-9: multiply them, or give their block a finer scale"
	case f.numbers > 0: // in a spec its name would stand for all fields that match
		return "a name with * is a pattern: give it another name"
	case f.isTime():
		return "a time is no category"
	}
	return fmt.Sprintf("%d different values are too many for a category", len(f.distinct))
}

// best returns the field of the highest rank above 0, nil if there is none; of equals the first.
func best(fields []*field, rank func(*field) int) *field {
	var found *field
	highest := 0
	for _, f := range fields {
		if r := rank(f); r > highest {
			found, highest = f, r
		}
	}
	return found
}

// named ranks a name in a list: the earlier, the higher; 0 if it is not there. Of a path the last
// name counts.
func named(list []string, name string) int {
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	i := slices.Index(list, name)
	if i < 0 {
		return 0
	}
	return len(list) - i
}

// isID ranks fields whose values are all there and all different: by their name, then integers
// that are called so, then those of one word each and running numbers of any name.
func (p *Profile) isID(f *field) int {
	if f.present < p.Records || f.others > 0 || !f.allDiffer() && !p.isReplaced(f) {
		return 0
	}
	const byName, byRun, byValues = 2, 2, 1
	if r := named(idNames, f.name); r > 0 {
		return byName + r
	}
	isNamed := named(runNames, f.name) > 0 || strings.HasSuffix(strings.ToLower(f.name), "id")
	isMany := f.integers == f.present && p.Records >= enoughForID // with gaps: what was closed is not exported
	if isNamed && (f.isRunning() && p.Records > 1 || isMany) {
		return byRun
	}
	isWord := f.numbers == 0 && f.words == f.strings
	isFree := named(textNames, f.name)+named(labelNames, f.name) == 0 && !f.isTime() && !f.looksNumeric()
	if (isWord || f.isRunning()) && isFree && p.Records >= enoughForID {
		return byValues
	}
	return 0
}

// isTime reports whether a field is a time, by its name or by its values: records may have one, each
// another one, and are not known by it.
func (f *field) isTime() bool {
	name := strings.ToLower(f.name)
	if strings.HasSuffix(name, "_at") || strings.HasSuffix(name, " at") || strings.Contains(name, "date") ||
		strings.Contains(name, "time") {
		return true
	}
	for value := range f.distinct {
		if !day.MatchString(value) {
			return false
		}
	}
	return len(f.distinct) > 0
}

// day matches what begins with a date.
var day = regexp.MustCompile(`^([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.]([0-9]{2}){1,2})\b`)

// isCategory reports whether a field has a few strings, each in several records.
func (f *field) isCategory() bool {
	return f.strings == f.present && !f.looksNumeric() && len(f.distinct) > 1 && len(f.distinct) <= mostCategories &&
		2*len(f.distinct) <= max(f.present, 4) && !f.isTime()
}

// onlyClasses returns the only field of a table that has a few strings, nil if there is none or
// several: the label, whatever it is called.
func (p *Profile) onlyClasses(fields []*field) *field {
	isClasses := func(f *field) bool { return f.isCategory() && 10*f.present >= 9*p.Records }
	i := slices.IndexFunc(fields, isClasses)
	if !p.isTable || i < 0 || slices.ContainsFunc(fields[i+1:], isClasses) {
		return nil
	}
	return fields[i]
}

// Headless returns a cell of the first row of a table that shows that the row is no header, "" if
// none does: the name of a column that is among its values. In a table whose header comes again all
// are.
func (p *Profile) Headless() (cell string) {
	isNamed := func(f *field) bool { return f.distinct[f.name] }
	i := slices.IndexFunc(p.fields, isNamed)
	if !p.isTable || i < 0 || !slices.ContainsFunc(p.fields, func(f *field) bool { return !isNamed(f) }) {
		return ""
	}
	return p.fields[i].name
}

// isReplaced reports whether a field is the id of records of which some replace others.
func (p *Profile) isReplaced(f *field) bool {
	return !p.isTable && f.name == "id" && 10*len(f.distinct) >= 9*min(f.present, mostDistinct)
}

// isLabel ranks fields with few values: by their name, and in a table the last column, where the
// label often is. What is called a label is one though many records lack it, or though its values
// are numbers or booleans: as a feature it would tell the model what it is to find.
func (p *Profile) isLabel(f *field) int {
	few := len(f.distinct) <= mostClasses && 2*len(f.distinct) <= max(f.present, 4)
	lacks := 10*f.present < 9*p.Records || f.numbers+f.booleans > 0 && !p.isTable
	isCalled := named(labelNames[:sureNames], f.name) > 0
	if !few || f.others > f.booleans || lacks && !isCalled {
		return 0
	}
	const byName = 100
	switch r := named(labelNames, f.name); {
	case lacks:
		return r
	case len(f.distinct) < 2:
		return min(named(labelNames[:1], f.name), 1) // one value is enough for what is called a label
	case r > 0:
		return byName + r
	}
	if p.isTable && f == p.fields[len(p.fields)-1] && !f.looksNumeric() && (f.numbers == 0 || len(f.distinct) <= 20) {
		return 1
	}
	return 0
}

// isText ranks fields of several words: by their name, then by their length.
func isText(f *field) int {
	if f.strings == 0 || f.others > 0 || 2*f.numbers > f.present || f.words < wordsOfText*f.strings && named(textNames,
		f.name) == 0 {
		return 0
	}
	const byName = 1 << 30
	return cmp.Or(byName*min(1, named(textNames, f.name))+named(textNames, f.name), 1) + min(f.bytes/f.strings, byName-100)
}
