package logistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

const (
	tolerance   = 1e-9 // of a partial derivative, relative to the sum of the absolute values of its terms
	newtonSteps = 20
	newtonSize  = 1000 // the largest number of parameters for Newton's method, whose matrix grows with its square
	loose       = 1e-6 // tolerance without Newton's method
)

// minimise returns the parameters at which the gradient is 0; the objective is convex, so they are its minimum.
// L-BFGS (Liu and Nocedal 1989) starts from zero. Its line search fails near the minimum, where values of the
// objective differ in the last digit only, so the error of optimize is ignored and the gradient is checked
// instead. Newton's method, which needs the gradient alone, goes the rest of the way.
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
	theta := result.X
	enough := loose
	if n <= newtonSize {
		theta = p.newton(theta)
		enough = tolerance
	}
	grad := make([]float64, n)
	p.gradient(grad, theta)
	if left := p.relative(grad); !(left <= enough) {
		return nil, fmt.Errorf("no minimum after %d iterations (the gradient is still %.1g of its terms): make C smaller, or allow more iterations", result.Stats.MajorIterations, left)
	}
	return theta, nil
}

// smallest returns the smallest size of a column, of those that are not all zeros.
func (p *problem) smallest() float64 {
	least := p.size[p.width-1]
	for _, v := range p.size {
		if v > 0 {
			least = min(least, v)
		}
	}
	return least
}

// relative returns the largest partial derivative, each relative to the size of its column.
func (p *problem) relative(grad []float64) float64 {
	largest := 0.0
	for i, g := range grad {
		if g != 0 {
			largest = max(largest, math.Abs(g)/p.size[i%p.width])
		}
	}
	return largest
}

// newton takes steps theta - H^-1 grad while each at least halves the gradient. Near the minimum a step squares
// it, until the precision of float64 is reached.
func (p *problem) newton(theta []float64) []float64 {
	grad := make([]float64, len(theta))
	next := make([]float64, len(theta))
	nextGrad := make([]float64, len(theta))
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
		theta, next = next, theta
		grad, nextGrad = nextGrad, grad
	}
	return theta
}

// solve returns h^-1 b; false if h is not positive definite. It scales h to a diagonal of ones before the
// factorisation, so that the units of the fields do not decide whether it succeeds.
func solve(h *mat.SymDense, b []float64) (x []float64, ok bool) {
	n := len(b)
	scale := make([]float64, n)
	scaled := make([]float64, n)
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
	_ = chol.SolveVecTo(mat.NewVecDense(n, x), mat.NewVecDense(n, scaled)) // the error is a warning of a bad condition
	return floats.MulTo(x, x, scale), true
}
