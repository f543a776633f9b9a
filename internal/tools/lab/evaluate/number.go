package evaluate

import (
	"encoding/json"
	"math"
	"strconv"
)

// Number is a float64 that JSON shows as null where it is not a number or infinite: scores that the
// documents do not define.
type Number float64

// undefined is a score that there are no documents for.
var undefined = Number(math.NaN())

// UnmarshalJSON reads what MarshalJSON wrote: null is not a number.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = undefined
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// MarshalJSON returns the shortest decimal that reads back as n, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) { // as encoding/json writes float64
		format = 'e'
	}
	b := strconv.AppendFloat(nil, f, format, -1, 64)
	if n := len(b); n >= 4 && string(b[n-4:n-1]) == "e-0" { // 1e-7, not 1e-07
		b = append(b[:n-2], b[n-1])
	}
	return b, nil
}
