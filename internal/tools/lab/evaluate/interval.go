package evaluate

import "math"

// normal975 is the 97.5 % point of the normal distribution.
const normal975 = 1.959963984540054

// Wilson returns the 95 % confidence interval of a share of which hits of n independent documents
// were seen (Wilson 1927): it stays within 0 and 1, and keeps its promise for few documents.
// Without documents it is all there is, 0 to 1.
func Wilson(hits, n int64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = normal975
	all := float64(n)
	share := float64(hits) / all
	middle := share + z*z/(2*all)
	half := z * math.Sqrt(share*(1-share)/all+z*z/(4*all*all))
	return max(0, (middle-half)/(1+z*z/all)), min(1, (middle+half)/(1+z*z/all))
}

// PairedDifference returns the difference of two shares of the same n documents, and its 95 %
// confidence interval: first is the number of documents that only the first of two classifiers has
// right, second that of only the second, and the difference is that of the second less the first.
// The interval adds half a document to each of the four possible outcomes (Agresti and Min 2005):
// without that, few documents and no disagreement would give no width at all. Without documents it
// is all there is, -1 to 1.
func PairedDifference(first, second, n int64) (difference, low, high float64) {
	if n == 0 {
		return math.NaN(), -1, 1
	}
	all := float64(n) + 2
	apart := float64(first+second) + 1
	middle := float64(second-first) / all
	half := normal975 * math.Sqrt(apart/all-middle*middle) / math.Sqrt(all)
	return float64(second-first) / float64(n), max(-1, middle-half), min(1, middle+half)
}

// MeanInterval returns the mean of differences and its 95 % confidence interval, by the normal
// distribution: for many documents.
func MeanInterval(x []float64) (mean, low, high float64) {
	s := Summarise(x)
	half := normal975 * float64(s.SD) / math.Sqrt(float64(s.N))
	return float64(s.Mean), float64(s.Mean) - half, float64(s.Mean) + half
}
