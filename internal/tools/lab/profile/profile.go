// Package profile looks at records and says what their fields could be to a model: its text, its
// numbers and categories, the label and the id. The result is a spec to start from, with comments
// for whoever edits it.
package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"bayestream/internal/gaussian"
	"bayestream/internal/tokenize"
)

// Profile counts what the fields of records hold. The zero value is ready for use.
type Profile struct {
	Records         int
	Label, Text, ID string // the names of these fields, where they are known; "": they are guessed

	bad     int      // rows that cannot be used
	badRow  error    // of the first one
	fields  []*field // in the order in which they were first met
	byName  map[string]*field
	isTable bool // rows, whose cells are all strings
}

// field is what the values of a field are like.
type field struct {
	name     string // as a spec writes it in text, label and id: of a nested field a path
	plain    string // as it writes it in numbers and categories: as it is, dots and all; of a nested field the path
	nested   bool   // below the top level, and not in numbers or categories
	present  int
	numbers  int // values that are numbers
	strings  int // values that are strings, and no numbers in a table
	booleans int
	others   int // booleans, lists
	words    int
	written  tokenize.Census
	bytes    int
	distinct map[string]bool // up to mostDistinct
	integers int             // numbers that are integers
	least    int64           // of them
	most     int64
	beyond   bool   // one is larger than a model takes
	large    bool   // one is no 0 to a model, which rounds
	oddities int    // strings that look like numbers
	odd      string // the first of them
	word     string // the first other string
}

// mostDistinct bounds the values of a field that are kept.
const mostDistinct = 10000

// AddRow adds a row of a table under its header. Empty cells are missing values.
func (p *Profile) AddRow(header, row []string) {
	p.Records++
	p.isTable = true
	for i, name := range header {
		if i >= len(row) || strings.TrimSpace(row[i]) == "" || name == "" {
			continue
		}
		cell := strings.TrimSpace(row[i])
		f := p.field(name)
		f.plain = name
		if isNumber, _, _ := readNumber(cell); isNumber {
			f.number(cell)
		} else {
			f.text(cell)
		}
	}
}

// AddBad adds a row that cannot be used, with its error.
func (p *Profile) AddBad(err error) {
	p.bad++
	p.badRow = cmp.Or(p.badRow, err)
}

// AddObject adds a JSON object, unless it is a record that corrects or forgets a document, or says
// where it is.
func (p *Profile) AddObject(object []byte) error {
	if isBare(object) {
		return nil
	}
	p.Records++
	return p.members(object, "")
}

// isBare reports whether an object has an id and a label, be it null, and nothing that a model
// could read.
func isBare(object []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return false
	}
	_, hasLabel := members["label"]
	_, hasID := members["id"]
	for name, value := range members {
		isOther := name != "id" && name != "label" && name != "weight" && name != "ref"
		if isOther && string(value) != "null" {
			return false
		}
	}
	return hasLabel && hasID
}

// members adds the members of an object under a path.
func (p *Profile) members(object []byte, path string) error {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("a record is no JSON object: %.40s", object)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		plain := fmt.Sprint(token)
		name := path + strings.ReplaceAll(plain, ".", `\.`)
		isField := path == "numbers." || path == "categories."
		nested := path != "" && !isField
		switch {
		case isField:
			name = plain
		case nested:
			plain = name
		}
		if err := p.value(name, plain, nested, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("a record is no JSON object: %.40s", object)
	}
	return nil
}

// value adds a value.
func (p *Profile) value(name, plain string, nested bool, value json.RawMessage) error {
	switch value[0] {
	case '{':
		return p.members(value, name+".")
	case 'n': // null is a missing value
		return nil
	}
	f := p.field(name)
	f.plain, f.nested = plain, nested
	switch value[0] {
	case '"':
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return err
		}
		f.text(s)
	case 't', 'f':
		f.booleans++
		f.others++
		f.seen(string(value))
	case '[':
		f.present++
		f.others++
	default:
		f.number(string(value))
	}
	return nil
}

// field returns the field of a name.
func (p *Profile) field(name string) *field {
	f := p.byName[name]
	if f == nil {
		if p.byName == nil {
			p.byName = map[string]*field{}
		}
		f = &field{name: name, distinct: map[string]bool{}}
		p.byName[name] = f
		p.fields = append(p.fields, f)
	}
	return f
}

// readNumber reports whether a text is a number as records have them, of which NaN and infinities
// are none, whether it is larger than a model takes, and whether a model takes it for 0.
func readNumber(text string) (isNumber, beyond, isZero bool) {
	fixed, err := gaussian.ParseFixed([]byte(text), gaussian.DefaultDigits)
	beyond = errors.Is(err, gaussian.ErrRange)
	return err == nil || beyond, beyond, fixed == 0
}

func (f *field) number(text string) {
	f.numbers++
	f.seen(text)
	_, beyond, isZero := readNumber(text)
	f.beyond = f.beyond || beyond
	f.large = f.large || !isZero
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return
	}
	if f.integers == 0 {
		f.least, f.most = n, n
	}
	f.integers++
	f.least = min(f.least, n)
	f.most = max(f.most, n)
}

// isRunning reports whether the values are running numbers: integers one after the other, in
// whatever order.
func (f *field) isRunning() bool {
	return f.integers == f.present && uint64(f.most)-uint64(f.least) == uint64(f.present-1) && f.allDiffer()
}

// allDiffer reports whether no value came twice, as far as values are kept.
func (f *field) allDiffer() bool { return len(f.distinct) == min(f.present, mostDistinct) }

func (f *field) text(s string) {
	f.strings++
	f.words += len(strings.Fields(s))
	f.written.Add([]byte(s))
	f.bytes += len(s)
	f.seen(s)
	isNumber, _, _ := readNumber(s)
	switch {
	case !isNumber && oddNumber.MatchString(s):
		f.oddities++
		f.odd = cmp.Or(f.odd, s)
	default:
		f.word = cmp.Or(f.word, s)
	}
}

// oddNumber matches a number as people write it and a model does not read it: with a decimal comma,
// with signs between the digits, with a currency or a percent sign.
var oddNumber = regexp.MustCompile(
	`^[-+]?\p{Sc}?\s?[-+]?([0-9]+|[0-9]{1,3}([.,'\s\x{A0}\x{202F}][0-9]{3})+)([.,][0-9]+)?\s?[%\p{Sc}]?$`)

// looksNumeric reports whether most values are numbers, some of them as a model does not read them.
func (f *field) looksNumeric() bool { return f.oddities > 0 && 2*(f.oddities+f.numbers) > f.present }

func (f *field) seen(value string) {
	f.present++
	if len(f.distinct) < mostDistinct {
		f.distinct[value] = true
	}
}

// NumberFields returns the fields that hold numbers and nothing else, in the order in which they
// were first met.
func (p *Profile) NumberFields() []string {
	var names []string
	for _, f := range p.fields {
		if f.numbers > 0 && f.numbers == f.present {
			names = append(names, f.plain)
		}
	}
	return names
}
