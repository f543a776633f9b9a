package gaussian

import (
	"errors"
	"math"
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
	p := decimal{rest: b}
	if !p.scan() {
		return 0, ErrSyntax
	}
	return p.fixed(digits)
}

// decimal is a scanned number: its significant digits and the power of ten of the last of them.
type decimal struct {
	rest     []byte
	negative bool
	mantissa uint64 // the first 19 significant digits
	digits   int    // how many of them
	exponent int    // value = mantissa * 10^exponent, and what was cut
	next     byte   // the first digit that was cut off
	cut      bool   // a digit that is not zero was cut off after it
	isCut    bool   // next is set
}

func (p *decimal) scan() bool {
	if len(p.rest) > 0 && (p.rest[0] == '-' || p.rest[0] == '+') {
		p.negative = p.rest[0] == '-'
		p.rest = p.rest[1:]
	}
	whole := p.scanDigits(0)
	fraction := 0
	if len(p.rest) > 0 && p.rest[0] == '.' {
		p.rest = p.rest[1:]
		fraction = p.scanDigits(-1)
	}
	if whole+fraction == 0 {
		return false
	}
	return p.scanExponent() && len(p.rest) == 0
}

// scanDigits reads digits; step is what each does to the exponent: -1 after the point.
func (p *decimal) scanDigits(step int) (n int) {
	for len(p.rest) > 0 && p.rest[0] >= '0' && p.rest[0] <= '9' {
		d := p.rest[0] - '0'
		p.rest = p.rest[1:]
		n++
		switch {
		case p.digits == 19:
			p.cut = p.cut || p.isCut && d != 0
			if !p.isCut {
				p.next = d
				p.isCut = true
			}
			p.exponent += step + 1
			continue
		case p.mantissa > 0 || d > 0:
			p.mantissa = 10*p.mantissa + uint64(d)
			p.digits++
		}
		p.exponent += step
	}
	return n
}

func (p *decimal) scanExponent() bool {
	if len(p.rest) == 0 || p.rest[0]|0x20 != 'e' {
		return true
	}
	e, err := strconv.Atoi(string(p.rest[1:]))
	if err != nil || e > 1e6 || e < -1e6 {
		if errors.Is(err, strconv.ErrSyntax) {
			return false
		}
		e = 1e6 * sign(p.rest[1:])
	}
	p.rest = nil
	p.exponent += e
	return true
}

func sign(b []byte) int {
	if len(b) > 0 && b[0] == '-' {
		return -1
	}
	return 1
}

func (p *decimal) fixed(digits int) (int64, error) {
	if p.mantissa == 0 {
		return 0, nil
	}
	shift := p.exponent + digits
	m := p.mantissa
	for ; shift > 0; shift-- {
		if m > math.MaxInt64/10 {
			return 0, ErrRange
		}
		m *= 10
	}
	m = p.round(m, max(0, -shift))
	if m > math.MaxInt64 {
		return 0, ErrRange
	}
	if p.negative {
		return -int64(m), nil
	}
	return int64(m), nil
}

// round divides m by 10^n, half to even; digits that were cut off before decide as well.
func (p *decimal) round(m uint64, n int) uint64 {
	if n > 20 {
		return 0
	}
	half := uint64(p.next) // the digit after m
	sticky := p.cut        // any digit after half is not zero
	for ; n > 0; n-- {
		sticky = sticky || half != 0
		half = m % 10
		m /= 10
	}
	if half > 5 || half == 5 && (sticky || m&1 == 1) {
		m++
	}
	return m
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
