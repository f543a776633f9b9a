package schema

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"
)

// The first bytes of what names a schema.
const (
	magicID   = 0 // an id of 32 bits follows, big endian
	magicGUID = 1 // a GUID follows, in headers alone
)

const (
	idBytes   = 4
	guidBytes = 16
)

// schemaID names a schema in a registry: by its GUID, or by its id where that is zero.
type schemaID struct {
	id   uint32
	guid [guidBytes]byte
}

// String returns the id in decimal, or the GUID in its usual form.
func (k schemaID) String() string {
	if g := k.guid; g != [guidBytes]byte{} {
		return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
	}
	return strconv.FormatUint(uint64(k.id), 10)
}

// frame is what surrounds a value.
type frame struct {
	key     schemaID
	indexes []byte // which message of a Protobuf file it is; nil: the body begins with that
	body    []byte
}

// frameOf returns the frame of a record. ok is false if it names no schema. A header wins, the last
// one, unless it is null: as with the clients of registries.
func frameOf(rec *record.Record) (f frame, ok bool) {
	if rec.Value == nil {
		return f, false
	}
	var header []byte
	for i := range rec.Headers {
		if rec.Headers[i].Key == wire.SchemaHeader {
			header = rec.Headers[i].Value
		}
	}
	if header != nil {
		f.body = rec.Value
		f.key, f.indexes, ok = readKey(header, true)
		return f, ok
	}
	f.key, f.body, ok = readKey(rec.Value, false)
	return f, ok
}

// readKey reads the name of a schema, and returns the bytes behind it, which are never nil.
func readKey(b []byte, isHeader bool) (k schemaID, rest []byte, ok bool) {
	switch {
	case len(b) > idBytes && b[0] == magicID:
		k.id = binary.BigEndian.Uint32(b[1:])
		return k, b[1+idBytes:], true
	case isHeader && len(b) > guidBytes && b[0] == magicGUID:
		copy(k.guid[:], b[1:])
		return k, b[1+guidBytes:], true
	}
	return k, nil, false
}
