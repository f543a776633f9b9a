package exchange

import (
	"fmt"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
)

// sum names what a Counts adds up: the counts of a class in a table, or its documents.
type sum struct {
	table int // of Model.Tables
	class string
}

// documents in a sum stands for no table.
const documents = -1

// use sets the spec, or returns an error if it has other counting settings than the first one.
func (c *Counts) use(s *spec.Spec) error {
	if c.Spec == nil {
		c.Spec = s
		c.builder = model.NewBuilder(s)
		c.sums = map[sum]int64{}
		return nil
	}
	if diff := s.CountingDifference(c.Spec); diff != "" {
		return fmt.Errorf("it counts differently than the export before it: %s", diff)
	}
	return nil
}

// addDocuments adds n documents to a class.
func (c *Counts) addDocuments(class string, n int64) error {
	if !c.add(sum{documents, class}, n) {
		return fmt.Errorf("%d documents are more than can be counted", n)
	}
	c.builder.AddDocuments(class, n)
	return nil
}

// addCount adds n to the count of a term in a class.
func (c *Counts) addCount(table int, term []byte, class string, n int64) error {
	if err := counts.CheckTerm(term); err != nil {
		return fmt.Errorf("the term %w", err)
	}
	if !c.add(sum{table, class}, n) {
		return fmt.Errorf("the class would have more than %d tokens", int64(counts.MaxCount))
	}
	c.builder.AddCount(table, class, term, n)
	return nil
}

// add adds to a sum unless it would exceed counts.MaxCount.
func (c *Counts) add(of sum, n int64) bool {
	if n > counts.MaxCount-c.sums[of] {
		return false
	}
	c.sums[of] += n
	return true
}
