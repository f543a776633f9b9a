package wire

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Every number is written as strconv writes it.
func TestAppendShortestEqualsStrconv(t *testing.T) {
	check := func(f float64) {
		if got, want := string(appendNumber(nil, f)), reference(f); got != want {
			t.Fatalf("%b: got %s, want %s", f, got, want)
		}
	}
	both := func(f float64) {
		for range 3 { // and its neighbours
			check(f)
			check(-f)
			f = math.Nextafter(f, 0)
		}
		check(math.Nextafter(f, math.Inf(1)))
	}
	for e := -1074; e <= 1023; e++ {
		both(math.Ldexp(1, e))
		both(math.Ldexp(3, e))
	}
	for e := -323; e <= 308; e++ {
		ten := math.Pow10(e)
		for _, x := range []float64{1, 1.5, 2, 3, 5, 7, 9.5, 9.999999999999998} {
			both(x * ten)
		}
	}
	for i := range 2000 {
		both(float64(i) / 100)
		both(float64(i) / 1024)
		both(float64(1<<53 - i))
		both(float64(1<<53 + i))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		check(math.Float64frombits(r.Uint64()&(1<<52-1) | uint64(1003+r.IntN(90))<<52))
		check(math.Float64frombits(r.Uint64()))
		check(-math.Log(r.Float64()))
		check(math.Exp(-700 * r.Float64())) // a posterior
		check(float64(r.IntN(1_000_000)) / 1000)
	}
}

func FuzzAppendShortest(f *testing.F) {
	f.Add(0.1)
	f.Add(-123456.789)
	f.Fuzz(func(t *testing.T, x float64) {
		if got, want := appendNumber(nil, x), reference(x); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// reference is what JavaScript and encoding/json write.
func reference(f float64) string {
	switch abs := math.Abs(f); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "null"
	case abs == 0 || 1e-6 <= abs && abs < 1e21:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if n := len(s); s[n-2] == '0' && s[n-4] == 'e' {
		s = s[:n-2] + s[n-1:]
	}
	return s
}

func BenchmarkAppendNumber(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float64, 1024)
	for i := range numbers {
		numbers[i] = -math.Log(r.Float64())
	}
	var buf []byte
	for _, c := range []struct {
		name   string
		scale  float64
		format byte
	}{{"usual", 1, 'f'}, {"small", 1e-30, 'e'}} {
		b.Run(c.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				buf = appendNumber(buf[:0], c.scale*numbers[i%len(numbers)])
			}
		})
		b.Run(c.name+"-strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				buf = strconv.AppendFloat(buf[:0], c.scale*numbers[i%len(numbers)], c.format, -1, 64)
			}
		})
	}
}
