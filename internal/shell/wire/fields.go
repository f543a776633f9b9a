package wire

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"bayestream/internal/shell/wire/jsonread"
)

// The members of a record that mean something in every record, by place in fields.
const (
	slotLabel = iota
	slotID
	slotWeight
	slotTime
	slotBy
	slotRef
	slotNumbers
	slotCategories
	slotCount
)

// fields are the values of a record's members, by place: those of the slots, then those that
// features are read from.
type fields []jsonread.Value

// A slot is a member to find, and its place in fields.
type slot struct {
	name string
	at   int
}

// A pathSlot is a member of an object within the record, and its place in fields.
type pathSlot struct {
	path jsonread.Path
	at   int
}

// pick finds the members of a value that the layout has use for. ok is false if the value is not
// one JSON object in UTF-8.
func (d *Decoder) pick(value []byte, l *layout, sc *scratch) (found fields, ok bool) {
	sc.fields = zeroed(sc.fields, l.places)
	found = sc.fields
	object := &sc.reader
	for object.Reset(value); object.Next(); {
		name := object.Name()
		isPlain := false
		for i := range l.plain {
			field := &l.plain[i]
			if string(name) == field.name {
				isPlain = true
				found.put(field.at, object.Value())
			}
		}
		if isPlain || l.members == nil {
			continue
		}
		if at, wanted := l.members[string(name)]; wanted {
			found.put(at, object.Value())
		}
	}
	if object.Err() != nil || !utf8.Valid(value) {
		return nil, false
	}
	for i := range d.paths {
		found[d.paths[i].at] = d.paths[i].path.Find(object, value)
	}
	return found, true
}

// put keeps the first value of a name that is there twice.
func (f fields) put(at int, value jsonread.Value) {
	if f[at].IsMissing() {
		f[at] = value
	}
}

// pickFeatures passes the members of the object of a name that the spec names to read, each name once,
// with its place in the spec. The reason is that of a value which is no object.
func (sc *scratch) pickFeatures(name string, object jsonread.Value, places map[string]int, reason Reason,
	read func(i int, value jsonread.Value) error) error {
	if len(places) == 0 || object.IsAbsent() {
		return nil
	}
	if !object.IsObject() {
		return Rejectf(reason, "field %q is %s, %s; want an object", name, shown(object), object.Kind())
	}
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

func notObject(value []byte) *Reject {
	at := invalidUTF8(value)
	switch {
	case len(value) > 5 && value[0] == 0:
		return Rejectf(NotJSON, "the value begins as a schema registry frames it, with a zero byte and the id %d of a "+
			"schema: name the registry (schema-registry of the cluster), or send plain JSON", binary.BigEndian.Uint32(value[1:]))
	case at >= 0:
		return Rejectf(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	case jsonread.IsTooDeep(value):
		return Rejectf(NotJSON, "the value nests deeper than %d levels", jsonread.MaxDepth)
	case !jsonread.Valid(value):
		return Rejectf(NotJSON, "the value %s is not valid JSON", show(value))
	}
	v := jsonread.Value(bytes.TrimSpace(value))
	return Rejectf(NotJSON, "the value %s is %s", shown(v), v.Kind())
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(b[at:]) {
		at += size
	}
	return at
}
