package jsonread

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a member of a Go value that Decode leaves as it stands, null included; nil if it is missing.
type Raw = jsontext.Value

// Decode reads one JSON value into the Go value that dst points to, as encoding/json/v2 does. A name that the Go value
// does not have is an error.
func Decode(value []byte, dst any) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(value), options...)
	if err := json.UnmarshalDecode(d, dst, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

// Valid reports whether value is one valid JSON value.
func Valid(value []byte) bool {
	return jsontext.Value(value).IsValid(options...)
}
