package report

import (
	"fmt"
	"math"
	"strings"

	"bayestream/internal/tools/lab/experiment"
)

// conic is the log odds of one class against another over a plane, a x² + b xy + c y² + d x + e y +
// f: the difference of two normal log densities and their priors. Where it is 0 lies the boundary
// between them.
type conic struct{ a, b, c, d, e, f float64 }

// logOdds returns the conic of class k against class l.
func logOdds(k, l *experiment.PlaneClass) conic {
	p := logJoint(k)
	q := logJoint(l)
	return conic{p.a - q.a, p.b - q.b, p.c - q.c, p.d - q.d, p.e - q.e, p.f - q.f}
}

// logJoint returns ln P(class) + ln P(x, y | class) without the constant that all classes share.
func logJoint(k *experiment.PlaneClass) conic {
	s := k.Covariance
	m := k.Mean
	det := s[0][0]*s[1][1] - s[0][1]*s[1][0]
	p00 := s[1][1] / det
	p01 := -s[0][1] / det
	p11 := s[0][0] / det
	return conic{
		a: -p00 / 2, b: -p01, c: -p11 / 2,
		d: p00*m[0] + p01*m[1], e: p01*m[0] + p11*m[1],
		f: k.LogPrior - math.Log(det)/2 - (p00*m[0]*m[0]+2*p01*m[0]*m[1]+p11*m[1]*m[1])/2,
	}
}

// exact sets coefficients that differ from 0 by rounding only to 0; x and y are the sizes of the
// plane.
func (q conic) exact(x, y float64) conic {
	whole := math.Abs(q.a)*x*x + math.Abs(q.b)*x*y + math.Abs(q.c)*y*y + math.Abs(q.d)*x + math.Abs(q.e)*y
	for _, t := range []struct {
		v    *float64
		unit float64
	}{{&q.a, x * x}, {&q.b, x * y}, {&q.c, y * y}} {
		if math.Abs(*t.v)*t.unit < 1e-9*whole {
			*t.v = 0
		}
	}
	return q
}

// kind names the curve on which the log odds are 0.
func (q conic) kind() string {
	if q.a == 0 && q.b == 0 && q.c == 0 {
		return "straight line"
	}
	switch d := q.b*q.b - 4*q.a*q.c; {
	case math.Abs(d) <= 1e-9*(q.b*q.b+math.Abs(4*q.a*q.c)):
		return "parabola"
	case d < 0:
		return "ellipse"
	}
	return "hyperbola"
}

// String returns the equation of the boundary.
func (q conic) String() string {
	var b strings.Builder
	for _, t := range []struct {
		v    float64
		unit string
	}{{q.a, " x²"}, {q.b, " xy"}, {q.c, " y²"}, {q.d, " x"}, {q.e, " y"}, {q.f, ""}} {
		if t.v == 0 {
			continue
		}
		sign := " + "
		switch {
		case b.Len() == 0 && t.v < 0:
			sign = "−"
		case b.Len() == 0:
			sign = ""
		case t.v < 0:
			sign = " − "
		}
		fmt.Fprintf(&b, "%s%.4g%s", sign, math.Abs(t.v), t.unit)
	}
	return b.String() + " = 0"
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
		return fmt.Sprintf("%g %g", round(c.X.at(k.Mean[0]+distance*l00*u)), round(c.Y.at(k.Mean[1]+distance*(l10*u+l11*v))))
	}
	var b strings.Builder
	b.WriteString("M" + at(1, 0))
	for _, q := range [4][4]float64{{1, 0, 0, 1}, {0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0}} {
		fmt.Fprintf(&b, "C%s %s %s", at(q[0]+bend*q[2], q[1]+bend*q[3]), at(q[2]+bend*q[0], q[3]+bend*q[1]), at(q[2], q[3]))
	}
	return b.String() + "Z"
}
