package report

import (
	"math"

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
}

// segment is the part of a boundary within one cell.
type segment struct{ from, to point }

// boundary returns the boundary between two regions.
func boundary(c *chart, p *experiment.Plane, a, b int) (out []segment) {
	m := &contour{c: c, p: p, a: a, b: b}
	for row := range p.Rows - 1 {
		for column := range p.Columns - 1 {
			found := m.cell(row*p.Columns + column)
			for k := 0; k+1 < len(found); k += 2 { // four of them: a saddle, which two lines cross
				if s, ok := segmentOf(found[k], found[k+1]); ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// crossing is where the scores are equal on an edge of the grid.
type crossing struct {
	at  point
	gap float64 // score of both less the largest other one
}

// cell returns the crossings on the edges of a cell, whose corner with the least x and y is i.
func (m *contour) cell(i int) (found []crossing) {
	n := m.p.Columns
	for _, edge := range [4][2]int{{i, i + 1}, {i + 1, i + 1 + n}, {i + n, i + n + 1}, {i, i + n}} {
		if x, ok := m.cross(edge[0], edge[1]); ok {
			found = append(found, x)
		}
	}
	return found
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
	x := crossing{at: between(m.place(from), m.place(to), t), gap: math.Inf(1)}
	for k := range s {
		if k != m.a && k != m.b {
			x.gap = min(x.gap, (1-t)*(s[m.a][from]-s[k][from])+t*(s[m.a][to]-s[k][to]))
		}
	}
	return x, true
}

// place returns where a point of the grid is.
func (m *contour) place(i int) point {
	x, y := m.p.At(i%m.p.Columns, i/m.p.Columns)
	return point{m.c.X.at(x), m.c.Y.at(y)}
}

// between returns the place at the share t of the way between two others.
func between(a, b point, t float64) point { return point{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)} }

// segmentOf returns the part between two crossings where no other score is larger, if there is one.
func segmentOf(from, to crossing) (segment, bool) {
	s := segment{from.at, to.at}
	cut := between(from.at, to.at, from.gap/(from.gap-to.gap))
	switch {
	case from.gap < 0 && to.gap < 0:
		return s, false
	case from.gap < 0:
		s.from = cut
	case to.gap < 0:
		s.to = cut
	}
	return s, true
}
