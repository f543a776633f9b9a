package gaussian

import "math"

var log2Pi = math.Log(2 * math.Pi)

// independent is the density of a class whose fields are independent normals. Its slices are by
// field, in units of the record.
type independent struct {
	digits   int // decimals of the scale
	mean     []float64
	center   []center  // the mean, for differences
	variance []float64 // 0: cannot be evaluated
	constant []float64 // -1/2 ln(2 pi variance)
}

func (d *independent) problem(x []Number) Problem {
	for i, v := range x {
		if v.Present && d.variance[i] == 0 {
			return noVariance(i)
		}
	}
	return Problem{}
}

// logDensity returns the sum of the logarithms of the densities of the numbers that are present.
func (d *independent) logDensity(x []Number, _ []float64) float64 {
	sum := 0.0
	for i, v := range x {
		if v.Present {
			sum += d.logTerm(i, v)
		}
	}
	return sum
}

// AppendFieldWeights appends, by field, what x adds to the logarithm of the density of a class more
// than to that of another: 0 for a number that is missing. It appends nothing unless the fields are
// independent. x must be one that all classes can evaluate.
func (b *Block) AppendFieldWeights(dst []float64, class, other int, x []Number) []float64 {
	one, isNaive := b.of(class).density.(*independent)
	if !isNaive {
		return dst
	}
	two := b.of(other).density.(*independent)
	for i, v := range x {
		weight := 0.0
		if v.Present {
			weight = one.logTerm(i, v) - two.logTerm(i, v)
		}
		dst = append(dst, weight)
	}
	return dst
}

// logTerm returns what the number of a field adds to logDensity.
func (d *independent) logTerm(i int, v Number) float64 {
	diff := d.center[i].diff(v.Value, d.digits)
	return d.constant[i] - 0.5*diff*diff/d.variance[i]
}

// isSeparate reports whether the density of a class depends on its own rows alone.
func (b *Block) isSeparate() bool {
	return b.o.Kind == Naive && b.o.Variance == Own && b.o.VarSmoothing == 0
}

// fitNaive fits the densities of the classes in live that have none.
func (b *Block) fitNaive(live []int) {
	extra := b.smoothing(live)
	shared := b.sharedVariances(live)
	for _, c := range live {
		s := b.Sums(c)
		if s == nil || b.classes[c].density != nil {
			continue
		}
		d := newIndependent(b.o.Fields, b.o.Digits)
		for i := range b.o.Fields {
			if s.rows(i) > 0 {
				d.fit(s, i, b.variance(s, i, shared)+extra)
			}
		}
		b.classes[c].density = d
	}
}

// newIndependent returns a density that cannot be evaluated in any field.
func newIndependent(fields, digits int) *independent {
	return &independent{
		digits:   digits,
		mean:     make([]float64, fields),
		center:   make([]center, fields),
		variance: make([]float64, fields),
		constant: make([]float64, fields),
	}
}

// fit sets field i to the mean of the rows in s and a variance.
func (d *independent) fit(s *Sums, i int, variance float64) {
	d.mean[i] = s.mean(i, d.digits)
	d.center[i] = s.center(i)
	if usable(variance) {
		d.variance[i] = variance
		d.constant[i] = -0.5 * (log2Pi + math.Log(variance))
	}
}

// variance returns the variance of field i in a class, before var_smoothing.
func (b *Block) variance(s *Sums, i int, shared []float64) float64 {
	if b.o.Variance != Own {
		return shared[i]
	}
	n := s.rows(i)
	if b.o.Unbiased {
		n--
	}
	if n == 0 {
		return 0
	}
	return perRow(s.scatter(i), n, b.o.Digits)
}

// sharedVariances returns, by field, the variance about the class means pooled over the classes, or
// in all places their mean.
func (b *Block) sharedVariances(live []int) []float64 {
	if b.o.Variance == Own {
		return nil
	}
	shared := make([]float64, b.o.Fields)
	total := 0.0
	for i := range shared {
		classes, n := b.withRows(live, i)
		if n > 0 {
			scatter := newFloat()
			for _, s := range classes {
				scatter.Add(scatter, s.scatter(i))
			}
			shared[i] = perRow(scatter, n, b.o.Digits)
		}
		total += shared[i]
	}
	if b.o.Variance == Isotropic {
		for i := range shared {
			shared[i] = total / float64(b.o.Fields)
		}
	}
	return shared
}

// Moments returns the fitted mean and variance of a field of a class in a naive block; ok is false
// where the class has none.
func (b *Block) Moments(class, field int) (mean, variance float64, ok bool) {
	d, ok := b.of(class).density.(*independent)
	if !ok || d.variance[field] == 0 {
		return 0, 0, false
	}
	return d.mean[field], d.variance[field], true
}
