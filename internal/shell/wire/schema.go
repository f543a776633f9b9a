package wire

import (
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire/jsonread"
	"bayestream/internal/shell/wire/mail"
)

// The formats a record's value can have.
const (
	FormatJSON = "json" // one JSON object: fields for text, label, id and the rest
	FormatText = "text" // the whole value is the text; label and id come from headers or the key
	FormatMail = "mail" // RFC 822; label and id come from headers or the key
)

// What a label may be in JSON.
const (
	LabelString = "string" // a string alone
	LabelAny    = "any"    // a number or a boolean too, as it is written
)

// MaxWeight is the largest weight of a training record.
const MaxWeight = 1000

// Bounds on what the model, its log and every decision carry.
const (
	maxIDBytes       = 512
	maxCategoryBytes = 512
)

// A Schema says where in a record the parts of a document are. SchemaOf returns one.
type Schema struct {
	Format     string   // FormatJSON, FormatText or FormatMail
	HasText    bool     // the spec has a text block: a document must have a text
	Whole      bool     // a mail is also read as it came
	TextFields []string // paths of the parts of the text
	TextMarks  []string // what the terms of each part begin with

	LabelType   string // LabelString or LabelAny
	LabelField  string // path of the label
	IDField     string // path of the id
	LabelHeader string // header that carries the label and wins over the field; none if empty
	IDHeader    string // header that carries the id and wins over the field; none if empty
	IDFromKey   bool   // the record's key is the id; a header wins over it, a field does not

	IDFromEvent bool // the id of a CloudEvent is the id; a header wins over it, a field does not

	WeightField  string // path of the weight
	WeightHeader string // header that carries the weight and wins over the field; none if empty
	TimeField    string // path of the time, in RFC 3339 or in milliseconds; none if empty
	TimeHeader   string // header that carries the time and wins over the field; none if empty
	ByField      string // path of the name of who says the label; none if empty
	ByHeader     string // header that carries the name and wins over the field; none if empty

	NumberFields   []string // names under "numbers" or in the record, in the order of the spec
	CategoryFields []string // names under "categories" or in the record, in the order of the spec
	Digits         int      // decimal places kept of a number, 9 for a scale of 1e-9

	// Where else features stand: by field, paths that are tried in order if the record does not
	// have it under its name.
	TrainingFrom, DocumentFrom map[string][]string

	Relabels bool // a training record with an id of its own, a label and no document relabels that of the id

	NullIsMissing bool // a null label forgets nothing: the record has no label

	MaxRecordBytes int      // longest value in bytes
	Classes        []string // the only labels allowed; nil allows any

	Labels   map[string]string       // labels that are spellings of others, and what each is
	Teachers map[string]spec.Teacher // what those names may teach at most
}

// SchemaOf returns how records are read by a spec.
func SchemaOf(s *spec.Spec) Schema {
	at := s.RecordPlaces()
	schema := Schema{
		LabelType: at.Label.Type, LabelField: at.Label.Field, LabelHeader: at.Label.Header,
		IDField: at.ID.Field, IDHeader: at.ID.Header,
		IDFromKey: at.ID.From == spec.FromKey, IDFromEvent: at.ID.From == spec.FromCloudEvent,
		WeightField: at.Weight.Field, WeightHeader: at.Weight.Header,
		TimeField: at.Time.Field, TimeHeader: at.Time.Header, ByField: at.By.Field, ByHeader: at.By.Header,
		Format: s.Format, HasText: s.Text != nil,
		NumberFields: s.NumberFields(), CategoryFields: s.CategoryFields(), Digits: s.Digits(),
		MaxRecordBytes: s.Limits.RecordBytes, Classes: s.Classes, Labels: s.Labels, Teachers: s.Teachers, Relabels: true,
		TrainingFrom: s.From.Training, DocumentFrom: s.From.Documents,
	}
	if s.Text != nil {
		schema.TextFields = s.TextFields()
		schema.TextMarks = s.TextMarks()
		schema.Whole = s.Text.Characters
	}
	return schema
}

// A Decoder reads records by one Schema. It is immutable: any number of
// goroutines may use it, each with its own Training or Document.
type Decoder struct {
	// Guessed is called, if it is set, with what had to be guessed of a mail: one of Guessable.
	Guessed func(what string)

	schema     Schema
	training   layout
	document   layout
	paths      []pathSlot // of what is no feature
	numbers    map[string]int
	categories map[string]int
	isClass    func(label []byte) bool // nil: any is one
}

// NewDecoder returns the Decoder of a Schema.
func NewDecoder(s Schema) *Decoder {
	d := &Decoder{
		schema:     s,
		numbers:    positions(s.NumberFields),
		categories: positions(s.CategoryFields),
	}
	d.training = newLayout(&s, s.TrainingFrom)
	d.document = newLayout(&s, s.DocumentFrom)
	for _, field := range s.slots() {
		if jsonread.IsPath(field.name) {
			d.paths = append(d.paths, pathSlot{jsonread.NewPath(field.name), field.at})
		}
	}
	if s.Classes != nil {
		classes := positions(s.Classes)
		d.isClass = func(label []byte) bool {
			_, ok := classes[string(label)]
			return ok
		}
	}
	return d
}

// Guessable returns what may have to be guessed of a mail, since it is not as the mail declares.
func Guessable() []string { return mail.Guessable() }

// slots returns the members of what is no feature, by path; "": there is none.
func (s *Schema) slots() []slot {
	return []slot{{s.LabelField, slotLabel}, {s.IDField, slotID}, {s.WeightField, slotWeight}, {s.TimeField, slotTime},
		{s.ByField, slotBy}}
}

func positions(fields []string) map[string]int {
	place := make(map[string]int, len(fields))
	for i, f := range fields {
		place[f] = i
	}
	return place
}
