package logistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

const (
	tolerance   = 1e-9 // of a partial derivative, relative to the sums it is made of
	newtonSteps = 20
	newtonSize  = 1000 // parameters up to which the matrix of second derivatives is worth its time
	loose       = 1e-6 // tolerance beyond that
)

// minimise finds where the gradient vanishes: the objective is convex, so it is smallest there. L-BFGS
// (Liu and Nocedal 1989) starts from zero and comes as near as values of the objective can lead it:
// where they differ in the last digit only, its line search ends in a failure that says nothing. The
// gradient is still exact there, and Newton's method needs nothing else for the rest of the way.
func (p *problem) minimise(iterations int) ([]float64, error) {
	n := p.logits * p.width
	result, err := optimize.Minimize(
		optimize.Problem{Func: p.value, Grad: p.gradient},
		make([]float64, n),
		&optimize.Settings{GradientThreshold: tolerance * p.smallest(), MajorIterations: iterations, Converger: optimize.NeverTerminate{}},
		&optimize.LBFGS{GradStopThreshold: math.NaN()},
	)
	if result == nil {
		return nil, err
	}
	theta, enough := result.X, loose
	if n <= newtonSize {
		theta, enough = p.newton(theta), tolerance
	}
	grad := make([]float64, n)
	p.gradient(grad, theta)
	if left := p.relative(grad); !(left <= enough) {
		return nil, fmt.Errorf("no minimum after %d iterations (the gradient is still %.1g of its terms): make C smaller, or allow more iterations", result.Stats.MajorIterations, left)
	}
	return theta, nil
}

// smallest returns the least size of a column that is not all zeros.
func (p *problem) smallest() float64 {
	least := p.size[p.width-1]
	for _, v := range p.size {
		if v > 0 {
			least = min(least, v)
		}
	}
	return least
}

// relative returns the largest partial derivative, each by the size of the terms that it is the sum of.
func (p *problem) relative(grad []float64) float64 {
	largest := 0.0
	for i, g := range grad {
		if g != 0 {
			largest = max(largest, math.Abs(g)/p.size[i%p.width])
		}
	}
	return largest
}

// newton takes steps theta - H^-1 grad while each makes the gradient less than half of what it was: near
// the minimum every step squares it, and where one does not, float64 has no more to give.
func (p *problem) newton(theta []float64) []float64 {
	grad, next, nextGrad := make([]float64, len(theta)), make([]float64, len(theta)), make([]float64, len(theta))
	p.gradient(grad, theta)
	for range newtonSteps {
		step, ok := solve(p.hessian(theta), grad)
		if !ok {
			break
		}
		floats.SubTo(next, theta, step)
		p.gradient(nextGrad, next)
		if !(p.relative(nextGrad) < p.relative(grad)/2) {
			break
		}
		theta, next, grad, nextGrad = next, theta, nextGrad, grad
	}
	return theta
}

// solve returns h^-1 b. Rows and columns are scaled to a diagonal of ones before the factorisation:
// the units of the fields would decide otherwise whether it succeeds.
func solve(h *mat.SymDense, b []float64) (x []float64, ok bool) {
	n := len(b)
	scale, scaled := make([]float64, n), make([]float64, n)
	for i := range n {
		scale[i] = 1 / math.Sqrt(h.At(i, i))
		scaled[i] = b[i] * scale[i]
	}
	for i := range n {
		for j := i; j < n; j++ {
			h.SetSym(i, j, h.At(i, j)*scale[i]*scale[j])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, false
	}
	x = make([]float64, n)
	_ = chol.SolveVecTo(mat.NewVecDense(n, x), mat.NewVecDense(n, scaled)) // of a bad condition it warns, and solves
	return floats.MulTo(x, x, scale), true
}
