package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bayestream/internal/counts"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
)

// A Correction is what a person says of a document: that it has this label, or that it is to be
// forgotten. It names the document by its id, by the place of its record, or by both; or it is a
// whole training record, which has the document.
type Correction struct {
	Record []byte // the value of a training record; nil: the fields below say all
	other  string // a field of Record that no correction has
	ID     string // "": not said
	Source *Ref   // nil: not said
	Label  string
	Weight int64  // how often the document counts; 0: not said, as it did before
	By     string // who says so; "": nobody is named
	Forget bool   // the label is null
	New    bool   // the label may be one that no document has
}

// ReadCorrection reads a correction from the JSON {"id", "source", "label", "by"}. An object with other
// names is a whole training record. The error is a *Reject.
func ReadCorrection(body []byte) (*Correction, error) {
	var sc scratch
	var r jsonread.Reader
	var id, source, label, by jsonread.Value
	other := ""
	for r.Reset(body); r.Next(); {
		field, known := map[string]*jsonread.Value{"id": &id, "source": &source, "label": &label,
			"by": &by}[string(r.Name())]
		switch {
		case !known && other == "":
			other = show(r.Name())
		case !known:
		case field.IsMissing():
			*field = r.Value()
		}
	}
	if r.Err() != nil || !utf8.Valid(body) {
		return nil, notObject(body)
	}
	if other != "" {
		return &Correction{Record: body, other: other}, nil
	}
	c := &Correction{}
	if err := c.readLabel(label, &sc); err != nil {
		return nil, err
	}
	if err := c.readDocument(id, source, &sc); err != nil {
		return nil, err
	}
	return c, c.readBy(by, &sc)
}

// LearnRecord returns the record of a correction that is a whole training record: its key is the id.
// One without a document is refused: its other fields would be ignored, and were meant to say
// something. The error is a *Reject.
func (d *Decoder) LearnRecord(c *Correction) (record.Record, error) {
	rec := record.Record{Value: c.Record}
	if d.schema.Format != FormatJSON {
		return rec, Rejectf(BadCorrection, "field %s is not known; want \"id\", \"source\", \"label\" and \"by\": of the "+
			"format %s a whole record is no JSON, so label the document first, then correct it", c.other, d.schema.Format)
	}
	var t Training
	if err := d.Training(&rec, &t); err != nil {
		return rec, err
	}
	if t.Kind != Learn || t.Ref != nil {
		return rec, Rejectf(BadCorrection, "field %s is not known, and there is no document; want \"id\", \"source\", "+
			"\"label\" and \"by\", or a whole training record", c.other)
	}
	if t.Explicit {
		rec.Key = []byte(t.ID)
	}
	c.Label = t.Label
	return rec, nil
}

// readLabel reads the label, which must be there: a missing one must not forget.
func (c *Correction) readLabel(field jsonread.Value, sc *scratch) error {
	switch {
	case field.IsMissing():
		return Rejectf(NoLabel, "field \"label\" is missing; null forgets the document")
	case field.IsNull():
		c.Forget = true
	case field.IsString():
		c.Label = string(bytes.TrimSpace(sc.text(field))) // as in records
	default:
		return Rejectf(BadLabel, "field \"label\" is %s, %s; want a string, or null to forget", shown(field), field.Kind())
	}
	return nil
}

func (c *Correction) readBy(field jsonread.Value, sc *scratch) error {
	if field.IsAbsent() {
		return nil
	}
	if field.IsString() {
		c.By = string(bytes.TrimSpace(sc.text(field)))
	}
	if counts.CheckClass(c.By) != nil {
		return Rejectf(BadCorrection, "field \"by\" is %s; want a name of 1 to %d bytes", shown(field), counts.MaxClassBytes)
	}
	return nil
}

func (c *Correction) readDocument(id, source jsonread.Value, sc *scratch) error {
	switch {
	case id.IsAbsent():
	case id.IsString():
		c.ID = string(sc.text(id))
	case id.IsNumber() && !strings.ContainsAny(string(id), ".eE"):
		c.ID = string(id)
	default:
		return Rejectf(BadID, "field \"id\" is %s, %s; want a string or an integer", shown(id), id.Kind())
	}
	switch {
	case source.IsAbsent():
	case source.IsString():
		place := string(sc.text(source))
		c.Source = ParsePlace(place)
		if c.Source == nil {
			return Rejectf(BadRef, "field \"source\" is %s; want topic/partition/offset", show([]byte(place)))
		}
	case source.IsObject():
		ref, err := readRef(source, sc)
		if err != nil {
			return err
		}
		c.Source = ref
	default:
		return Rejectf(BadRef, "field \"source\" is %s, %s; want an object or topic/partition/offset", shown(source),
			source.Kind())
	}
	if c.ID == "" && c.Source == nil {
		return Rejectf(BadID, "the document is not named: send its \"id\" or its \"source\"")
	}
	return nil
}

