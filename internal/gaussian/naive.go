package gaussian

import "math"

var log2Pi = math.Log(2 * math.Pi)

// independent is the density of a class whose fields are independent normals.
type independent struct {
	digits   int
	mean     []float64
	center   []center  // the same, for differences
	variance []float64 // 0: cannot be evaluated
	constant []float64 // -1/2 ln(2 pi variance)
}

func (d *independent) problem(x []Number) string {
	for i, v := range x {
		if v.Present && d.variance[i] == 0 {
			return fieldProblem(i, "too few rows, or all of one value")
		}
	}
	return ""
}

func (d *independent) logDensity(x []Number, _ []float64) float64 {
	sum := 0.0
	for i, v := range x {
		if v.Present {
			diff := d.center[i].diff(v.Value, d.digits)
			sum += d.constant[i] - 0.5*diff*diff/d.variance[i]
		}
	}
	return sum
}

func (b *Block) fitNaive(live []int) {
	extra := b.smoothing(live)
	shared := b.sharedVariances(live)
	for _, c := range live {
		s := b.Sums(c)
		if s == nil {
			continue
		}
		d := &independent{digits: b.o.Digits}
		for i := range b.o.Fields {
			mean, variance, at := 0.0, 0.0, center{}
			if s.rows(i) > 0 {
				mean, at = s.mean(i, b.o.Digits), s.center(i)
				variance = b.variance(s, i, shared) + extra
			}
			if !usable(variance) {
				variance = 0
			}
			d.mean, d.center, d.variance = append(d.mean, mean), append(d.center, at), append(d.variance, variance)
			d.constant = append(d.constant, -0.5*(log2Pi+math.Log(variance)))
		}
		b.fitted[c] = d
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
	return perRow(s.scatter(i, i), n, b.o.Digits)
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
		scatter, n, classes := b.pooledScatter(live, i, i)
		if b.o.Unbiased {
			n -= classes
		}
		if n > 0 {
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
	if class >= len(b.fitted) || b.fitted[class] == nil {
		return 0, 0, false
	}
	d, ok := b.fitted[class].(*independent)
	if !ok || d.variance[field] == 0 {
		return 0, 0, false
	}
	return d.mean[field], d.variance[field], true
}
