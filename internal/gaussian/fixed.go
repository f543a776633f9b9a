package gaussian

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Number is one numeric feature of a document: Value times the scale, or absent.
type Number struct {
	Value   int64
	Present bool
}

// DefaultDigits are the decimals of the default scale 1e-9.
const DefaultDigits = 9

// MaxDigits is the finest scale, 1e-15.
const MaxDigits = 15

var (
	// ErrSyntax says that a text is not a decimal number.
	ErrSyntax = errors.New("not a decimal number")
	// ErrRange says that a number times 10^digits does not fit 64 bits (|x| <= 9.2e9 at nine digits).
	ErrRange = errors.New("number out of range")
)

// ParseFixed reads a decimal number ("-12.5", "1e3", as JSON and CSV write them) as an integer
// multiple of 10^-digits, rounded half to even from the decimal digits themselves: no binary
// fraction comes between. NaN and infinities are ErrSyntax.
func ParseFixed(b []byte, digits int) (int64, error) {
	isNegative := len(b) > 0 && b[0] == '-'
	if isNegative || len(b) > 0 && b[0] == '+' {
		b = b[1:]
	}
	exponent := 0
	if at := slices.IndexFunc(b, func(c byte) bool { return c|0x20 == 'e' }); at >= 0 {
		e, err := strconv.Atoi(string(b[at+1:]))
		if errors.Is(err, strconv.ErrSyntax) {
			return 0, ErrSyntax
		}
		exponent = min(max(e, -maxExponent), maxExponent)
		b = b[:at]
	}
	whole, fraction, _ := bytes.Cut(b, []byte("."))
	if len(whole)+len(fraction) == 0 {
		return 0, ErrSyntax
	}
	r := rounded{left: len(whole) + exponent + digits}
	for _, part := range [...][]byte{whole, fraction} {
		for _, c := range part {
			if c < '0' || c > '9' {
				return 0, ErrSyntax
			}
			r.add(uint64(c - '0'))
		}
	}
	return r.value(isNegative)
}

// maxExponent bounds exponents: beyond it a number is 0 or out of range.
const maxExponent = 1e6

// rounded is a number of which one digit is read after the other.
type rounded struct {
	left     int // digits to come of the whole number; 0: the next one is the first that is rounded
	number   uint64
	first    uint64 // of the digits that are rounded
	hasMore  bool   // another of these is not 0
	isTooBig bool
}

func (r *rounded) add(digit uint64) {
	switch {
	case r.left > 0:
		r.isTooBig = r.isTooBig || r.number > math.MaxInt64/10
		r.number = 10*r.number + digit
	case r.left == 0:
		r.first = digit
	default:
		r.hasMore = r.hasMore || digit != 0
	}
	r.left--
}

// value returns the number, rounded half to even.
func (r *rounded) value(isNegative bool) (int64, error) {
	for r.left > 0 && r.number > 0 && !r.isTooBig {
		r.add(0)
	}
	if r.first > 5 || r.first == 5 && (r.hasMore || r.number%2 == 1) {
		r.number++
	}
	if r.isTooBig || r.number > math.MaxInt64 {
		return 0, ErrRange
	}
	if isNegative {
		return -int64(r.number), nil
	}
	return int64(r.number), nil
}

// Fixed returns x as a multiple of 10^-digits: its shortest decimal form, read by ParseFixed.
func Fixed(x float64, digits int) (int64, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, ErrSyntax
	}
	return ParseFixed(strconv.AppendFloat(nil, x, 'e', -1, 64), digits)
}

// Float returns the number that v stands for at a scale of 10^-digits.
func Float(v int64, digits int) float64 { return float64(v) / math.Pow10(digits) }

// FormatFixed returns the decimal digits of an integer multiple of 10^-digits, without zeros at the
// end: what ParseFixed reads as the same integer.
func FormatFixed(value int64, digits int) string {
	magnitude := uint64(value)
	sign := ""
	if value < 0 {
		magnitude = -magnitude
		sign = "-"
	}
	s := strconv.FormatUint(magnitude, 10)
	if missing := digits + 1 - len(s); missing > 0 {
		s = strings.Repeat("0", missing) + s
	}
	point := len(s) - digits
	return sign + strings.TrimSuffix(strings.TrimRight(s[:point]+"."+s[point:], "0"), ".")
}
