package report

import (
	"cmp"
	"math"
	"slices"

	"bayestream/internal/tools/lab/experiment"
)

// point is a place in the units of the SVG.
type point struct{ x, y float64 }

// contour finds where two scores of a plane are equal and no other is larger: the boundary between
// two regions, by marching squares with linear interpolation on the edges of the grid.
type contour struct {
	c    *chart
	p    *experiment.Plane
	a, b int
	ends map[int][]int // by edge: the segments that end there
	segs []segment
}

// segment is the part of a boundary within one cell; an end that was cut off has the edge cutOff.
type segment struct {
	edges  [2]int
	points [2]point
	done   bool
}

const cutOff = -1

// boundary returns the polylines of the boundary between two regions; a straight one has two
// points.
func boundary(c *chart, p *experiment.Plane, a, b int) [][]point {
	m := &contour{c: c, p: p, a: a, b: b, ends: map[int][]int{}}
	for row := range p.Rows - 1 {
		for column := range p.Columns - 1 {
			m.cell(column, row)
		}
	}
	var out [][]point
	for _, line := range m.join() {
		out = append(out, simplify(line, 0.06))
	}
	slices.SortFunc(out, func(a,
		b []point) int {
		return cmp.Or(cmp.Compare(a[0].x, b[0].x), cmp.Compare(a[0].y, b[0].y))
	})
	return out
}

// crossing is where the scores are equal on an edge of the grid.
type crossing struct {
	edge int
	at   point
	gap  float64 // score of both less the largest other one
}

// cell adds the segments within a cell, whose corner with the least x and y is at (column, row).
func (m *contour) cell(column, row int) {
	n := m.p.Columns
	i := row*n + column
	var found []crossing
	for _, e := range [4][3]int{{i, i + 1, 2 * i}, {i + 1, i + 1 + n, 2*(i+1) + 1}, {i + n, i + n + 1, 2 * (i + n)},
		{i, i + n, 2*i + 1}} {
		if x, ok := m.cross(e[0], e[1]); ok {
			x.edge = e[2]
			found = append(found, x)
		}
	}
	for k := 0; k+1 < len(found); k += 2 { // four of them: a saddle, which two lines cross
		m.add(found[k], found[k+1])
	}
}

// cross returns the crossing on the edge between two points of the grid, if there is one.
func (m *contour) cross(from, to int) (crossing, bool) {
	s := m.p.Score
	d0 := s[m.a][from] - s[m.b][from]
	d1 := s[m.a][to] - s[m.b][to]
	if (d0 >= 0) == (d1 >= 0) {
		return crossing{}, false
	}
	t := d0 / (d0 - d1)
	x := crossing{at: m.between(from, to, t), gap: math.Inf(1)}
	for k := range s {
		if k != m.a && k != m.b {
			x.gap = min(x.gap, (1-t)*(s[m.a][from]-s[k][from])+t*(s[m.a][to]-s[k][to]))
		}
	}
	return x, true
}

// between returns the place at the share t of the way between two points of the grid.
func (m *contour) between(from, to int, t float64) point {
	x0, y0 := m.p.At(from%m.p.Columns, from/m.p.Columns)
	x1, y1 := m.p.At(to%m.p.Columns, to/m.p.Columns)
	return point{m.c.x.at(x0 + t*(x1-x0)), m.c.y.at(y0 + t*(y1-y0))}
}

// add keeps the part of a segment where no other score is larger.
func (m *contour) add(from, to crossing) {
	if from.gap < 0 && to.gap < 0 {
		return
	}
	s := segment{edges: [2]int{from.edge, to.edge}, points: [2]point{from.at, to.at}}
	if from.gap < 0 || to.gap < 0 {
		t := from.gap / (from.gap - to.gap)
		cut := point{from.at.x + t*(to.at.x-from.at.x), from.at.y + t*(to.at.y-from.at.y)}
		end := 1
		if from.gap < 0 {
			end = 0
		}
		s.edges[end] = cutOff
		s.points[end] = cut
	}
	m.segs = append(m.segs, s)
	for _, e := range s.edges {
		if e != cutOff {
			m.ends[e] = append(m.ends[e], len(m.segs)-1)
		}
	}
}

// join connects segments to lines: first the open lines, each from one of its ends, then the closed
// ones.
func (m *contour) join() [][]point {
	var out [][]point
	for _, open := range []bool{true, false} {
		for i := range m.segs {
			s := &m.segs[i]
			if s.done {
				continue
			}
			switch {
			case m.loose(s.edges[0]) || !open:
				out = append(out, m.walk(i, 0))
			case m.loose(s.edges[1]):
				out = append(out, m.walk(i, 1))
			}
		}
	}
	return out
}

// loose reports whether no second segment ends at an edge.
func (m *contour) loose(edge int) bool { return edge == cutOff || len(m.ends[edge]) < 2 }

// walk follows a line from an end of a segment.
func (m *contour) walk(i, from int) []point {
	line := []point{m.segs[i].points[from]}
	for {
		s := &m.segs[i]
		s.done = true
		line = append(line, s.points[1-from])
		edge := s.edges[1-from]
		if edge == cutOff {
			return line
		}
		next := -1
		for _, k := range m.ends[edge] {
			if !m.segs[k].done {
				next = k
			}
		}
		if next < 0 {
			return line
		}
		i = next
		from = 0
		if m.segs[i].edges[0] != edge {
			from = 1
		}
	}
}

// simplify leaves out the points of a line that are no farther than far from the rest of it
// (Douglas and Peucker 1973).
func simplify(line []point, far float64) []point {
	if len(line) < 3 {
		return line
	}
	a := line[0]
	b := line[len(line)-1]
	length := math.Hypot(b.x-a.x, b.y-a.y)
	most := 0.0
	at := 0
	for i, p := range line[1 : len(line)-1] {
		d := math.Hypot(p.x-a.x, p.y-a.y)
		if length > 0 {
			d = math.Abs((b.x-a.x)*(p.y-a.y)-(b.y-a.y)*(p.x-a.x)) / length
		}
		if d > most {
			most = d
			at = i + 1
		}
	}
	if most <= far {
		return []point{a, b}
	}
	return append(simplify(line[:at+1], far), simplify(line[at:], far)[1:]...)
}
