package bayestream

import (
	"encoding/json"
	"errors"
	"unicode/utf8"

	"bayestream/internal/wire"
)

// Document is one document. A field that the spec does not name is ignored, and one that the document does not have is
// missing: its block of the model abstains.
type Document struct {
	// ID is given back in the JSON of the decision, and seeds the choice between tied classes where the spec wants it
	// random. It may be empty.
	ID string
	// Text is the text, UTF-8. Where the spec counts the words of several fields apart, give the fields in Record instead.
	Text string
	// Numbers are the numeric features by field. They are kept to the decimal places of the spec.
	Numbers map[string]float64
	// Categories are the categorical features by field.
	Categories map[string]string
	// Record, if not nil, is the whole document as the value of a record, in the format of the spec: a JSON object, a
	// text, or a mail with its header. ID, Text, Numbers and Categories are ignored then.
	Record []byte
	// Weight is how often Learn and Unlearn count the document, at most 1000; 0 is once.
	Weight int
}

// DocumentError says why a document cannot be labelled or learned.
type DocumentError struct {
	// Reason is the word that the workers' metrics and dead letters have for it, such as "too_many_terms".
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

// body returns the document as a JSON object, so that there is one way from a document to its features, that of
// records. The error, of what has no JSON, is a *DocumentError.
func (d *Document) body() ([]byte, error) {
	valid := utf8.ValidString(d.ID) && utf8.ValidString(d.Text)
	for _, value := range d.Categories {
		valid = valid && utf8.ValidString(value)
	}
	if !valid { // JSON would hold U+FFFD in its place
		return nil, documentError(&wire.Reject{Reason: wire.InvalidUTF8, Detail: "convert the text, the id and the categories to UTF-8"})
	}
	value := struct {
		ID         string             `json:"id,omitempty"`
		Text       string             `json:"text"`
		Numbers    map[string]float64 `json:"numbers,omitempty"`
		Categories map[string]string  `json:"categories,omitempty"`
	}{d.ID, d.Text, d.Numbers, d.Categories}
	out, err := json.Marshal(value)
	if err != nil {
		return nil, &DocumentError{Reason: string(wire.BadNumber), Detail: "bad number: " + err.Error()}
	}
	return out, nil
}

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
