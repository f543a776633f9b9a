package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The plane of a chart, in units of the SVG.
const (
	width, height      = 400.0, 300.0
	right, top, bottom = 16.0, 10.0, 46.0
	letterWidth        = 9.0 // of a digit, at the larger of the font sizes
)

// colors is how many classes or curves have their own colour and mark or dash; the others share one
// grey.
const colors = 8

// chart is a picture over a plane. Fills lie below lines, lines below marks, marks below dots and
// labels.
type chart struct {
	ID, Title, About string
	Empty            string // the reason not to draw a picture
	Large            bool

	XLabel, YLabel string
	XTicks, YTicks []tick
	Fills          []shape
	Lines          []shape
	Marks          []shape
	Dots           []dot
	Labels         []label
	Legend         []entry
	Data           *table
	More           *table // equations

	X, Y axis
}

// shape is a path with the classes of its style.
type shape struct{ Class, Path string }

// dot is a point with an interval.
type dot struct {
	X, Y, R   float64
	Low, High float64 // of the interval
	Text      string
}

// label is text within the plane, centred on (X, Y).
type label struct {
	X, Y float64
	Text string
}

// entry explains a line, a mark or a fill.
type entry struct {
	Line, Fill string // classes of a line and of an area
	Mark       string // path around (13, 6)
	MarkClass  string
	Name, Note string
}

// table holds the numbers of a chart, for readers who cannot see it or want to check it.
type table struct {
	Name string
	Head []string
	Rows [][]string
}

// newChart returns an empty chart with ticks. A linear axis may have one number only.
func newChart(id, title, xLabel, yLabel string, x, y axis) *chart {
	y.Begin = height - bottom
	y.End = top
	c := &chart{ID: id, Title: title, XLabel: shorten(xLabel, 38), YLabel: shorten(yLabel, 28), Y: y, YTicks: y.ticks()}
	longest := 3
	for _, t := range c.YTicks {
		longest = max(longest, utf8.RuneCountInString(t.Text))
	}
	x.Begin = 30 + letterWidth*float64(longest)
	x.End = width - right
	c.X = x
	c.XTicks = x.ticks()
	for i := range c.XTicks {
		t := &c.XTicks[i]
		t.IsLast = t.At+letterWidth/2*float64(utf8.RuneCountInString(t.Text)) > width
	}
	return c
}

// noChart returns a chart without a picture, which says why it was not drawn; nil without a reason.
func noChart(id, title, why string) *chart {
	if why == "" {
		return nil
	}
	return &chart{ID: id, Title: title, Empty: why}
}

// Description describes the chart in words, for screen readers.
func (c *chart) Description() string {
	parts := []string{fmt.Sprintf("%s over %s.", c.YLabel, c.XLabel)}
	for _, e := range c.Legend {
		if e.Note != "" {
			parts = append(parts, e.Name+": "+e.Note+".")
		}
	}
	return strings.Join(parts, " ")
}

// pen writes a path of straight lines.
type pen struct{ strings.Builder }

// to draws a line to (x, y); the first call sets the start.
func (p *pen) to(x, y float64) {
	command := "L"
	if p.Len() == 0 {
		command = "M"
	}
	fmt.Fprintf(p, "%s%g %g", command, x, y)
}

// path draws a polyline. It leaves out points that are not numbers, and those too close to the one
// before to be seen.
func (c *chart) path(n int, point func(i int) (x, y float64)) string {
	var p pen
	lastX := math.Inf(-1)
	lastY := math.Inf(-1)
	for i := range n {
		x, y := point(i)
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		x = round(c.X.at(c.X.clamp(x)))
		y = round(c.Y.at(c.Y.clamp(y)))
		if p.Len() > 0 && i < n-1 && math.Abs(x-lastX)+math.Abs(y-lastY) < 0.4 {
			continue
		}
		p.to(x, y)
		lastX = x
		lastY = y
	}
	return p.String()
}

// line draws a straight line.
func (c *chart) line(x1, y1, x2, y2 float64) string {
	return fmt.Sprintf("M%g %gL%g %g", round(c.X.at(x1)), round(c.Y.at(y1)), round(c.X.at(x2)), round(c.Y.at(y2)))
}

// band draws the area between two curves over the same x.
func (c *chart) band(n int, point func(i int) (x, low, high float64)) string {
	var p pen
	for i := range 2 * n {
		x, _, y := point(min(i, 2*n-1-i))
		if i >= n {
			x, y, _ = point(2*n - 1 - i)
		}
		p.to(round(c.X.at(x)), round(c.Y.at(c.Y.clamp(y))))
	}
	return p.String() + "Z"
}

// outlines are the marks of classes and curves, around 0, of radius 1.
var outlines = [colors][][2]float64{
	nil, // a circle
	{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
	{{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}},
	{{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
	{{-0.4, -1.2}, {0.4, -1.2}, {0.4, -0.4}, {1.2, -0.4}, {1.2, 0.4}, {0.4, 0.4}, {0.4, 1.2}, {-0.4, 1.2}, {-0.4, 0.4},
		{-1.2, 0.4}, {-1.2, -0.4}, {-0.4, -0.4}},
	{{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}},
	{{0, -0.55}, {0.55, -1.1}, {1.1, -0.55}, {0.55, 0}, {1.1, 0.55}, {0.55, 1.1}, {0, 0.55}, {-0.55, 1.1}, {-1.1, 0.55},
		{-0.55, 0}, {-1.1, -0.55}, {-0.55, -1.1}},
	{{-0.3, -1.3}, {0.3, -1.3}, {0.3, 1.3}, {-0.3, 1.3}},
}

// mark draws the mark of the i-th class around (x, y); classes without a colour have a small
// circle.
func mark(i int, x, y, r float64) string {
	if i >= colors {
		i = 0
		r *= 0.6
	}
	if i == 0 {
		return fmt.Sprintf("M%g %ga%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z", round(x-r), round(y), round(r), round(r), round(2*r),
			round(r), round(r), round(-2*r))
	}
	var p pen
	for _, corner := range outlines[i] {
		p.to(round(x+r*corner[0]), round(y+r*corner[1]))
	}
	return p.String() + "z"
}

// keyMark is a mark in a legend.
func keyMark(i int) string { return mark(i, 13, 6, 4) }

// style returns the CSS classes of the i-th class or curve: "curve c2".
func style(name string, i int) string { return fmt.Sprintf("%s %s%d", name, name[:1], min(i, colors)) }

// shorten cuts a text that is longer than most letters; tables have the whole text.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// axis maps the numbers between its limits to the coordinates between Begin and End, linearly or by
// their logarithm.
type axis struct {
	from, to   float64
	Begin, End float64
	log        bool
}

// Middle is the coordinate in the middle.
func (a axis) Middle() float64 { return (a.Begin + a.End) / 2 }

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
		return a.Begin
	}
	return a.Begin + (v-from)/(to-from)*(a.End-a.Begin)
}

// back returns the number at a coordinate of a linear axis.
func (a axis) back(at float64) float64 { return a.from + (at-a.Begin)/(a.End-a.Begin)*(a.to-a.from) }

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
