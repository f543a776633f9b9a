package report

import (
	"math"
	"strconv"
)

// axis maps numbers to a coordinate.
type axis struct {
	from, to, begin, end float64
	log                  bool
}

func (a axis) at(v float64) float64 {
	from, to := a.from, a.to
	if a.log {
		from, to, v = math.Log(from), math.Log(to), math.Log(v)
	}
	if to == from {
		return a.begin
	}
	return a.begin + (v-from)/(to-from)*(a.end-a.begin)
}

// back returns the number at a coordinate of a linear axis.
func (a axis) back(at float64) float64 { return a.from + (at-a.begin)/(a.end-a.begin)*(a.to-a.from) }

// clamp returns the number of the axis next to v.
func (a axis) clamp(v float64) float64 { return min(max(v, a.from), a.to) }

type tick struct {
	At     float64
	Text   string
	IsLast bool // centred, the text would reach beyond the picture
}

func (a axis) ticks() []tick {
	values := roundNumbers(a.from, a.to)
	if a.log {
		values = roundPowers(a.from, a.to)
	}
	out := make([]tick, len(values))
	for i, text := range tickTexts(values) {
		out[i] = tick{At: round(a.at(values[i])), Text: text}
	}
	return out
}

// roundNumbers returns round numbers from one number to another, four to nine of them.
func roundNumbers(from, to float64) []float64 {
	if !(to > from) {
		return []float64{from}
	}
	step := math.Pow10(int(math.Floor(math.Log10((to - from) / 4))))
	for _, m := range []float64{5, 2} {
		if (to-from)/(step*m) >= 4 {
			step *= m
			break
		}
	}
	var out []float64
	for i := math.Ceil(from/step - 1e-9); i*step <= to+1e-9*step; i++ {
		out = append(out, i*step+0) // + 0: no negative zero
	}
	return out
}

// roundPowers returns 1, 2 and 5 times powers of ten, of a longer axis 1 and 3 times, of a long one the powers
// alone: their numbers must not touch on a telephone.
func roundPowers(from, to float64) []float64 {
	mantissas := []float64{1, 2, 5}
	switch {
	case to > 3000*from:
		mantissas = []float64{1}
	case to > 150*from:
		mantissas = []float64{1, 3}
	}
	var out []float64
	for e := math.Floor(math.Log10(from)); e <= math.Log10(to); e++ {
		for _, m := range mantissas {
			if v := m * math.Pow(10, e); v >= from*(1-1e-9) && v <= to*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}

// tickTexts writes the numbers of an axis alike: all in thousands or millions where that loses nothing, else
// with as many decimals as the smallest step needs.
func tickTexts(values []float64) []string {
	largest, step := 0.0, math.Inf(1)
	for i, v := range values {
		largest = max(largest, math.Abs(v))
		if i > 0 {
			step = min(step, v-values[i-1])
		}
	}
	unit, sign := 1.0, ""
	switch {
	case largest >= 1e6 && step >= 1e5:
		unit, sign = 1e6, "M"
	case largest >= 1e4 && step >= 1e3:
		unit, sign = 1e3, "k"
	}
	decimals := 0
	if !math.IsInf(step, 1) {
		decimals = max(0, -int(math.Floor(math.Log10(step/unit)+1e-9)))
	}
	out := make([]string, len(values))
	for i, v := range values {
		switch {
		case v == 0:
			out[i] = "0"
		case largest >= 1e9 || decimals > 5:
			out[i] = strconv.FormatFloat(v, 'e', -1, 64)
			if digits := int(math.Floor(math.Log10(largest)-math.Log10(step)+1e-9)) + 1; step < largest {
				out[i] = strconv.FormatFloat(v, 'e', digits-1, 64)
			}
		default:
			out[i] = trimmed(strconv.FormatFloat(v/unit, 'f', decimals, 64)) + sign
		}
	}
	return out
}

// trimmed takes zeros off the end of a decimal fraction.
func trimmed(s string) string {
	point := -1
	for i := range s {
		if s[i] == '.' {
			point = i
		}
	}
	if point < 0 {
		return s
	}
	end := len(s)
	for end > point+1 && s[end-1] == '0' {
		end--
	}
	if end == point+1 {
		end = point
	}
	return s[:end]
}

func round(v float64) float64 { return math.Round(v*10)/10 + 0 }
