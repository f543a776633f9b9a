package shortfloat

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Every number is written as strconv writes it.
func TestAppendEqualsStrconv(t *testing.T) {
	check := func(f float64) {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return
		}
		if got, want := string(Append(nil, f)), string(appendPlain(nil, f)); got != want {
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
		both(1<<53 - float64(i))
		both(1<<53 + float64(i))
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

func FuzzAppend(f *testing.F) {
	f.Add(0.1)
	f.Add(-123456.789)
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Skip("not a finite number")
		}
		if got, want := string(Append(nil, x)), string(appendPlain(nil, x)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
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
				buf = Append(buf[:0], c.scale*numbers[i%len(numbers)])
			}
		})
		b.Run(c.name+"-strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				buf = strconv.AppendFloat(buf[:0], c.scale*numbers[i%len(numbers)], c.format, -1, 64)
			}
		})
	}
}
