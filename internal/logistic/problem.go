package logistic

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// problem is the objective. Its argument holds the weights of each logit, followed by its intercept.
type problem struct {
	c      float64
	rows   [][]float64 // standardised, and a 1 for the intercept
	class  []int       // by row
	logits int         // 1 for two classes, else one for each
	width  int         // fields + 1
	size   []float64   // by column: C times the sum of absolute values, the scale of the gradient
	z, p   []float64   // scratch
}

func newProblem(m *Model, rows [][]float64, labels []string, c float64) *problem {
	p := &problem{c: c, logits: len(m.Classes), width: len(m.Mean) + 1}
	if p.logits == 2 {
		p.logits = 1
	}
	p.z, p.p, p.size = make([]float64, p.logits), make([]float64, len(m.Classes)), make([]float64, p.width)
	for i, row := range rows {
		x := make([]float64, p.width)
		for j := range row {
			x[j] = (row[j] - m.Mean[j]) / m.Scale[j]
		}
		x[len(row)] = 1
		for j := range x {
			p.size[j] += c * math.Abs(x[j])
		}
		class, _ := slices.BinarySearch(m.Classes, labels[i])
		p.rows, p.class = append(p.rows, x), append(p.class, class)
	}
	return p
}

// logit returns the part of theta that is the k-th logit's.
func (p *problem) logit(theta []float64, k int) []float64 {
	return theta[k*p.width : (k+1)*p.width]
}

// classOf returns the class that a logit speaks for.
func (p *problem) classOf(logit int) int {
	if p.logits == 1 {
		return 1
	}
	return logit
}

// logPosterior sets p.p to the log posteriors of a row.
func (p *problem) logPosterior(theta, x []float64) {
	for k := range p.z {
		p.z[k] = floats.Dot(p.logit(theta, k), x)
	}
	normalise(p.p, p.z)
}

// value returns the objective.
func (p *problem) value(theta []float64) float64 {
	sum := 0.0
	for i, x := range p.rows {
		p.logPosterior(theta, x)
		sum -= p.p[p.class[i]]
	}
	penalty := 0.0
	for k := range p.logits {
		w := p.logit(theta, k)[:p.width-1]
		penalty += floats.Dot(w, w)
	}
	return 0.5*penalty + p.c*sum
}

// gradient sets grad to w + C sum (P - y) x for the weights, C sum (P - y) for the intercepts.
func (p *problem) gradient(grad, theta []float64) {
	clear(grad)
	for i, x := range p.rows {
		p.logPosterior(theta, x)
		for k := range p.logits {
			class := p.classOf(k)
			residual := math.Exp(p.p[class])
			if p.class[i] == class {
				residual--
			}
			floats.AddScaled(p.logit(grad, k), p.c*residual, x)
		}
	}
	for k := range p.logits {
		floats.Add(p.logit(grad, k)[:p.width-1], p.logit(theta, k)[:p.width-1])
	}
}

// hessian returns the second derivatives: for the logits k and l
//
//	C sum P_k ([k = l] - P_l) x x'
//
// and 1 for each weight with itself. Softmax does not change when all intercepts move together; a
// constant among them makes the matrix regular, and does not move the step, which has no such part.
func (p *problem) hessian(theta []float64) *mat.SymDense {
	n := p.logits * p.width
	h := mat.NewSymDense(n, nil)
	raw := h.RawSymmetric()
	for _, x := range p.rows {
		p.logPosterior(theta, x)
		for k := range p.logits {
			pk := math.Exp(p.p[p.classOf(k)])
			for l := k; l < p.logits; l++ {
				weight := -p.c * pk * math.Exp(p.p[p.classOf(l)])
				if k == l {
					weight += p.c * pk
				}
				for i, v := range x {
					row := raw.Data[(k*p.width+i)*raw.Stride+l*p.width:]
					floats.AddScaled(row[:p.width], weight*v, x)
				}
			}
		}
	}
	for i := range n {
		if i%p.width != p.width-1 {
			h.SetSym(i, i, h.At(i, i)+1)
		}
	}
	for k := range p.logits {
		for l := k; l < p.logits && p.logits > 1; l++ {
			i, j := (k+1)*p.width-1, (l+1)*p.width-1
			h.SetSym(i, j, h.At(i, j)+p.size[p.width-1])
		}
	}
	return h
}
