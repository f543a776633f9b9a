package logistic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

const (
	tolerance    = 1e-9 // of a partial derivative, relative to the sum of the absolute values of its terms
	newtonSteps  = 50
	newtonHalves = 20   // how often a step is halved until it makes the gradient smaller
	newtonSize   = 1000 // the largest number of parameters for Newton's method, whose matrix grows with its square
	loose        = 1e-6 // tolerance without Newton's method
)

// minimise returns the parameters at which the gradient is 0; the objective is convex, so they are
// its minimum. L-BFGS (Liu and Nocedal 1989) starts from zero, in units in which all parameters
// have about the same curvature: the penalty of a field of very small or large numbers has many
// orders of magnitude more or less than the rest. Its line search fails near the minimum, where
// values of the objective differ in the last digit only, so the error of optimize is ignored and
// the gradient is checked instead. Newton's method, which needs the gradient alone, goes the rest
// of the way.
func (p *problem) minimise() ([]float64, error) {
	n := p.logits * p.width
	unit := p.units()
	theta := make([]float64, n)
	result, err := optimize.Minimize(
		optimize.Problem{
			Func: func(x []float64) float64 { return p.value(floats.MulTo(theta, x, unit)) },
			Grad: func(grad, x []float64) {
				p.gradient(grad, floats.MulTo(theta, x, unit))
				floats.Mul(grad, unit)
			},
		},
		make([]float64, n),
		&optimize.Settings{GradientThreshold: tolerance * p.smallest(unit), MajorIterations: iterations,
			Converger: optimize.NeverTerminate{}},
		&optimize.LBFGS{GradStopThreshold: math.NaN()},
	)
	if result == nil {
		return nil, err
	}
	floats.MulTo(theta, result.X, unit)
	enough := loose
	if n <= newtonSize {
		theta = p.newton(theta)
		enough = tolerance
	}
	grad := make([]float64, n)
	p.gradient(grad, theta)
	if left := p.relative(grad); !(left <= enough) {
		return nil, fmt.Errorf("no minimum after %d iterations (the gradient is still %.1g of its terms)",
			result.Stats.MajorIterations, left)
	}
	return theta, nil
}

// units returns a unit for each parameter, in which its second derivative where all classes are
// equally likely is about 1.
func (p *problem) units() []float64 {
	curvature := slices.Clone(p.penalty)
	for _, x := range p.rows {
		for j, v := range x {
			curvature[j] += p.c * v * v / 4
		}
	}
	var unit []float64
	for range p.logits {
		for _, v := range curvature {
			unit = append(unit, 1/math.Sqrt(v))
		}
	}
	return unit
}

// smallest returns the smallest size of a partial derivative in those units, of columns that are
// not all zeros.
func (p *problem) smallest(unit []float64) float64 {
	least := math.Inf(1)
	for j, v := range p.size {
		if v > 0 {
			least = min(least, v*unit[j])
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

// newton takes steps along -H^-1 grad, each halved until it makes the gradient smaller: where H is
// positive definite a short one does. Near the minimum a whole step squares the gradient, until the
// precision of float64 is reached.
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
		length := 1.0
		for range newtonHalves {
			floats.AddScaledTo(next, theta, -length, step)
			p.gradient(nextGrad, next)
			if p.norm(nextGrad) < (1-length/4)*p.norm(grad) {
				break
			}
			length /= 2
		}
		if !(p.norm(nextGrad) < (1-length/4)*p.norm(grad)) {
			break
		}
		theta, next = next, theta
		grad, nextGrad = nextGrad, grad
	}
	return theta
}

// norm returns the length of a gradient whose components are relative to the size of their columns.
// Unlike their largest, it falls along a step of Newton's method.
func (p *problem) norm(grad []float64) float64 {
	squares := 0.0
	for i, g := range grad {
		if g != 0 {
			part := g / p.size[i%p.width]
			squares += part * part
		}
	}
	return math.Sqrt(squares)
}

// solve returns h^-1 b; false if h is not positive definite. It scales h to a diagonal of ones
// before the factorisation, so that the units of the fields do not decide whether it succeeds.
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
