package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/experiment"
)

// at returns the log odds at a point.
func (q conic) at(x, y float64) float64 { return q.a*x*x + q.b*x*y + q.c*y*y + q.d*x + q.e*y + q.f }

// grid evaluates classes over a plane as a model of them does.
func grid(classes []experiment.PlaneClass, from, to [2]float64) *experiment.Plane {
	p := &experiment.Plane{Fields: [2]string{"u", "v"}, Likelihood: "qda", Classes: classes, From: from, To: to, Columns: PlaneColumns, Rows: PlaneRows}
	p.Score = make([][]float64, len(classes))
	for row := range p.Rows {
		for column := range p.Columns {
			x, y := p.At(column, row)
			best := 0
			for k := range classes {
				p.Score[k] = append(p.Score[k], logJoint(&classes[k]).at(x, y))
				if logJoint(&classes[k]).at(x, y) > logJoint(&classes[best]).at(x, y) {
					best = k
				}
			}
			p.Label = append(p.Label, best)
		}
	}
	for k := range classes {
		for i := range 10 {
			p.Points = append(p.Points, experiment.PlanePoint{X: classes[k].Mean[0] + float64(i)/10, Y: classes[k].Mean[1], Class: k, Right: i > 0})
		}
	}
	return p
}

func normal(name string, x, y, xx, xy, yy float64) experiment.PlaneClass {
	return experiment.PlaneClass{Name: name, Documents: 10, LogPrior: math.Log(0.3), Mean: [2]float64{x, y}, Covariance: [2][2]float64{{xx, xy}, {xy, yy}}}
}

func planeOf(p *experiment.Plane) *chart {
	return newChart("", "", "", "", axis{from: p.From[0], to: p.To[0]}, axis{from: p.From[1], to: p.To[1]})
}

// ends returns how many segments end at each place.
func ends(boundary []segment) map[point]int {
	out := map[point]int{}
	for _, s := range boundary {
		out[s.from]++
		out[s.to]++
	}
	return out
}

// With one covariance the boundary is one straight line, from edge to edge, on which the log odds
// are 0.
func TestBoundaryOfOneCovarianceIsALine(t *testing.T) {
	a := normal("a", 1, 1, 1, 0.5, 2)
	b := normal("b", 3, 5, 1, 0.5, 2)
	p := grid([]experiment.PlaneClass{a, b}, [2]float64{-3, -4}, [2]float64{8, 9})
	c := planeOf(p)
	q := logOdds(&a, &b).exact(11, 13)
	if q.kind() != "straight line" || q.a != 0 || q.b != 0 || q.c != 0 {
		t.Errorf("the boundary is a %s: %s", q.kind(), q)
	}
	for at, n := range ends(boundary(c, p, 0, 1)) {
		if odds := q.at(c.X.back(at.x), c.Y.back(at.y)); math.Abs(odds) > 1e-6 {
			t.Errorf("at %v the log odds are %v", at, odds)
		}
		if d := min(at.x-c.X.Begin, c.X.End-at.x, at.y-c.Y.End, c.Y.Begin-at.y); (n == 1) != (math.Abs(d) < 1e-6) {
			t.Errorf("at %v, %v from an edge, %d segments end", at, d, n)
		}
	}
}

