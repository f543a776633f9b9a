package report

import (
	"math"
	"unicode/utf8"

	"bayestream/internal/tools/lab/experiment"
)

// Half the size of a name in a region, in units of the SVG, at the larger of its font sizes.
const (
	halfLetter = 3.9
	halfLine   = 8.0
)

// nameRegions writes the name of each class into its region, where it is farthest from the edges of
// the region and from points. A region without room has its name in the legend only.
func (c *chart) nameRegions(p *experiment.Plane, points []point) {
	for k, class := range p.Classes {
		text := shorten(class.Name, 18)
		half := halfLetter * float64(utf8.RuneCountInString(text))
		at, ok := c.place(p, k, half, points)
		if !ok {
			continue
		}
		c.Labels = append(c.Labels, label{X: round(at.x), Y: round(at.y), Text: text})
		for dx := -half; dx <= half; dx += 6 { // the next name keeps away
			points = append(points, point{at.x + dx, at.y})
		}
	}
}

// place returns the best place for the name of class k, which is 2 half wide; false if it fits
// nowhere.
func (c *chart) place(p *experiment.Plane, k int, half float64, points []point) (at point, ok bool) {
	best := 0.0
	for row := 0; row < p.Rows; row += 8 {
		for column := 0; column < p.Columns; column += 3 {
			if p.Label[row*p.Columns+column] != k {
				continue
			}
			x, y := p.At(column, row)
			place := point{c.X.at(x), c.Y.at(y)}
			room := c.room(p, k, place, half)
			if room <= 0 {
				continue
			}
			for _, o := range points {
				room = min(room, 1+distance(place, o, half))
			}
			if room > best {
				best = room
				at = place
			}
		}
	}
	return at, best > 0
}

// room returns how far a name is from the edges of its region and of the plane.
func (c *chart) room(p *experiment.Plane, k int, at point, half float64) float64 {
	room := min(at.x-half-c.X.Begin, c.X.End-at.x-half, at.y-halfLine-c.Y.End, c.Y.Begin-at.y-halfLine)
	for row := 0; row < p.Rows && room > 0; row += 4 {
		for column := 0; column < p.Columns; column += 2 {
			if p.Label[row*p.Columns+column] != k {
				x, y := p.At(column, row)
				room = min(room, distance(at, point{c.X.at(x), c.Y.at(y)}, half))
			}
		}
	}
	return room
}

// distance returns how far a point is from a name around a place, 0 within it.
func distance(name, o point, half float64) float64 {
	return math.Hypot(max(0, math.Abs(o.x-name.x)-half), max(0, math.Abs(o.y-name.y)-halfLine))
}
