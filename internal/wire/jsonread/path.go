package jsonread

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// LookUp returns the value at a path in gjson's syntax, which users write into their settings and jsontext does not
// have. The object must be valid. The result of a modifier need not be JSON; then the value is missing.
func LookUp(object []byte, path string) Value {
	found := bytes.TrimSpace([]byte(gjson.GetBytes(object, path).Raw))
	if !Valid(found) {
		return nil
	}
	return found
}
