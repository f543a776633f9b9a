package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/tools/lab/experiment"
)

const (
	planeID    = "regions"
	planeTitle = "Decision regions"
	// maxPoints is how many documents are drawn as points, and maxRings how many of them may have a
	// ring.
	maxPoints = 1500
	maxRings  = 120
)

// PlaneSize is the grid for decision regions: a row for each unit of the picture, since regions are
// drawn row by row.
var PlaneSize = experiment.PlaneSize{Columns: 111, Rows: int(height-top-bottom) + 1}

// planeChart draws the regions of a model of two numbers, with its ellipses and the documents
// that it learned; nil if it was not asked for.
func planeChart(p *experiment.Plane, why string) *chart {
	switch {
	case p == nil && why == "":
		return nil
	case p == nil:
		return noChart(planeID, planeTitle, why)
	}
	c := newChart(planeID, planeTitle, p.Fields[0], p.Fields[1], axis{from: p.From[0], to: p.To[0]},
		axis{from: p.From[1], to: p.To[1]})
	c.Large = true
	ranks := colorsOf(p)
	c.regions(p, ranks)
	drawn := c.points(p, ranks)
	for k := range p.Classes {
		for distance := 1; distance <= 2; distance++ {
			c.Lines = append(c.Lines, shape{fmt.Sprintf("sigma%d "+
				"%s", distance, style("curve", ranks[k])), c.ellipse(&p.Classes[k], float64(distance))})
		}
	}
	c.explain(p, ranks)
	c.About = planeAbout(p, drawn)
	c.Data = classTable(p)
	return c
}

// colorsOf returns the colour of each class: the classes with the most documents have their own.
func colorsOf(p *experiment.Plane) []int {
	order := make([]int, len(p.Classes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(p.Classes[b].Documents - p.Classes[a].Documents) })
	own := slices.Sorted(slices.Values(order[:min(len(order), colors)]))
	ranks := make([]int, len(p.Classes))
	for k := range ranks {
		ranks[k] = colors
		if i, ok := slices.BinarySearch(own, k); ok {
			ranks[k] = i
		}
	}
	return ranks
}

// regions fills the plane row by row.
func (c *chart) regions(p *experiment.Plane, ranks []int) {
	paths := make([]strings.Builder, len(p.Score))
	step := (c.y.begin - c.y.end) / float64(p.Rows-1)
	for row := range p.Rows {
		_, v := p.At(0, row)
		y := c.y.at(v)
		from := max(y-step/2-0.05, c.y.end)
		to := min(y+step/2+0.05, c.y.begin)
		begin := c.x.begin
		for column := range p.Columns {
			k := p.Label[row*p.Columns+column]
			end := c.x.end
			if column+1 < p.Columns {
				if k == p.Label[row*p.Columns+column+1] {
					continue
				}
				end = c.meeting(p, column, row)
			}
			fmt.Fprintf(&paths[k], "M%g %gH%gV%gH%gz", round(begin), from, round(end), to, round(begin))
			begin = end
		}
	}
	for k := range paths {
		if paths[k].Len() == 0 {
			continue
		}
		class := "region unsure"
		if k < len(p.Classes) {
			class = style("region", ranks[k])
		}
		c.Fills = append(c.Fills, shape{class, paths[k].String()})
	}
}

// meeting returns the coordinate between a column and the next at which the scores of their regions
// are equal.
func (c *chart) meeting(p *experiment.Plane, column, row int) float64 {
	i := row*p.Columns + column
	a := p.Score[p.Label[i]]
	b := p.Score[p.Label[i+1]]
	d0 := a[i] - b[i]
	d1 := a[i+1] - b[i+1]
	t := 0.5
	if d0 > d1 {
		t = min(max(d0/(d0-d1), 0), 1)
	}
	x0, _ := p.At(column, row)
	x1, _ := p.At(column+1, row)
	return c.x.at(x0 + t*(x1-x0))
}

// points draws documents and returns how many. Those in the region of another class have a ring,
// unless they are too many.
func (c *chart) points(p *experiment.Plane, ranks []int) int {
	n := min(len(p.Points), maxPoints)
	marks := make([]strings.Builder, len(p.Classes))
	var rings strings.Builder
	for i := range n {
		x := &p.Points[i*len(p.Points)/n]
		atX, atY := c.x.at(x.X), c.y.at(x.Y)
		marks[x.Class].WriteString(mark(ranks[x.Class], atX, atY, 2.4))
		if !x.Right {
			rings.WriteString(mark(0, atX, atY, 4.4))
		}
	}
	for k := range marks {
		if marks[k].Len() > 0 {
			c.Marks = append(c.Marks, shape{style("mark", ranks[k]), marks[k].String()})
		}
	}
	if rings.Len() > 0 && wrong(p) <= maxRings {
		c.Marks = append(c.Marks, shape{"ring", rings.String()})
	}
	return n
}

