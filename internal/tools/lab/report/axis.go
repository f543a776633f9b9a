package report

import (
	"math"
	"strconv"
	"strings"
)

// axis maps the numbers between its limits to the coordinates between begin and end, linearly or by
// their logarithm.
type axis struct {
	from, to, begin, end float64
	log                  bool
}

// at returns the coordinate of a number.
func (a axis) at(v float64) float64 {
	from := a.from
	to := a.to
	if a.log {
		from = math.Log(from)
		to = math.Log(to)
		v = math.Log(v)
	}
	if to == from {
		return a.begin
	}
	return a.begin + (v-from)/(to-from)*(a.end-a.begin)
}

// back returns the number at a coordinate of a linear axis.
func (a axis) back(at float64) float64 { return a.from + (at-a.begin)/(a.end-a.begin)*(a.to-a.from) }

// clamp returns the number of the axis that is nearest to v.
func (a axis) clamp(v float64) float64 { return min(max(v, a.from), a.to) }

// tick is a number that is written on an axis.
type tick struct {
	At     float64
	Text   string
	IsLast bool // the text ends at the tick: centred it would leave the picture
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

// roundNumbers returns four to nine round numbers between from and to.
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

// roundPowers returns 1, 2 and 5 times the powers of ten between from and to; for a longer axis 1
// and 3 times, for a very long one the powers alone. The texts must not touch on a small screen.
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

// tickTexts writes the numbers of an axis in one format: in thousands or millions if that loses no
// digit, else with as many decimals as the smallest step needs.
func tickTexts(values []float64) []string {
	largest := 0.0
	step := math.Inf(1)
	for i, v := range values {
		largest = max(largest, math.Abs(v))
		if i > 0 {
			step = min(step, v-values[i-1])
		}
	}
	unit := 1.0
	sign := ""
	switch {
	case largest >= 1e6 && step >= 1e5:
		unit = 1e6
		sign = "M"
	case largest >= 1e4 && step >= 1e3:
		unit = 1e3
		sign = "k"
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

// trimmed removes the zeros at the end of a decimal fraction.
func trimmed(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// round returns a coordinate with one decimal.
func round(v float64) float64 { return math.Round(v*10)/10 + 0 }
