package bayestream

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"bayestream/internal/shell/wire"
)

// Document is one document. A field that the spec does not name is ignored, and one that the
// document does not have is missing: its block of the model abstains.
type Document struct {
	// ID is given back in the JSON of the decision, and seeds the choice between tied classes where
	// the spec wants it random. It may be empty.
	ID string
	// Text is the text, UTF-8.
	Text string
	// Texts are the texts by field, for a spec that reads several. Text is ignored then.
	Texts map[string]string
	// Numbers are the numeric features by field. They are kept to the decimal places of the spec.
	Numbers map[string]float64
	// Categories are the categorical features by field.
	Categories map[string]string
	// Record, if not nil, is the whole document as the value of a record, in the format of the spec: a
	// JSON object, a text, or a mail with its header. Of the other fields only Weight counts then.
	Record []byte
	// Weight is how often Learn and Unlearn count the document, at most 1000; 0 is once.
	Weight int
}

// DocumentError says why a document cannot be labelled or learned.
type DocumentError struct {
	// Reason is the word that the workers' metrics and dead letters have for it, such as "bad_number".
	Reason string
	// Detail is the sentence.
	Detail string
}

// Error returns the sentence.
func (e *DocumentError) Error() string { return e.Detail }

// documentError returns err as a *DocumentError if it is about the document.
func documentError(err error) error {
	var reject *wire.Reject
	if errors.As(wire.AsReject(err), &reject) {
		return &DocumentError{Reason: string(reject.Reason), Detail: reject.Error()}
	}
	return err
}

// body returns the document as a JSON object, so that there is one way from a document to its
// features: through a record. fields are the text's in the spec, which may be counted apart.
// What has no JSON is a *DocumentError.
func (d *Document) body(fields []string, apart bool) ([]byte, error) {
	value := map[string]any{"numbers": d.Numbers, "categories": d.Categories}
	if d.ID != "" {
		value["id"] = d.ID
	}
	if err := d.checkNames(fields); err != nil {
		return nil, err
	}
	valid := utf8.ValidString(d.ID)
	for _, category := range d.Categories {
		valid = valid && utf8.ValidString(category)
	}
	switch {
	case d.Texts == nil && apart && d.Text != "":
		return nil, documentError(wire.Rejectf(wire.NoText, "the spec counts the words of the fields %q apart: set Texts",
			fields))
	case d.Texts == nil && !apart && len(fields) > 0:
		value[textKey(0)] = d.Text
		valid = valid && utf8.ValidString(d.Text)
	}
	for i, field := range fields {
		if text, ok := d.Texts[field]; ok {
			value[textKey(i)] = text
			valid = valid && utf8.ValidString(text)
		}
	}
	if !valid { // JSON would hold U+FFFD in its place
		return nil, documentError(&wire.Reject{Reason: wire.InvalidUTF8,
			Detail: "convert the text, the id and the categories to UTF-8"})
	}
	out, err := json.Marshal(value)
	if err != nil {
		return nil, &DocumentError{Reason: string(wire.BadNumber), Detail: "bad number: " + err.Error()}
	}
	return out, nil
}

// checkNames returns an error for texts of which none is of a field of the spec, and for a number
// that is none.
func (d *Document) checkNames(fields []string) error {
	named := slices.ContainsFunc(fields, func(field string) bool { _, ok := d.Texts[field]; return ok })
	if len(d.Texts) > 0 && len(fields) > 0 && !named {
		return documentError(wire.Rejectf(wire.NothingFound, "Texts has none of the fields of the spec: want %q", fields))
	}
	for name, x := range d.Numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return documentError(wire.Rejectf(wire.BadNumber, "field %q is %v: leave a number out that is missing", name, x))
		}
	}
	return nil
}

// textKey returns the member of body that holds the text of the i-th field. No field of a spec is
// called so.
func textKey(i int) string { return fmt.Sprint("text of field ", i) }

// weight returns how often the document counts.
func (d *Document) weight() (int64, error) {
	switch {
	case d.Weight == 0:
		return 1, nil
	case d.Weight < 0 || d.Weight > wire.MaxWeight:
		return 0, documentError(wire.Rejectf(wire.BadWeight, "%d: want 1 to %d, or 0 for once", d.Weight, wire.MaxWeight))
	}
	return int64(d.Weight), nil
}
