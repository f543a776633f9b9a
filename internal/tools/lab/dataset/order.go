package dataset

import "fmt"

// Order is the order in which labelled documents come. The zero value has none.
type Order struct {
	documents int
	changes   int // of label, from one document to the next
	last      string
	counts    map[string]int // documents by label
}

// Add adds the next document.
func (o *Order) Add(label string) {
	if o.counts == nil {
		o.counts = map[string]int{}
	}
	if o.documents > 0 && label != o.last {
		o.changes++
	}
	o.documents++
	o.last = label
	o.counts[label]++
}

// Changes returns how often the label changed from one document to the next, and how often it is
// expected to in a random order of the documents.
func (o *Order) Changes() (found int, expected float64) {
	n := float64(o.documents)
	for _, k := range o.counts {
		expected += float64(k) * (n - float64(k)) / n
	}
	return o.changes, expected
}

const (
	fewDocuments = 20  // of fewer than these nothing is said
	fewChanges   = .25 // share of the changes of a random order below which documents come class after class
)

// Warning returns a sentence about documents that come class after class, "" about others: they are
// no stream, and what is measured on them says nothing about one.
func (o *Order) Warning() string {
	found, expected := o.Changes()
	if o.documents < fewDocuments || float64(found) >= fewChanges*expected {
		return ""
	}
	times := "once"
	if found != 1 {
		times = fmt.Sprintf("%d times", found)
	}
	return fmt.Sprintf("the documents come class after class: the label changes %s, in a random order it would some "+
		"%.0f times; --shuffle=1 mixes them", times, expected)
}
