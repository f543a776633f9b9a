package report

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// The plane of a chart, in units of the SVG.
const (
	width, height      = 400.0, 300.0
	right, top, bottom = 16.0, 10.0, 46.0
	letterWidth        = 9.0 // of a digit, at the larger of the font sizes
)

// colors is how many classes or curves can be told apart, by colour and by mark or dash; what stands beyond
// shares one grey.
const colors = 8

// chart is a picture over a plane. What is drawn later lies above.
type chart struct {
	ID, Title, About string
	Empty            string // why there is nothing to draw, instead of a picture
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

	x, y axis
}

// shape is a path with the classes of its style.
type shape struct{ Class, Path string }

type dot struct {
	X, Y, R   float64
	Low, High float64 // of the interval
	Text      string
}

// label is text within the plane, around its middle.
type label struct {
	X, Y float64
	Text string
}

// entry explains a line, a mark or a fill.
type entry struct {
	Line, Fill string // classes of a line and of a field
	Mark       string // path around (13, 6)
	MarkClass  string
	Name, Note string
}

// table has the numbers of a chart, for who does not see it or does not believe it.
type table struct {
	Name string
	Head []string
	Rows [][]string
}

// newChart returns an empty chart with ticks. The linear axes may run from one number to the same.
func newChart(id, title, xLabel, yLabel string, x, y axis) *chart {
	y.begin, y.end = height-bottom, top
	c := &chart{ID: id, Title: title, XLabel: shorten(xLabel, 38), YLabel: shorten(yLabel, 28), y: y, YTicks: y.ticks()}
	longest := 3
	for _, t := range c.YTicks {
		longest = max(longest, utf8.RuneCountInString(t.Text))
	}
	x.begin, x.end = 30+letterWidth*float64(longest), width-right
	c.x, c.XTicks = x, x.ticks()
	for i := range c.XTicks {
		t := &c.XTicks[i]
		t.IsLast = t.At+letterWidth/2*float64(utf8.RuneCountInString(t.Text)) > width
	}
	return c
}

// Left is where the plane begins.
func (c *chart) Left() float64 { return c.x.begin }

// Right is where the plane ends.
func (c *chart) Right() float64 { return c.x.end }

// Top is the upper edge of the plane.
func (c *chart) Top() float64 { return c.y.end }

// Bottom is the lower edge of the plane.
func (c *chart) Bottom() float64 { return c.y.begin }

// MiddleX is the middle of the plane from left to right.
func (c *chart) MiddleX() float64 { return (c.x.begin + c.x.end) / 2 }

// MiddleY is the middle of the plane from top to bottom.
func (c *chart) MiddleY() float64 { return (c.y.begin + c.y.end) / 2 }

// noChart stands where a chart cannot be drawn.
func noChart(id, title, why string) *chart { return &chart{ID: id, Title: title, Empty: why} }

// Description says what the chart shows, for who does not see it.
func (c *chart) Description() string {
	parts := []string{fmt.Sprintf("%s over %s.", c.YLabel, c.XLabel)}
	for _, e := range c.Legend {
		if e.Note != "" {
			parts = append(parts, e.Name+": "+e.Note+".")
		}
	}
	return strings.Join(parts, " ")
}

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
		px, py := round(c.x.at(c.x.clamp(x))), round(c.y.at(c.y.clamp(y)))
		if b.Len() > 0 && i < n-1 && math.Abs(px-lastX)+math.Abs(py-lastY) < 0.4 {
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

// band draws the field between two curves over the same places.
func (c *chart) band(n int, point func(i int) (x, low, high float64)) string {
	var b strings.Builder
	for i := range 2 * n {
		x, _, y := point(min(i, 2*n-1-i))
		if i >= n {
			x, y, _ = point(2*n - 1 - i)
		}
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%g %g", command, round(c.x.at(x)), round(c.y.at(c.y.clamp(y))))
	}
	return b.String() + "Z"
}

// outlines are the marks of classes and curves, around 0, of radius 1.
var outlines = [colors][][2]float64{
	nil, // a circle
	{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}},
	{{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}},
	{{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}},
	{{-0.4, -1.2}, {0.4, -1.2}, {0.4, -0.4}, {1.2, -0.4}, {1.2, 0.4}, {0.4, 0.4}, {0.4, 1.2}, {-0.4, 1.2}, {-0.4, 0.4}, {-1.2, 0.4}, {-1.2, -0.4}, {-0.4, -0.4}},
	{{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}},
	{{0, -0.55}, {0.55, -1.1}, {1.1, -0.55}, {0.55, 0}, {1.1, 0.55}, {0.55, 1.1}, {0, 0.55}, {-0.55, 1.1}, {-1.1, 0.55}, {-0.55, 0}, {-1.1, -0.55}, {-0.55, -1.1}},
	{{-0.3, -1.3}, {0.3, -1.3}, {0.3, 1.3}, {-0.3, 1.3}},
}

// mark draws the mark of the i-th class around a place; beyond the colours all are small circles.
func mark(i int, x, y, r float64) string {
	if i >= colors {
		i, r = 0, r*0.6
	}
	if i == 0 {
		return fmt.Sprintf("M%g %ga%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z", round(x-r), round(y), round(r), round(r), round(2*r), round(r), round(r), round(-2*r))
	}
	var b strings.Builder
	for j, p := range outlines[i] {
		command := "L"
		if j == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%g %g", command, round(x+r*p[0]), round(y+r*p[1]))
	}
	return b.String() + "z"
}

// keyMark is a mark in a legend.
func keyMark(i int) string { return mark(i, 13, 6, 4) }

func style(name string, i int) string { return fmt.Sprintf("%s %s%d", name, name[:1], min(i, colors)) }

// shorten cuts a text that is too long for its place; the whole stands in a table.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
