package gaussian

import "bayestream/internal/core/digest"

// weights are those of the integers of sums: of N, then of Sum, then of Products.
type weights []digest.Sum

// newWeights returns the weights of sums of that shape.
func newWeights(s *Sums) weights {
	var w weights
	for i := range s.N {
		w = append(w, digest.Key("rows", i))
	}
	for i := range s.Sum {
		w = append(w, digest.Key("sum", i))
	}
	for i := range s.Products {
		w = append(w, digest.Key("product", i))
	}
	return w
}

// digest returns the sum of the integers of s, each times its weight.
func (w weights) digest(s *Sums) digest.Sum {
	var sum digest.Sum
	for _, n := range s.N {
		sum = sum.Plus(digest.Int(n).Times(w[0]))
		w = w[1:]
	}
	for _, part := range [][]Int192{s.Sum, s.Products} {
		for _, z := range part {
			sum = sum.Plus(digest.Words(z).Times(w[0]))
			w = w[1:]
		}
	}
	return sum
}

// Digest returns the digest of the sums of a class: each integer times its weight, which depends on
// its place alone.
func (b *Block) Digest(class int) digest.Sum {
	if class >= len(b.digests) {
		return 0
	}
	return b.digests[class]
}
