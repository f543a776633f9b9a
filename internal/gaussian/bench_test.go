package gaussian_test

import (
	"math/rand/v2"
	"testing"

	"bayestream/internal/gaussian"
)

// BenchmarkPrepare fits LDA to two classes of 57 fields, as Spambase has them: what each delta
// costs.
func BenchmarkPrepare(b *testing.B) {
	const fields = 57
	block := newBlock(gaussian.Options{Fields: fields, Kind: gaussian.LDA, Shrinkage: 0.1, Digits: gaussian.DefaultDigits})
	r := rand.New(rand.NewPCG(1, 2))
	row := func() []gaussian.Number {
		x := make([]gaussian.Number, fields)
		for i := range x {
			x[i] = gaussian.Number{Value: r.Int64N(1e12), Present: true}
		}
		return x
	}
	for i := range 200 {
		learnRows(block, i%2, row())
	}
	b.ReportAllocs()
	for b.Loop() {
		learnRows(block, 0, row())
		block.Prepare([]int{0, 1})
	}
}