// ParsePlace returns the place that topic/partition/offset names, nil for another text. It is the
// id of a record that names none.
func ParsePlace(s string) *Ref {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || parts[0] == "" || len(parts[0]) > maxTopicBytes {
		return nil
	}
	partition, err := strconv.ParseInt(parts[1], 10, 32)
	offset, offsetErr := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || offsetErr != nil || partition < 0 || offset < 0 {
		return nil
	}
	return &Ref{Topic: parts[0], Partition: int(partition), Offset: offset}
}

// String returns topic/partition/offset.
func (r *Ref) String() string { return string(appendRecordID(nil, r.Topic, r.Partition, r.Offset)) }

// IsWhole reports whether the whole value of a record is its document, in a format without fields.
func (d *Decoder) IsWhole() bool { return d.schema.Format != FormatJSON }

// CorrectedID returns the id under which the document at a source is learned: the one that the
// correction says, else that of its record, else the source itself. text is the record; nil if its
// topic does not hold it any more. The error is a *Reject.
func (d *Decoder) CorrectedID(c *Correction, source *Ref, text *record.Record) (string, error) {
	if c.ID != "" && ParsePlace(c.ID) == nil {
		return c.ID, nil
	}
	if text == nil {
		return source.String(), nil
	}
	var document Document
	if err := d.Document(text, &document); err != nil {
		return "", err
	}
	return strings.Clone(document.ID), nil
}

// CorrectionRecord returns the training record that says what a correction says of the document
// with that id. If text is nil the record has no document, and relabels or forgets the one of that
// id; else it has that of text: as a ref, or in a format without fields as a copy. The key is the
// id. Topic, partition and time are left to the writer. The error is a *Reject: that of the label
// or the id, or BadCorrection if the settings of the decoder leave no way to write it.
func (d *Decoder) CorrectionRecord(id string, c *Correction, text *record.Record) (record.Record, error) {
	rec := record.Record{Key: []byte(id)}
	if d.schema.IDHeader != "" {
		rec.Headers = append(rec.Headers, textHeader(d.schema.IDHeader, id))
	} else if d.schema.IDFromEvent && d.schema.Format != FormatJSON {
		rec.Headers = append(rec.Headers, textHeader(ceID, id))
	}
	if d.schema.LabelHeader != "" && !c.Forget {
		rec.Headers = append(rec.Headers, textHeader(d.schema.LabelHeader, c.Label))
	}
	if d.schema.WeightHeader != "" && c.Weight > 0 && !c.Forget {
		rec.Headers = append(rec.Headers, textHeader(d.schema.WeightHeader, strconv.FormatInt(c.Weight, 10)))
	}
	if d.schema.ByHeader != "" && c.By != "" && !c.Forget {
		rec.Headers = append(rec.Headers, textHeader(d.schema.ByHeader, c.By))
	}
	switch {
	case d.schema.Format == FormatJSON:
		rec.Value = d.correctionJSON(id, c, text)
	case c.Forget:
	case text == nil || text.Value == nil: // a record without a value forgets
		return rec, Rejectf(BadCorrection, "the record must hold the whole document %s, and its text is not there",
			show([]byte(id)))
	default:
		rec.Value = text.Value
		if isStructured(text.Headers) {
			rec.Headers = append(rec.Headers, textHeader(contentType, structuredEvent))
		}
	}
	return rec, d.checkCorrection(&rec, id, c)
}

// correctionJSON returns the value of the record of a correction, with the fields that the headers
// do not replace.
func (d *Decoder) correctionJSON(id string, c *Correction, text *record.Record) []byte {
	members := map[string]any{}
	if d.schema.IDHeader == "" && !d.schema.IDFromKey {
		put(members, d.schema.IDField, id)
	}
	if !c.Forget && text != nil {
		put(members, "ref", map[string]any{"topic": text.Topic, "partition": text.Partition, "offset": text.Offset})
	}
	if c.Weight > 0 && !c.Forget && d.schema.WeightHeader == "" {
		put(members, d.schema.WeightField, c.Weight)
	}
	if c.By != "" && !c.Forget && d.schema.ByHeader == "" && d.schema.ByField != "" {
		put(members, d.schema.ByField, c.By)
	}
	switch {
	case c.Forget:
		put(members, d.schema.LabelField, nil)
	case d.schema.LabelHeader == "":
		put(members, d.schema.LabelField, c.Label)
	}
	value, _ := json.Marshal(members) // plain data
	return value
}

// put sets the member at a path of an object. An index of an array names a member, as readers take
// it.
func put(object map[string]any, path string, value any) {
	names := jsonread.SplitPath(path)
	last := len(names) - 1
	for _, name := range names[:last] {
		if object[name] == nil {
			object[name] = map[string]any{}
		}
		inside, isObject := object[name].(map[string]any)
		if !isObject {
			return // checkCorrection refuses what lacks it
		}
		object = inside
	}
	object[names[last]] = value
}

