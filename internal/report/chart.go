package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The plane of a chart, in units of the SVG.
const (
	width, height            = 440.0, 330.0
	left, right, top, bottom = 52.0, 14.0, 12.0, 44.0
)

// chart is a picture over a plane: curves, dots, and straight lines to compare with.
type chart struct {
	Title, About   string
	XLabel, YLabel string
	XTicks, YTicks []tick
	Curves         []curve
	Dots           []dot
	Reference      string // path of a dashed line

	x, y axis
}

// axis maps numbers to a coordinate.
type axis struct{ from, to, begin, end float64 }

func (a axis) at(v float64) float64 {
	if a.to == a.from {
		return a.begin
	}
	return a.begin + (v-a.from)/(a.to-a.from)*(a.end-a.begin)
}

type tick struct {
	At   float64
	Text string
}

type curve struct {
	Name, Note string
	Color      int
	Path       string
}

type dot struct {
	X, Y, R float64
	Text    string
}

// newChart returns an empty chart with ticks.
func newChart(title, xLabel, yLabel string, xTo, yFrom float64) *chart {
	c := &chart{
		Title: title, XLabel: xLabel, YLabel: yLabel,
		x: axis{0, xTo, left, width - right}, y: axis{yFrom, 1, height - bottom, top},
	}
	for _, v := range ticks(0, xTo) {
		c.XTicks = append(c.XTicks, tick{round(c.x.at(v)), short(v)})
	}
	for _, v := range ticks(yFrom, 1) {
		c.YTicks = append(c.YTicks, tick{round(c.y.at(v)), short(v)})
	}
	return c
}

// ticks returns round numbers between from and to, about five.
func ticks(from, to float64) []float64 {
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
	for i := math.Ceil(from/step - 1e-9); i*step <= to*(1+1e-9); i++ {
		out = append(out, i*step+0) // + 0: no negative zero
	}
	return out
}

// short writes a tick.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + "M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'g', 6, 64)
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// path draws a polyline; what lies closer to the point before than can be seen is left out, and so are
// points that are no numbers.
func (c *chart) path(n int, point func(i int) (x, y float64)) string {
	var b strings.Builder
	lastX, lastY := math.Inf(-1), math.Inf(-1)
	for i := range n {
		x, y := point(i)
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		px, py := round(c.x.at(x)), round(c.y.at(min(max(y, c.y.from), c.y.to)))
		if i > 0 && i < n-1 && math.Abs(px-lastX)+math.Abs(py-lastY) < 0.4 {
			continue
		}
		command := "L"
		if b.Len() == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%g %g", command, px, py)
		lastX, lastY = px, py
	}
	return b.String()
}

// line draws a straight line.
func (c *chart) line(x1, y1, x2, y2 float64) string {
	return fmt.Sprintf("M%g %gL%g %g", round(c.x.at(x1)), round(c.y.at(y1)), round(c.x.at(x2)), round(c.y.at(y2)))
}
