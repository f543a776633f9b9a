package gaussian

import (
	"math"
	"slices"

	"bayestream/internal/core/digest"
)

// Kind is the family of densities of a block.
type Kind int

// The kinds of block. Counting differs: naive blocks keep the squares only.
const (
	Naive Kind = iota // fields independent given the class
	LDA               // one covariance matrix, pooled over the classes
	QDA               // a covariance matrix for each class
)

// Variance says which variances of a naive block are equal.
type Variance int

// The forms of a naive block.
const (
	Own       Variance = iota // one for each class and field
	Shared                    // one for each field, pooled over the classes
	Isotropic                 // one for all classes and fields: the mean of the shared ones
)

// Options of a block. The zero value of everything but Fields is the default.
type Options struct {
	Fields       int
	Kind         Kind
	Variance     Variance
	Unbiased     bool    // denominators n-1, pooled n-L (L classes), instead of n
	VarSmoothing float64 // adds this times the largest variance of a field over all rows
	Shrinkage    float64 // LDA: S becomes (1-s) S + s tr(S)/d I
	OAS          bool    // LDA: shrink each class by the oracle approximating shrinkage (Chen et al. 2010)
	RegParam     float64 // QDA: S becomes (1-r) S + r I
	Digits       int     // decimals of the scale
}

// Full reports whether the block needs all products of its fields.
func (o *Options) Full() bool { return o.Kind != Naive }

// A density is the fitted distribution of one class. logDensity expects all numbers present in a
// full block, and adds up the present ones in a naive one.
type density interface {
	// problem says why the density cannot be evaluated at x; the zero Problem if it can.
	problem(x []Number) Problem
	// logDensity returns ln p(x). buf is scratch for as many floats as x has numbers.
	logDensity(x []Number, buf []float64) float64
}

// Block is the likelihood p(x | class) of one vector of numeric fields. Sums change by addition;
// Prepare fits the densities. Between two calls of Prepare any number of goroutines may use it.
type Block struct {
	o       Options
	classes []class // by number
	weights weights
}

// class is what a block knows of a class.
type class struct {
	sums      *Sums // nil: no rows
	digest    digest.Sum
	density   density // nil: none was fitted
	isChanged bool    // since Prepare
}

// NewBlock returns a block without rows.
func NewBlock(o Options) *Block {
	return &Block{o: o, weights: newWeights(NewSums(o.Fields, o.Full()))}
}

// of returns what is known of a class, which may be nothing.
func (b *Block) of(id int) (c class) {
	if id >= 0 && id < len(b.classes) {
		c = b.classes[id]
	}
	return c
}

// Sums returns the sums of a class, nil if it has no rows. It is a view.
func (b *Block) Sums(class int) *Sums { return b.of(class).sums }

// Digest returns the digest of the sums of a class: each integer times its weight, which depends on
// its place alone.
func (b *Block) Digest(class int) digest.Sum { return b.of(class).digest }

// Add adds the rows of other to a class.
func (b *Block) Add(id int, other *Sums) {
	for len(b.classes) <= id {
		b.classes = append(b.classes, class{})
	}
	c := &b.classes[id]
	if c.sums == nil {
		c.sums = NewSums(b.o.Fields, b.o.Full())
	}
	c.sums.Add(other)
	c.digest = c.digest.Plus(b.weights.digest(other))
	if c.sums.IsZero() {
		c.sums = nil
	}
	c.isChanged = true
}

// Fits reports whether other can be added to a class, -1 for a new one, without a negative number of rows.
func (b *Block) Fits(class int, other *Sums) bool {
	have := b.Sums(class)
	for i, n := range other.N {
		if have != nil {
			n += have.N[i]
		}
		if n < 0 {
			return false
		}
	}
	return true
}

// Rows returns how many rows of all classes have a field; in a full block only rows with all fields
// count.
func (b *Block) Rows(field int) (n int64) {
	for _, c := range b.classes {
		if c.sums != nil {
			n += c.sums.rows(field)
		}
	}
	return n
}

// EndsEmpty reports whether nothing is left of class when other, which may be nil, is added.
func (b *Block) EndsEmpty(class int, other *Sums) bool {
	left := b.Sums(class).Plus(other)
	return left == nil || left.IsZero()
}

// Prepare fits the densities of the classes in live. It must be called after changes and before
// LogLikelihood.
func (b *Block) Prepare(live []int) {
	if !slices.ContainsFunc(b.classes, func(c class) bool { return c.isChanged }) {
		return
	}
	b.forget()
	if b.o.Kind == Naive {
		b.fitNaive(live)
		return
	}
	b.fitFull(live)
}

// forget removes the densities that must be fitted again: of the classes that have changed, where
// no other depends on them.
func (b *Block) forget() {
	for i := range b.classes {
		c := &b.classes[i]
		if c.isChanged || !b.isSeparate() {
			c.density = nil
		}
		c.isChanged = false
	}
}

