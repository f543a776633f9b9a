package evaluate

import "math"

// calibrationBins is the number of bins of the expected calibration error.
const calibrationBins = 15

// Bin is one bar of the reliability diagram: the documents whose largest posterior is in (Lower,
// Upper]; the first bin has 0 as well.
type Bin struct {
	Lower      float64 `json:"lower"`
	Upper      float64 `json:"upper"`
	N          int64   `json:"n"`
	Confidence Number  `json:"confidence"` // mean of the largest posterior; NaN when empty
	Accuracy   Number  `json:"accuracy"`   // share whose most probable class is the true one; NaN when empty
}

// reliability counts documents by their largest posterior.
type reliability [calibrationBins]struct {
	n, correct int64
	confidence total
}

func (r *reliability) add(posterior float64, correct bool) {
	i := binOf(posterior)
	r[i].n++
	if correct {
		r[i].correct++
	}
	r[i].confidence.add(fixed(posterior))
}

// binOf returns the first bin whose upper edge, the float64 nearest to (i+1)/15, is not below p.
func binOf(p float64) int {
	i := min(int(p*calibrationBins), calibrationBins-1)
	for i > 0 && p <= float64(i)/calibrationBins {
		i--
	}
	return i
}

func (r *reliability) bins() []Bin {
	bins := make([]Bin, calibrationBins)
	for i := range r {
		bins[i] = Bin{
			Lower: float64(i) / calibrationBins, Upper: float64(i+1) / calibrationBins, N: r[i].n,
			Confidence: Number(r[i].confidence.mean(r[i].n)), Accuracy: Number(float64(r[i].correct) / float64(r[i].n)),
		}
	}
	return bins
}

// error returns sum over the bins of n_b/n |accuracy_b - confidence_b|, which is the sum of
// |correct_b - sum of confidences_b| over n (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017).
func (r *reliability) error() float64 {
	sum, n := 0.0, int64(0)
	for i := range r {
		sum += math.Abs(float64(r[i].correct) - r[i].confidence.float())
		n += r[i].n
	}
	return sum / float64(n)
}
