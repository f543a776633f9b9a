package schema

import (
	"fmt"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"
)

// reader reads the values that were written with one schema of a registry. It is immutable.
type reader struct {
	key     schemaID
	format  format
	refused *wire.Reject // not nil: every record is refused
	size    int          // of its text
}

// format reads the values of one schema.
type format interface {
	// json returns a body as JSON, which may be the body itself, or is appended to dst. indexes say which
	// message of a Protobuf file it is; nil: the body begins with that.
	json(dst, indexes, body []byte) ([]byte, error)
}

// mostJSON is the size of the largest value as JSON. Names of fields are written again in each
// record, so that it may be longer than the value.
const mostJSON = 8 << 20

// errLong says that a value is too large.
var errLong = fmt.Errorf("as JSON it has more than %d bytes", mostJSON)

// mostDepth is how deep values may nest.
const mostDepth = 128

// errDeep says that a value nests too deep.
var errDeep = fmt.Errorf("it nests deeper than %d levels", mostDepth)

// compile makes a schema ready for use. One that cannot be used refuses all records.
func compile(k schemaID, t *text) *reader {
	s := &reader{key: k, size: t.size()}
	err := t.unusable
	if err == nil {
		s.format, err = formatOf(t)
	}
	if err != nil {
		s.refused = wire.Rejectf(wire.UnknownSchema, "schema %s cannot be used: %v", k, err)
	}
	return s
}

// formatOf returns what reads the values of a schema.
func formatOf(t *text) (f format, err error) {
	defer refuse(&err)
	switch t.Type {
	case "AVRO":
		return newAvro(t)
	case "JSON":
		return plainJSON{}, nil
	case "PROTOBUF":
		return newProtobuf(t)
	}
	return nil, fmt.Errorf("its type is %q, want AVRO, JSON or PROTOBUF", t.Type)
}

// refuse, deferred, makes an error of a panic: libraries have them at some schemas and values.
func refuse(err *error) {
	//nolint:revive // its callers defer it
	if damage := recover(); damage != nil {
		*err = fmt.Errorf("it is damaged: %v", damage)
	}
}

// JSON implements record.Schema. The error is a *wire.Reject.
func (s *reader) JSON(rec *record.Record, dst []byte) (json, grown []byte, err error) {
	if s.refused != nil {
		return nil, dst, s.refused
	}
	f, _ := frameOf(rec)
	json, err = s.format.json(dst, f.indexes, f.body)
	if err != nil {
		return nil, dst, wire.Rejectf(wire.NotJSON, "the value does not fit schema %s: %v", s.key, err)
	}
	if _, isBody := s.format.(plainJSON); isBody {
		return json, dst, nil
	}
	return json, json, nil
}

// plainJSON reads values of a JSON Schema. It does not compare them with the schema, which the
// producer has done: what the spec names is looked for by its path, as in any JSON record.
type plainJSON struct{}

func (plainJSON) json(_, _, body []byte) ([]byte, error) { return body, nil }
