package evaluate

import "math"

// Wilson returns the 95 % confidence interval of a share of which hits of n independent documents were
// seen (Wilson 1927): it stays within 0 and 1, and keeps its promise for few documents. Without documents
// it is all there is, 0 to 1.
func Wilson(hits, n int64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // 97.5 % point of the normal distribution
	all := float64(n)
	share := float64(hits) / all
	middle := share + z*z/(2*all)
	half := z * math.Sqrt(share*(1-share)/all+z*z/(4*all*all))
	return max(0, (middle-half)/(1+z*z/all)), min(1, (middle+half)/(1+z*z/all))
}
