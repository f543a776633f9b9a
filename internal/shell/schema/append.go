package schema

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"bayestream/internal/shell/wire"
)

// appendBytes appends bytes as a JSON string: as a text if they are one in UTF-8, else in base64.
func appendBytes(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return wire.AppendString(dst, string(b))
	}
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), b)
	return append(dst, '"')
}

// appendFloat appends a number as short as its size allows. JSON has no word for one that is not a
// number: it is null, as what is missing.
func appendFloat(dst []byte, f float64, bits int) []byte {
	const small, large = 1e-6, 1e21 // as writers of JSON do
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case size != 0 && (size < small || size >= large):
		return strconv.AppendFloat(dst, f, 'e', -1, bits)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

// appendInteger appends an integer as what it means: a time in RFC 3339, or else a number.
func appendInteger(dst []byte, logical string, i int64) []byte {
	const day = 24 * 60 * 60
	at, layout := time.Time{}, time.RFC3339Nano
	switch logical {
	case "timestamp-millis":
		at = time.UnixMilli(i)
	case "timestamp-micros":
		at = time.UnixMicro(i)
	case "timestamp-nanos":
		at = time.Unix(0, i)
	case "date":
		at = time.Unix(i*day, 0)
		layout = time.DateOnly
	default:
		return strconv.AppendInt(dst, i, 10)
	}
	at = at.UTC()
	if at.Year() < 0 || at.Year() > 9999 {
		return strconv.AppendInt(dst, i, 10) // RFC 3339 has no such year
	}
	return append(at.AppendFormat(append(dst, '"'), layout), '"')
}

// mostDecimal bounds the bytes and the scale of a decimal: it takes time that grows with the square
// of its digits.
const mostDecimal = 128

// appendDecimal appends a decimal, an integer of bytes and a scale, without loss.
func appendDecimal(dst, b []byte, scale int) ([]byte, error) {
	if len(b) > mostDecimal || scale > mostDecimal {
		return dst, fmt.Errorf("a decimal has more than %d bytes or digits behind its point", mostDecimal)
	}
	i := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 { // the complement of two
		i.Sub(i, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return append(dst, new(big.Rat).SetFrac(i, one).FloatString(scale)...), nil
}
