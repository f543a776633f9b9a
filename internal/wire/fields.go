package wire

import (
	"bytes"
	"unicode/utf8"

	"bayestream/internal/wire/jsonread"
)

// The fields of a record, by place in fields.
const (
	slotText = iota
	slotLabel
	slotID
	slotWeight
	slotRef
	slotNumbers
	slotCategories
	slotCount
)

// fields are the values of a record's fields, by slot.
type fields [slotCount]jsonread.Value

// A slot is a field to find, and its place in fields.
type slot struct {
	name string
	at   int
}

// newSlots returns the fields that a Schema has use for: those with a plain name, which are found while the object is
// read, and those with a path, which are looked up in it.
func newSlots(s Schema) (plain, paths []slot) {
	named := []slot{{s.LabelField, slotLabel}, {s.IDField, slotID}}
	if s.HasText {
		named = append(named, slot{s.TextField, slotText})
	}
	for _, field := range named {
		if isPath(field.name) {
			paths = append(paths, field)
		} else {
			plain = append(plain, field)
		}
	}
	plain = append(plain, slot{"weight", slotWeight}, slot{"ref", slotRef})
	if len(s.NumberFields) > 0 {
		plain = append(plain, slot{"numbers", slotNumbers})
	}
	if len(s.CategoryFields) > 0 {
		plain = append(plain, slot{"categories", slotCategories})
	}
	return plain, paths
}

// pick finds the fields of a value. ok is false if the value is not one JSON object in UTF-8.
func (d *Decoder) pick(value []byte, sc *scratch, found *fields) (ok bool) {
	object := &sc.reader
	for object.Reset(value); object.Next(); {
		name := object.Name()
		for i := range d.plain {
			field := &d.plain[i]
			if string(name) == field.name && found[field.at].IsMissing() {
				found[field.at] = object.Value()
			}
		}
	}
	if object.Err() != nil || !utf8.Valid(value) {
		return false
	}
	for _, field := range d.paths {
		found[field.at] = jsonread.LookUp(value, field.name)
	}
	return true
}

// pickFeatures passes the members of an object that the spec names to read, each name once, with its place in the spec.
func (sc *scratch) pickFeatures(object jsonread.Value, places map[string]int, read func(i int, value jsonread.Value) error) error {
	seen := sc.unseen(len(places))
	for sc.reader.Reset(object); sc.reader.Next(); {
		i, wanted := places[string(sc.reader.Name())]
		if !wanted || seen[i] {
			continue
		}
		seen[i] = true
		if err := read(i, sc.reader.Value()); err != nil {
			return err
		}
	}
	return nil // the object is a part of a valid one
}

// notObject says why pick refused a value.
func notObject(value []byte) *Reject {
	at := invalidUTF8(value)
	switch {
	case at >= 0:
		return Rejectf(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	case tooDeep(value):
		return Rejectf(NotJSON, "the value nests deeper than %d levels", jsonread.MaxDepth)
	case !jsonread.Valid(value):
		return Rejectf(NotJSON, "the value %s is not valid JSON", show(value))
	}
	v := jsonread.Value(bytes.TrimSpace(value))
	return Rejectf(NotJSON, "the value %s is %s", shown(v), v.Kind())
}

// tooDeep reports whether a value nests deeper than jsonread.MaxDepth, valid or not.
func tooDeep(value []byte) bool {
	depth := 0
	inString := false
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
			if depth > jsonread.MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}