// checkCorrection reads the record as ingest will.
func (d *Decoder) checkCorrection(rec *record.Record, id string, c *Correction) error {
	var t Training
	err := d.Training(rec, &t)
	var reject *Reject
	lacks := errors.As(err, &reject) && slices.Contains([]Reason{NoLabel, NoText, NothingFound}, reject.Reason)
	if err != nil && !lacks {
		return err
	}
	if lacks || t.ID != id || (t.Kind == Forget) != c.Forget || t.Label != c.Label {
		return Rejectf(BadCorrection, "no record can be written that ingest reads as one: the fields of its id and its "+
			"label are one field, or one is inside the other")
	}
	return nil
}

// BodyPrior returns the "prior" of an HTTP body that Decoder.Body has accepted as JSON:
// probabilities of the classes before this document, which replace the model's prior, such as the
// posterior of an earlier step. They need not sum to 1. Nil means that the body has none. The error
// is a *Reject.
func BodyPrior(body []byte) (map[string]float64, error) {
	var r jsonread.Reader
	field := r.Member(body, "prior")
	if field.IsAbsent() {
		return nil, nil
	}
	if !field.IsObject() {
		return nil, Rejectf(BadPrior, "field \"prior\" is %s; want an object like {\"spam\": 0.2, \"ham\": 0.8}",
			shown(field))
	}
	prior := map[string]float64{}
	for r.Reset(field); r.Next(); {
		p, err := strconv.ParseFloat(string(r.Value()), 64)
		if err != nil || !(p > 0) {
			return nil, Rejectf(BadPrior, "the prior of class %s is %s; want a number above 0", show(r.Name()), shown(r.Value()))
		}
		if _, again := prior[string(r.Name())]; !again {
			prior[string(r.Name())] = p
		}
	}
	if len(prior) == 0 {
		return nil, Rejectf(BadPrior, "field \"prior\" names no class")
	}
	return prior, nil
}

// CheckPrior refuses a prior of a class that the model does not have, because a misspelt name would
// change the posterior of the others. The error is a *Reject.
func CheckPrior(prior map[string]float64, classes []string) error {
	for _, class := range slices.Sorted(maps.Keys(prior)) {
		if slices.Contains(classes, class) {
			continue
		}
		if len(classes) > maxListed {
			return Rejectf(BadPrior, "the model has no class %s; it has %d, like %q", show(class), len(classes),
				classes[:maxListed])
		}
		return Rejectf(BadPrior, "the model has no class %s; it has %q", show(class), classes)
	}
	return nil
}

// maxListed is how many classes a sentence names.
const maxListed = 20

// Headers of a record that ingest has forwarded to the partition that holds its document.
const (
	ForwardedTo    = "bayestream-forwarded"       // topic/partition/offset of a record of the document
	ForwardedFrom  = "bayestream-forwarded-from"  // topic/partition/offset of the record that was forwarded
	ForwardedTopic = "bayestream-forwarded-topic" // id of the topic that both were in, where brokers have one
)

// Forward is what the headers of a forwarded record say.
type Forward struct {
	// the record that put the document into the ledger of its partition, or for a forget the one that
	// has its text
	To      Ref
	From    Ref    // the record that was forwarded
	TopicID string // of the topic that both are in; "": not known
}

// Record returns the record to write to the partition that holds the document: it says what rec
// does. Topic, partition and time are left to the writer.
func (f *Forward) Record(rec *record.Record) record.Record {
	headers := append(slices.Clip(rec.Headers), textHeader(ForwardedTo, f.To.String()),
		textHeader(ForwardedFrom, f.From.String()))
	if f.TopicID != "" {
		headers = append(headers, textHeader(ForwardedTopic, f.TopicID))
	}
	return record.Record{Key: rec.Key, Value: rec.Value, Headers: headers}
}

// ReadForward reads the headers of a forwarded record; false: it was not forwarded. A header that
// cannot be read names no record.
func ReadForward(rec *record.Record) (f Forward, forwarded bool) {
	to, forwarded := lastHeader(rec.Headers, ForwardedTo)
	if !forwarded {
		return f, false
	}
	from, _ := lastHeader(rec.Headers, ForwardedFrom)
	id, _ := lastHeader(rec.Headers, ForwardedTopic)
	return Forward{To: placeOr(to, nowhere), From: placeOr(from, nowhere), TopicID: string(id)}, true
}

// nowhere is the place of no record.
var nowhere = Ref{Partition: -1, Offset: -1}

// placeOr returns the place that a text names, else another one.
func placeOr(text []byte, other Ref) Ref {
	if place := ParsePlace(string(text)); place != nil {
		return *place
	}
	return other
}
