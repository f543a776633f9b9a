package logistic

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// problem is the objective. Its argument holds the weights of each logit, followed by its
// intercept.
//
// Rows are standardised, because an objective over fields of different units is badly conditioned.
type problem struct {
	c        float64
	rows     [][]float64 // and a 1 for the intercept
	class    []int       // by row
	logits   int         // 1 for two classes, else one for each
	width    int         // fields + 1
	mean, sd []float64   // by field
	penalty  []float64   // by column: 1; 0 for the intercept
	size     []float64   // by column: C times the sum of absolute values, the scale of the gradient
	z, p     []float64   // scratch
}

// newProblem standardises the rows.
func newProblem(rows [][]float64, labels, classes []string, c float64) *problem {
	p := &problem{c: c, logits: len(classes), width: len(rows[0]) + 1}
	if p.logits == 2 {
		p.logits = 1
	}
	p.mean, p.sd = moments(rows)
	p.penalty = append(slices.Repeat([]float64{1}, len(rows[0])), 0)
	p.size = make([]float64, p.width)
	p.z = make([]float64, p.logits)
	p.p = make([]float64, len(classes))
	for i, row := range rows {
		x := make([]float64, p.width)
		for j := range row {
			x[j] = (row[j] - p.mean[j]) / p.sd[j]
		}
		x[len(row)] = 1
		for j := range x {
			p.size[j] += c * math.Abs(x[j])
		}
		class, _ := slices.BinarySearch(classes, labels[i])
		p.rows = append(p.rows, x)
		p.class = append(p.class, class)
	}
	return p
}

// logit returns the part of theta that belongs to the k-th logit.
func (p *problem) logit(theta []float64, k int) []float64 {
	return theta[k*p.width : (k+1)*p.width]
}

// classOf returns the class of a logit.
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
	for i, w := range theta {
		penalty += p.penalty[i%p.width] * w * w
	}
	return 0.5*penalty + p.c*sum
}

// gradient sets grad to penalty w + C sum (P - y) x.
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
	for i, w := range theta {
		grad[i] += p.penalty[i%p.width] * w
	}
}

// hessian returns the second derivatives: for the logits k and l
//
//	C sum P_k ([k = l] - P_l) x x'
//
// and the penalty on the diagonal. Softmax does not change when the same number is added to all
// intercepts, so the matrix would be singular: a constant is added for each pair of intercepts,
// which does not change the step, because the gradient of the intercepts sums to 0.
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
		h.SetSym(i, i, h.At(i, i)+p.penalty[i%p.width])
	}
	for k := range p.logits {
		for l := k; l < p.logits && p.logits > 1; l++ {
			i, j := (k+1)*p.width-1, (l+1)*p.width-1
			h.SetSym(i, j, h.At(i, j)+p.size[p.width-1])
		}
	}
	return h
}