// wrong returns how many documents get another label than theirs.
func wrong(p *experiment.Plane) int {
	n := 0
	for _, x := range p.Points {
		if !x.Right {
			n++
		}
	}
	return n
}

// explain writes the legend.
func (c *chart) explain(p *experiment.Plane, ranks []int) {
	rest := 0
	for k, class := range p.Classes {
		if ranks[k] == colors {
			rest++
			continue
		}
		c.Legend = append(c.Legend, entry{
			Fill: style("region", ranks[k]), Mark: keyMark(ranks[k]), MarkClass: style("mark", ranks[k]),
			Name: class.Name, Note: thousands(class.Documents) + " documents",
		})
	}
	if rest > 0 {
		c.Legend = append(c.Legend, entry{Fill: style("region", colors), Mark: keyMark(colors), MarkClass: style("mark",
			colors), Name: fmt.Sprintf("%d smaller classes", rest)})
	}
	if p.HasReject {
		c.Legend = append(c.Legend, entry{Fill: "region unsure", Name: "unsure", Note: "no decision costs less"})
	}
	other := entry{
		Mark: mark(0, 13, 6, 4.6), MarkClass: "ring", Name: "gets another label",
		Note: fmt.Sprintf("%s of %s", thousands(int64(wrong(p))), thousands(int64(len(p.Points)))),
	}
	if wrong(p) > maxRings {
		other.Mark = ""
		other.Note += ", too many for rings"
	}
	c.Legend = append(c.Legend, other, entry{Line: "sigma1 sigma", Name: "1 σ"},
		entry{Line: "sigma2 sigma", Name: "2 σ"})
}

// planeAbout says what the regions are.
func planeAbout(p *experiment.Plane, drawn int) string {
	shape := map[string]string{
		"gaussian": "Naive Gaussian: the axes of the ellipses are those of the plane.",
		"lda":      "LDA: the classes share one covariance, so that ellipses are alike and boundaries straight.",
		"qda":      "QDA: each class has its own covariance, so that boundaries are conics.",
	}[p.Likelihood]
	about := "What a model that has learned all these documents decides at each point; it was not tested on them. " +
		shape +
		" Within the ellipses lie 39.3 % and 86.5 % of a normal distribution."
	if p.HasRisk {
		about += " Losses and the reject option of the spec move the boundaries."
	}
	if drawn < len(p.Points) {
		about += fmt.Sprintf(" Of %s documents %s, evenly spaced in the file, are drawn.", thousands(int64(len(p.Points))),
			thousands(int64(drawn)))
	}
	if p.Missing > 0 {
		about += fmt.Sprintf(" %s documents lack a number and are not drawn.", thousands(int64(p.Missing)))
	}
	return about
}

// classTable lists the means and covariances of the classes.
func classTable(p *experiment.Plane) *table {
	x := p.Fields[0]
	y := p.Fields[1]
	t := &table{Name: "Fitted normal distributions", Head: []string{"class", "documents", "prior", "mean of " + x,
		"mean of " + y, "sd of " + x, "sd of " + y, "correlation"}}
	for _, c := range p.Classes {
		s0 := math.Sqrt(c.Covariance[0][0])
		s1 := math.Sqrt(c.Covariance[1][1])
		row := []string{c.Name, thousands(c.Documents), fmt.Sprintf("%.4f", math.Exp(c.LogPrior))}
		for _, v := range []float64{c.Mean[0], c.Mean[1], s0, s1, c.Covariance[0][1] / s0 / s1} {
			row = append(row, fmt.Sprintf("%.4g", v+0))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ellipse draws the points at a Mahalanobis distance from the mean of a class: the unit circle, of
// four cubic curves, through the Cholesky factor of the covariance.
func (c *chart) ellipse(k *experiment.PlaneClass, distance float64) string {
	s := k.Covariance
	l00 := math.Sqrt(s[0][0])
	l10 := s[1][0] / l00
	l11 := math.Sqrt(s[1][1] - l10*l10)
	const bend = 0.5522847498307936 // of a quarter circle: 4/3 (sqrt 2 - 1)
	at := func(u, v float64) string {
		return fmt.Sprintf("%g %g", round(c.x.at(k.Mean[0]+distance*l00*u)), round(c.y.at(k.Mean[1]+distance*(l10*u+l11*v))))
	}
	var b strings.Builder
	b.WriteString("M" + at(1, 0))
	for _, q := range [4][4]float64{{1, 0, 0, 1}, {0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0}} {
		fmt.Fprintf(&b, "C%s %s %s", at(q[0]+bend*q[2], q[1]+bend*q[3]), at(q[2]+bend*q[0], q[3]+bend*q[1]), at(q[2], q[3]))
	}
	return b.String() + "Z"
}