// Boundaries of different covariances are conics of the right kind, closed where they are.
func TestBoundariesAreConics(t *testing.T) {
	wide := normal("wide", 0, 0, 9, 0, 9)
	for _, c := range []struct {
		with experiment.PlaneClass
		kind string
	}{
		{normal("narrow", 0.5, 0, 1, 0.2, 1), "ellipse"},
		{normal("crossed", 0, 0.5, 1, 0, 30), "hyperbola"},
		{normal("along", 0, 2, 9, 0, 1), "parabola"},
	} {
		p := grid([]experiment.PlaneClass{wide, c.with}, [2]float64{-8, -8}, [2]float64{8, 8})
		q := logOdds(&wide, &c.with).exact(16, 16)
		if c.kind == "parabola" { // y² and no x², but no x either: two parallel lines
			if q.a != 0 || q.b != 0 || q.c == 0 {
				t.Errorf("%s: got %s", c.with.Name, q)
			}
		} else if q.kind() != c.kind {
			t.Errorf("%s: the boundary is called %s: %s", c.with.Name, q.kind(), q)
		}
		plane := planeOf(p)
		closed := true
		for at, n := range ends(boundary(plane, p, 0, 1)) {
			closed = closed && n == 2
			x, y := plane.X.back(at.x), plane.Y.back(at.y)
			slope := math.Hypot(2*q.a*x+q.b*y+q.d, q.b*x+2*q.c*y+q.e)
			if off := math.Abs(q.at(x, y)) / slope; off > 0.02 { // of 16: a third of a unit of the picture
				t.Errorf("%s: (%v, %v) is %v off the conic", c.with.Name, x, y, off)
			}
		}
		if closed != (c.kind == "ellipse") {
			t.Errorf("%s: closed: %v", c.with.Name, closed)
		}
	}
}

// Three regions meet in one point, at which their boundaries end.
func TestBoundariesEndWhereThreeMeet(t *testing.T) {
	classes := []experiment.PlaneClass{normal("a", 0, 0, 1, 0, 1), normal("b", 4, 0, 1, 0, 1), normal("c", 2, 4, 1, 0, 1)}
	p := grid(classes, [2]float64{-2, -2}, [2]float64{6, 6})
	c := planeOf(p)
	meet := point{c.X.at(2), c.Y.at(1.5)} // as far from all three means
	for _, pair := range neighbours(p) {
		nearest := math.Inf(1)
		for at, n := range ends(boundary(c, p, pair[0], pair[1])) {
			if n%2 == 1 { // a segment may have no length
				nearest = min(nearest, math.Hypot(at.x-meet.x, at.y-meet.y))
			}
		}
		if nearest > 1 {
			t.Errorf("%v: the boundary ends %v from where three meet", pair, nearest)
		}
	}
}

var numbers = regexp.MustCompile(`-?[0-9.]+`)

// The points of an ellipse have its Mahalanobis distance.
func TestEllipse(t *testing.T) {
	k := normal("a", 2, 3, 4, 1.2, 1)
	p := grid([]experiment.PlaneClass{k}, [2]float64{-5, -5}, [2]float64{9, 9})
	c := planeOf(p)
	for _, distance := range []float64{1, 2} {
		path := c.ellipse(&k, distance)
		found := numbers.FindAllString(path, -1)
		if len(found) != 2+4*6 {
			t.Fatalf("%s has %d numbers, want four cubic curves", path, len(found))
		}
		for i := 0; i < len(found); i += 6 { // the ends of the curves lie on the ellipse
			px, _ := strconv.ParseFloat(found[i], 64)
			py, _ := strconv.ParseFloat(found[i+1], 64)
			x := c.X.back(px) - 2
			y := c.Y.back(py) - 3
			s := k.Covariance
			det := 4*1 - 1.2*1.2
			if d := math.Sqrt((s[1][1]*x*x - 2*s[0][1]*x*y + s[0][0]*y*y) / det); math.Abs(d-distance) > 0.02 {
				t.Errorf("%v sigma: (%v, %v) lies at %v", distance, x+2, y+3, d)
			}
		}
	}
}

// The regions cover the plane once, each with the colour of its class.
func TestRegionsFillThePlane(t *testing.T) {
	classes := []experiment.PlaneClass{normal("a", 0, 0, 1, 0, 1), normal("b", 4, 0, 3, 0, 1), normal("c", 2, 4, 1, 0.5, 1)}
	p := grid(classes, [2]float64{-2, -2}, [2]float64{6, 6})
	c := planeChart(p, "")
	area := 0.0
	run := regexp.MustCompile(`M([0-9.]+) ([0-9.]+)H([0-9.]+)V([0-9.]+)H`)
	for _, f := range c.Fills {
		for _, m := range run.FindAllStringSubmatch(f.Path, -1) {
			var v [4]float64
			for i := range v {
				v[i], _ = strconv.ParseFloat(m[i+1], 64)
			}
			area += (v[2] - v[0]) * math.Abs(v[3]-v[1])
		}
	}
	if whole := (c.X.End - c.X.Begin) * (c.Y.Begin - c.Y.End); len(c.Fills) != 3 || area < whole || area > 1.15*whole { // rows overlap by a tenth of a unit
		t.Errorf("%d regions cover %v of %v", len(c.Fills), area, whole)
	}
}

