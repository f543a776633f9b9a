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
	// maxPoints is how many documents are drawn as points, maxRings how many of them may have a ring,
	// and maxEquations how many boundaries are written out.
	maxPoints    = 1500
	maxRings     = 120
	maxEquations = 15
)

// The grid for decision regions has a row for each unit of the picture, since regions are drawn row by
// row.
const (
	PlaneColumns = 111
	PlaneRows    = int(height-top-bottom) + 1
)

// planeChart draws the regions of a model of two numbers, with its boundaries, its ellipses and the
// documents that it learned; nil if it was not asked for.
func planeChart(p *experiment.Plane, why string) *chart {
	if p == nil {
		return noChart(planeID, planeTitle, why)
	}
	c := newChart(planeID, planeTitle, p.Fields[0], p.Fields[1], axis{from: p.From[0], to: p.To[0]},
		axis{from: p.From[1], to: p.To[1]})
	c.Large = true
	ranks := colorsOf(p)
	c.regions(p, ranks)
	pairs := neighbours(p)
	for _, pair := range pairs {
		c.Lines = append(c.Lines, shape{"boundary", segments(boundary(c, p, pair[0], pair[1]))})
	}
	points := c.points(p, ranks)
	for k := range p.Classes {
		for distance := 1; distance <= 2; distance++ {
			c.Lines = append(c.Lines, shape{fmt.Sprintf("sigma%d %s", distance, style("curve", ranks[k])),
				c.ellipse(&p.Classes[k], float64(distance))})
		}
	}
	c.nameRegions(p, points)
	c.explain(p, ranks)
	c.About = planeAbout(p, len(points))
	c.Data = classTable(p)
	c.More = equations(p, pairs)
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
	step := (c.Y.Begin - c.Y.End) / float64(p.Rows-1)
	for row := range p.Rows {
		_, v := p.At(0, row)
		y := c.Y.at(v)
		from := max(y-step/2-0.05, c.Y.End)
		to := min(y+step/2+0.05, c.Y.Begin)
		begin := c.X.Begin
		for column := range p.Columns {
			k := p.Label[row*p.Columns+column]
			end := c.X.End
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
	return c.X.at(x0 + t*(x1-x0))
}

// neighbours returns the pairs of regions that meet, in order.
func neighbours(p *experiment.Plane) [][2]int {
	var pairs [][2]int
	meet := func(i, j int) {
		pair := [2]int{min(p.Label[i], p.Label[j]), max(p.Label[i], p.Label[j])}
		if pair[0] != pair[1] && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	for i := range p.Label {
		if (i+1)%p.Columns != 0 {
			meet(i, i+1)
		}
		if i+p.Columns < len(p.Label) {
			meet(i, i+p.Columns)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return pairs
}

// segments draws a boundary, to the hundredth of a unit.
func segments(list []segment) string {
	var b strings.Builder
	hundredth := func(v float64) float64 { return math.Round(v*100) / 100 }
	for _, s := range list {
		fmt.Fprintf(&b, "M%g %gL%g %g", hundredth(s.from.x), hundredth(s.from.y), hundredth(s.to.x), hundredth(s.to.y))
	}
	return b.String()
}

// points draws documents and returns their places. Those in the region of another class have a
// ring, unless they are too many.
func (c *chart) points(p *experiment.Plane, ranks []int) []point {
	n := min(len(p.Points), maxPoints)
	marks := make([]strings.Builder, len(p.Classes))
	var rings strings.Builder
	var drawn []point
	for i := range n {
		x := &p.Points[i*len(p.Points)/n]
		at := point{c.X.at(x.X), c.Y.at(x.Y)}
		drawn = append(drawn, at)
		marks[x.Class].WriteString(mark(ranks[x.Class], at.x, at.y, 2.4))
		if !x.Right {
			rings.WriteString(mark(0, at.x, at.y, 4.4))
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
	return drawn
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
		c.Legend = append(c.Legend, entry{Fill: style("region", colors), Mark: keyMark(colors),
			MarkClass: style("mark", colors), Name: fmt.Sprintf("%d smaller classes", rest)})
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
	c.Legend = append(c.Legend, other, entry{Line: "boundary", Name: "boundary"}, entry{Line: "sigma1 sigma", Name: "1 σ"},
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
		shape + " Within the ellipses lie 39.3 % and 86.5 % of a normal distribution."
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

// equations lists the equations of the boundaries; nil if losses move them away from equal
// posteriors.
func equations(p *experiment.Plane, pairs [][2]int) *table {
	if p.HasRisk || len(pairs) == 0 {
		return nil
	}
	t := &table{Name: fmt.Sprintf("Boundaries, with x = %s and y = %s", p.Fields[0], p.Fields[1]),
		Head: []string{"between", "and", "is a", "where"}}
	if len(pairs) > maxEquations {
		t.Name += fmt.Sprintf("; the first %d of %d", maxEquations, len(pairs))
		pairs = pairs[:maxEquations]
	}
	for _, pair := range pairs {
		k := &p.Classes[pair[0]]
		l := &p.Classes[pair[1]]
		q := logOdds(k, l).exact(p.To[0]-p.From[0], p.To[1]-p.From[1])
		t.Rows = append(t.Rows, []string{k.Name, l.Name, q.kind(), q.String()})
	}
	return t
}
