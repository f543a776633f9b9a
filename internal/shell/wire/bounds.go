package wire

import (
	"bytes"
	"unicode/utf8"

	"bayestream/internal/counts"
)

// What all formats check alike. The detail of a Reject is the end of a sentence, to which At adds
// the place.

// At returns the reject of a value at a place.
func (r *Reject) At(where any) *Reject { return Rejectf(r.Reason, "%s %s", where, r.Detail) }

// CheckID refuses an id that is out of bounds.
func CheckID(id []byte) *Reject {
	switch {
	case len(id) == 0:
		return Rejectf(BadID, "is empty")
	case len(id) > maxIDBytes:
		return Rejectf(BadID, "has %d bytes, the limit is %d", len(id), maxIDBytes)
	case !utf8.Valid(id):
		return Rejectf(InvalidUTF8, "%s is not UTF-8", show(id))
	}
	return nil
}

// CheckLabel returns a label without the space around it. It refuses one that is out of bounds, or
// that is no class. A nil isClass is true of all.
func CheckLabel(label []byte, isClass func(name []byte) bool) ([]byte, *Reject) {
	label = bytes.TrimSpace(label)
	err := counts.CheckClass(view(label))
	switch {
	case !utf8.Valid(label):
		return nil, Rejectf(InvalidUTF8, "is %s, which is not UTF-8", show(label))
	case err != nil:
		return nil, Rejectf(BadLabel, "%v", err)
	case isClass != nil && !isClass(label):
		return nil, Rejectf(UnknownClass, "is %s, which is not among the spec's classes", show(label))
	}
	return label, nil
}

// CheckCategory returns a category without the space around it, and refuses one that is out of
// bounds. An empty one is not.
func CheckCategory(text []byte) ([]byte, *Reject) {
	text = bytes.TrimSpace(text)
	if len(text) > maxCategoryBytes {
		return nil, Rejectf(BadCategory, "has %d bytes, the limit is %d", len(text), maxCategoryBytes)
	}
	if err := counts.CheckTerm(text); err != nil && len(text) > 0 {
		return nil, Rejectf(BadCategory, "%v", err)
	}
	return text, nil
}
