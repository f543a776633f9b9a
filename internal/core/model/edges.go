package model

import (
	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/core/spec"
)

// EdgesAlpha smooths the counts of first and last words.
const EdgesAlpha = 1

// edges is what the words at the ends of a text say, in the order of spec.TextTables.
type edges [spec.EdgeTables]*categorical.Likelihood

// edgeWords evaluates edges. It is scratch of one goroutine.
type edgeWords [spec.EdgeTables]categorical.Words

// set sets dst, by class number, to what the i-th of the words at the ends of a text says. It
// reports false, and leaves dst alone, when it does not vote.
func (w *edgeWords) set(dst []float64, e *edges, bag *bow.Bag, i int) bool {
	first, last := bag.Edges()
	number := [spec.EdgeTables]int{first, last}[i]
	return number >= 0 && w[i].Set(dst, e[i], bag.Lexicon(), number)
}