func TestPlaneChart(t *testing.T) {
	classes := []experiment.PlaneClass{normal("a", 0, 0, 1, 0, 1), normal("b", 4, 0, 3, 0, 1)}
	c := planeChart(grid(classes, [2]float64{-2, -2}, [2]float64{8, 3}), "")
	var legend []string
	for _, e := range c.Legend {
		legend = append(legend, e.Name+" "+e.Note)
	}
	if got, want := strings.Join(legend, "|"), "a 10 documents|b 10 documents|gets another label 2 of 20|boundary |1 σ |2 σ "; got != want {
		t.Errorf("the legend is %s, want %s", got, want)
	}
	if len(c.Labels) != 2 || len(c.More.Rows) != 1 || len(c.Data.Rows) != 2 {
		t.Errorf("%d names in regions, %d boundaries, %d classes; want 2, 1, 2", len(c.Labels), len(c.More.Rows), len(c.Data.Rows))
	}
	for _, l := range c.Labels {
		if p := grid(classes, [2]float64{-2, -2}, [2]float64{8, 3}); classes[labelAt(p, c, l)].Name != l.Text {
			t.Errorf("the name %s stands in the region of %s", l.Text, classes[labelAt(p, c, l)].Name)
		}
	}
}

func labelAt(p *experiment.Plane, c *chart, l label) int {
	column := int(math.Round((l.X - c.X.Begin) / (c.X.End - c.X.Begin) * float64(p.Columns-1)))
	row := int(math.Round((c.Y.Begin - l.Y) / (c.Y.Begin - c.Y.End) * float64(p.Rows-1)))
	return p.Label[row*p.Columns+column]
}

// Of more classes than colours the smallest ones are grey, and the legend says so.
func TestPlaneOfManyClasses(t *testing.T) {
	var classes []experiment.PlaneClass
	for i := range 20 {
		k := normal("class "+strings.Repeat("x", i), float64(i%5)*3, float64(i/5)*3, 1, 0, 1)
		k.Documents = int64(100 - i)
		classes = append(classes, k)
	}
	c := planeChart(grid(classes, [2]float64{-2, -2}, [2]float64{14, 11}), "")
	found := false
	for _, e := range c.Legend {
		found = found || e.Name == "12 smaller classes" && e.Fill == "region r8"
	}
	if !found || len(c.More.Rows) != maxEquations || !strings.Contains(c.More.Name, "the first 15 of ") {
		t.Errorf("legend %+v, %d equations, %s", c.Legend, len(c.More.Rows), c.More.Name)
	}
}

// Of too many documents an even sample is drawn; of too many wrong ones none has a ring, and the
// page says so.
func TestPlaneOfManyDocuments(t *testing.T) {
	p := grid([]experiment.PlaneClass{normal("a", 0, 0, 1, 0, 1), normal("b", 4, 0, 3, 0, 1)}, [2]float64{-2, -2}, [2]float64{8, 3})
	for range 100 {
		p.Points = append(p.Points, p.Points[:20]...)
	}
	c := planeChart(p, "")
	last := c.Marks[len(c.Marks)-1]
	if last.Class == "ring" || !strings.Contains(c.About, "Of 2,020 documents 1,500, evenly spaced in the file, are drawn.") {
		t.Errorf("%s is drawn last; %s", last.Class, c.About)
	}
	if n := strings.Count(c.Marks[0].Path, "M") + strings.Count(c.Marks[1].Path, "M"); n != maxPoints {
		t.Errorf("%d points are drawn, want %d", n, maxPoints)
	}
	found := false
	for _, e := range c.Legend {
		found = found || e.Note == "202 of 2,020, too many for rings"
	}
	if !found {
		t.Errorf("the legend does not say that rings are left out: %+v", c.Legend)
	}
}