// Outcome says whether a block has a likelihood for a document.
type Outcome int

// The outcomes of a block.
const (
	Voted     Outcome = iota // it has, in every class
	Missing                  // the document lacks the numbers
	Abstained                // a class cannot evaluate them, so no class is judged by them
)

// LogLikelihood sets dst, indexed by class number, to ln p(x | class) for the classes in live. When
// the outcome is not Voted, dst is left alone. buf is scratch for at least as many floats as
// fields.
func (b *Block) LogLikelihood(dst []float64, live []int, x []Number, buf []float64) Outcome {
	if !b.sees(x) {
		return Missing
	}
	for _, c := range live {
		if b.Problem(c, x) != (Problem{}) {
			return Abstained
		}
	}
	for _, c := range live {
		dst[c] = b.classes[c].density.logDensity(x, buf)
	}
	return Voted
}

// sees reports whether x has what the block needs: any number, or in a full block all of them.
func (b *Block) sees(x []Number) bool {
	n := 0
	for _, v := range x {
		if v.Present {
			n++
		}
	}
	if b.o.Full() {
		return n == len(x)
	}
	return n > 0
}

// Problem says why class cannot evaluate x; the zero Problem if it can.
func (b *Block) Problem(class int, x []Number) Problem {
	d := b.of(class).density
	if d == nil {
		return Problem{Field: AllFields, Reason: "it has no rows"}
	}
	return d.problem(x)
}

// withRows returns the sums of the classes in live that have rows of a field, and what their pooled
// scatter is divided by: all of these rows, less one for each class if the variances are unbiased.
func (b *Block) withRows(live []int, field int) (classes []*Sums, n int64) {
	for _, c := range live {
		if s := b.Sums(c); s != nil && s.rows(field) > 0 {
			classes = append(classes, s)
			n += s.rows(field)
		}
	}
	if b.o.Unbiased {
		n -= int64(len(classes))
	}
	return classes, n
}

// smoothing returns what var_smoothing adds to each variance: a share of the largest variance of a
// field over all rows, whatever their class.
func (b *Block) smoothing(live []int) float64 {
	if b.o.VarSmoothing == 0 {
		return 0
	}
	all := NewSums(b.o.Fields, b.o.Full())
	for _, c := range live {
		s := b.Sums(c)
		if s != nil {
			all.Add(s)
		}
	}
	largest := 0.0
	for i := range b.o.Fields {
		n := all.rows(i)
		if n > 0 {
			largest = max(largest, perRow(all.scatter(i), n, b.o.Digits))
		}
	}
	return b.o.VarSmoothing * largest
}

// usable reports whether a density can use a variance.
func usable(v float64) bool { return v > 0 && !math.IsInf(v, 0) && !math.IsInf(1/v, 0) }

// Merge moves the rows of class from to class into.
func (b *Block) Merge(from, into int) {
	if sums := b.Sums(from); sums != nil {
		b.Add(into, sums)
		b.classes[from] = class{isChanged: true}
	}
}

// Normal returns the fitted mean and covariance matrix of a class, in units of the record (the
// covariance in their products), whatever the kind: a naive block has a diagonal one. ok is false
// where the class has none, or not for every field.
func (b *Block) Normal(class int) (mean []float64, covariance [][]float64, ok bool) {
	square := make([][]float64, b.o.Fields)
	for i := range square {
		square[i] = make([]float64, b.o.Fields)
	}
	switch d := b.of(class).density.(type) {
	case *independent:
		for i, v := range d.variance {
			if v == 0 {
				return nil, nil, false
			}
			square[i][i] = v
		}
		return d.mean, square, true
	case *correlated:
		if d.cov.singular != (Problem{}) {
			return nil, nil, false
		}
		for i := range square {
			for j := range square {
				square[i][j] = d.cov.at(i, j)
			}
		}
		return d.mean, square, true
	}
	return nil, nil, false
}

// at returns an entry of the covariance matrix: D L L' D.
func (c *covariance) at(i, j int) float64 {
	row := func(i int) []float64 { return c.lower[i*(i+1)/2:][:i+1] }
	sum := 0.0
	for k := range min(i, j) + 1 {
		sum += row(i)[k] * row(j)[k]
	}
	return c.scale[i] * sum * c.scale[j]
}

// AllFields is the Field of a Problem that is not one of a single field.
const AllFields = -1

// Problem says why the density of a class cannot be evaluated. The zero value says that it can.
type Problem struct {
	Field  int // index of the field, or AllFields
	Reason string
}

// noVariance is the Problem of a field whose variance is not positive and finite.
func noVariance(field int) Problem {
	return Problem{Field: field, Reason: "too few rows, or all of one value"}
}
