package modeltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Specs are specs of every kind that can learn the rows of Lines.
var Specs = []string{
	"text: {field: text}", "text: {field: text, likelihood: bernoulli, ngrams: 2}",
	"text: {field: text, likelihood: complement}",
	"numbers: [{fields: [x, y]}]", "numbers: [{fields: [x, y], likelihood: lda}]",
	"numbers: [{fields: [x, y], likelihood: qda}]",
	"text: {field: text}\nnumbers: [{fields: [x], variance: shared}]\ncategories: [{field: c}]\nhistograms: [{field: y, " +
		"from: 0, to: 10, bins: 5}]\nprior: uniform",
}

// Lines returns n JSON lines of three classes, with words, numbers and categories that depend on
// the label.
func Lines(n int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	var b bytes.Buffer
	for i := range n {
		class := random.IntN(3)
		fmt.Fprintf(&b, `{"id":"%d","label":"class %c","weight":%d,"numbers":{"x":%.3f,"y":%.2f},"categories":{"c":"v%d"},"text":"`,
			i, 'a'+class, 1+random.IntN(3), 2*float64(class)+random.NormFloat64(),
			3+random.NormFloat64()-float64(class), random.IntN(2)+class)
		for range 4 + random.IntN(6) {
			fmt.Fprintf(&b, "word%c ", 'a'+random.IntN(6)+4*class)
		}
		b.WriteString("\"}\n")
	}
	return b.Bytes()
}
