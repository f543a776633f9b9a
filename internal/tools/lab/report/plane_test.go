package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/experiment"
)

// logJoint returns ln P(class) + ln P(x, y | class) without the constant that all classes share.
func logJoint(k *experiment.PlaneClass, x, y float64) float64 {
	s := k.Covariance
	det := s[0][0]*s[1][1] - s[0][1]*s[1][0]
	u, v := x-k.Mean[0], y-k.Mean[1]
	return k.LogPrior - math.Log(det)/2 - (s[1][1]*u*u-2*s[0][1]*u*v+s[0][0]*v*v)/det/2
}

// grid evaluates classes over a plane as a model of them does.
func grid(classes []experiment.PlaneClass, from, to [2]float64) *experiment.Plane {
	p := &experiment.Plane{Fields: [2]string{"u", "v"}, Likelihood: "qda", Classes: classes, From: from, To: to, Columns: PlaneSize.Columns, Rows: PlaneSize.Rows}
	p.Score = make([][]float64, len(classes))
	for row := range p.Rows {
		for column := range p.Columns {
			x, y := p.At(column, row)
			best := 0
			for k := range classes {
				p.Score[k] = append(p.Score[k], logJoint(&classes[k], x, y))
				if logJoint(&classes[k], x, y) > logJoint(&classes[best], x, y) {
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
			x := c.x.back(px) - 2
			y := c.y.back(py) - 3
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
	if whole := (c.x.end - c.x.begin) * (c.y.begin - c.y.end); len(c.Fills) != 3 || area < whole || area > 1.15*whole { // rows overlap by a tenth of a unit
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
	if got, want := strings.Join(legend, "|"), "a 10 documents|b 10 documents|gets another label 2 of 20|1 σ |2 σ "; got != want {
		t.Errorf("the legend is %s, want %s", got, want)
	}
	if len(c.Data.Rows) != 2 || len(c.Fills) != 2 {
		t.Errorf("%d classes in the table and %d regions; want 2 of both", len(c.Data.Rows), len(c.Fills))
	}
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
	if !found {
		t.Errorf("legend %+v", c.Legend)
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
