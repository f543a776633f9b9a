package gaussian_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"bayestream/internal/gaussian"
	"bayestream/internal/testing/alloctest"

	"pgregory.net/rapid"
)

func TestParseFixed(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
		err  error
	}{
		{"0", 0, nil}, {"-0", 0, nil}, {"1", 1e9, nil}, {"-12.5", -125e8, nil}, {"+3", 3e9, nil}, {"1e3", 1e12, nil}, {"1E-9", 1, nil},
		{"0.0000000005", 0, nil}, {"0.0000000015", 2, nil}, {"0.00000000050000000000000000000001", 1, nil}, {"-0.0000000015", -2, nil},
		{"0.00000000049999999999999999999999", 0, nil}, {"1234567890.1234567891", 1234567890123456789, nil}, {"1234567890.1234567895", 1234567890123456790, nil},
		{"1234567890.12345678949999", 1234567890123456789, nil}, {"00000000000000000000000000001.5", 15e8, nil}, {".5", 5e8, nil}, {"5.", 5e9, nil},
		{"9223372036.854775807", 9223372036854775807, nil}, {"9223372036.854775808", 0, gaussian.ErrRange}, {"1e10", 0, gaussian.ErrRange}, {"1e999999999999", 0, gaussian.ErrRange},
		{"1e-999999999999", 0, nil}, {"12345678901234567890123", 0, gaussian.ErrRange}, {"0e999999999", 0, nil},
		{"", 0, gaussian.ErrSyntax}, {"-", 0, gaussian.ErrSyntax}, {".", 0, gaussian.ErrSyntax}, {"NaN", 0, gaussian.ErrSyntax}, {"1e", 0, gaussian.ErrSyntax},
		{"1x", 0, gaussian.ErrSyntax}, {"0x10", 0, gaussian.ErrSyntax}, {"1 ", 0, gaussian.ErrSyntax}, {"inf", 0, gaussian.ErrSyntax},
	} {
		got, err := gaussian.ParseFixed([]byte(c.in), gaussian.DefaultDigits)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q: got %d, %v; want %d, %v", c.in, got, err, c.want, c.err)
		}
	}
}

// FuzzParseFixed compares with exact rational arithmetic.
func FuzzParseFixed(f *testing.F) {
	for _, s := range []string{"120.5", "-1e-9", "0.0000000005", "9223372036.854775807", "12345678901234567890.123e-12"} {
		f.Add(s, 9)
	}
	f.Fuzz(func(t *testing.T, s string, digits int) {
		if digits < 0 || digits > gaussian.MaxDigits || len(s) > 60 {
			return
		}
		var got int64
		var err error
		alloctest.Bound(t, len(s), func() { got, err = gaussian.ParseFixed([]byte(s), digits) })
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(s)
		if !ok {
			return // e.g. "1e-999999999" is 0 here and too much for big.Rat
		}
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
		diff := want.Sub(want, new(big.Rat).SetInt64(got))
		half := big.NewRat(1, 2)
		if c := diff.Abs(diff).Cmp(half); c > 0 || c == 0 && got%2 != 0 {
			t.Fatalf("%q at %d digits: got %d, off by %v", s, digits, got, diff)
		}
	})
}

func FuzzReadSums(f *testing.F) {
	s := gaussian.NewSums(2, true)
	s.Observe([]gaussian.Number{{Value: 5, Present: true}, {Value: -7, Present: true}}, 3)
	f.Add(s.AppendBytes(nil), 2, true)
	f.Fuzz(func(t *testing.T, b []byte, d int, full bool) {
		if d < 1 || d > 20 {
			return
		}
		var s *gaussian.Sums
		var err error
		alloctest.Bound(t, len(b), func() { s, err = gaussian.ReadSums(b, d, full) })
		if err != nil {
			return
		}
		again, err := gaussian.ReadSums(s.AppendBytes(nil), d, full)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(s) {
			t.Fatalf("got %v, %v; want %v", again, err, s)
		}
	})
}

// What FormatFixed writes is read as the same integer, and has no digit that says nothing.
func TestFormatFixed(t *testing.T) {
	for want, value := range map[string]int64{"0": 0, "-0.25": -25e7, "12": 12e9, "0.000000001": 1, "9223372036.854775807": math.MaxInt64, "-9223372036.854775808": math.MinInt64} {
		if got := gaussian.FormatFixed(value, 9); got != want {
			t.Errorf("%d is written %s, want %s", value, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value, digits := rapid.Int64Min(math.MinInt64+1).Draw(t, "value"), rapid.IntRange(0, gaussian.MaxDigits).Draw(t, "digits")
		text := gaussian.FormatFixed(value, digits)
		if got, err := gaussian.ParseFixed([]byte(text), digits); got != value || err != nil {
			t.Fatalf("%d is written %s, which is read as %d, %v", value, text, got, err)
		}
	})
}
