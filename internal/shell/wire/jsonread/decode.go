package jsonread

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads one JSON value into the Go value that dst points to, as encoding/json/v2 does. Names
// that the Go value does not have are left out.
func Decode(value []byte, dst any) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(value), options...)
	if err := json.UnmarshalDecode(d, dst); err != nil {
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
