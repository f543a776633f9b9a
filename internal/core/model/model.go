package model

import (
	"fmt"
	"slices"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// Model is the counts of a spec's blocks with their likelihoods on top. Its classes, as slices
// indexed by class number have them, are those of Classes.
type Model struct {
	spec    *spec.Spec
	id      string // both fingerprints of the spec
	classes counts.Classes
	text    *counts.Table // nil: the spec has no text
	tables  []*counts.Table

	corrections *counts.Corrections // nil: the spec has none
	judge       *scoring            // finds the documents that correct; nil: none does
	runClasses  []int               // by class of corrections of characters: that of the model; -1: it has no documents

	lead     *scoring // decides
	fallback *scoring // decides where the leader of a race does not; else it is lead
	leader   leader   // of the race
	numbers  []numberBlock
	values   []valueBlock // categorical fields, then histograms, then spec.TextTables if there is a text
	finder   *values      // of the value of a document in each block of values
	logPrior []float64    // by class number: ln P(c), where it enters
	losses   [][]float64  // by class number: see prepareLosses
	touched  map[int]bool // classes that changed since ClearChanges, by number
	digest   digest.Sum   // of all counts
	keys     digestKeys
}

// numberBlock is a vector of numbers with the likelihood that holds its sums.
type numberBlock struct {
	name   string   // in evidence
	names  []string // of the fields
	fields []int    // indexes into Features.Numbers
	*gaussian.Block
}

// New returns a model that has learned nothing.
func New(s *spec.Spec) *Model {
	r := race.NewState(race.Of(s))
	m := &Model{touched: map[int]bool{}, leader: leader{r.Leader(), r.Multinomial()}}
	if s.Text != nil {
		m.text = counts.NewTable(counts.Options{
			Limit:         s.Limits.Terms,
			CountOfCounts: s.Text.Likelihood == spec.Bernoulli,
		})
		m.tables = append(m.tables, m.text)
		if s.Text.Corrections {
			m.corrections = counts.NewCorrections(s.Limits.Terms)
		}
	}
	for i := range s.ValueTables() {
		limit := s.Limits.Terms
		if at := i - s.FieldTables(); 0 <= at && at < spec.ShapeTables {
			limit = 0 // sizes are few
		}
		table := counts.NewTable(counts.Options{Limit: limit})
		m.values = append(m.values, valueBlock{table: table})
		m.tables = append(m.tables, table)
	}
	m.Rescore(s)
	m.keys = newDigestKeys(m)
	return m
}

// Rescore replaces the spec by one with the same counting settings: likelihoods, smoothing, priors
// and losses change, the counts stay.
func (m *Model) Rescore(s *spec.Spec) {
	m.spec = s
	m.classes.Expect(s.Expected())
	m.id = s.Counting().String() + s.Scoring().String()
	m.setScoring()
	m.rescoreValues(s)
	m.rescoreNumbers(s)
	m.Prepare()
}

// rescoreNumbers gives the sums to likelihoods of a spec.
func (m *Model) rescoreNumbers(s *spec.Spec) {
	old := m.numbers
	m.numbers = nil
	for i := range s.Numbers {
		n := &s.Numbers[i]
		b := numberBlock{
			name:   fmt.Sprintf("numbers[%d]", i),
			names:  n.Fields,
			fields: fieldIndexes(s, n),
			Block:  gaussian.NewBlock(*n.Options()),
		}
		for c := range m.classes.Cap() {
			if i < len(old) && old[i].Sums(c) != nil {
				b.Add(c, old[i].Sums(c))
			}
		}
		m.numbers = append(m.numbers, b)
	}
}

// Spec returns the spec. It must not be changed.
func (m *Model) Spec() *spec.Spec { return m.spec }

// Classes returns the classes and their documents. It is a view.
func (m *Model) Classes() *counts.Classes { return &m.classes }

// ClassNames returns the names of the classes that have documents, and of those that the spec names
// in classes or expects, in order. It is empty and not nil where there are none.
func (m *Model) ClassNames() []string {
	names := append([]string{}, m.spec.Classes...)
	names = append(names, m.spec.Expected()...)
	for _, c := range m.classes.Live() {
		names = append(names, m.classes.Name(c))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Text returns the counts of the words, nil if the spec has no text. It is a view.
func (m *Model) Text() *counts.Table { return m.text }

// Numbers returns the i-th block of numbers. It is a view.
func (m *Model) Numbers(i int) *gaussian.Block { return m.numbers[i].Block }

// NumbersName returns the name of the i-th block of numbers in evidence: "numbers[0]".
func (m *Model) NumbersName(i int) string { return m.numbers[i].name }

// Values returns the counts of the i-th block of values, in the order of spec.Spec.ValueTable. It
// is a view.
func (m *Model) Values(i int) *counts.Table { return m.values[i].table }

// ValuesOf returns the counts of the block of values with a name, nil if there is none. It is a
// view.
func (m *Model) ValuesOf(name string) *counts.Table {
	for i := range m.values {
		if m.values[i].name == name {
			return m.values[i].table
		}
	}
	return nil
}

// ValuesName returns the name of the i-th block of values in evidence: "categories[0]",
// "histograms[0]", or one of TextBlocks.
func (m *Model) ValuesName(i int) string { return m.values[i].name }

// Prepare brings what depends on the counts, and not on a document, up to date. It must be called
// after Add and before anything but the counts is read.
func (m *Model) Prepare() {
	m.prepareScoring()
	for i := range m.values {
		m.values[i].like.Prepare()
	}
	for i := range m.numbers {
		m.numbers[i].Prepare(m.classes.Live())
	}
	m.digest = m.digestOf(m.classes.Live())
	m.logPrior = zeros(m.logPrior, m.classes.Cap())
	m.logPriors(m.logPrior, &m.spec.Prior)
	m.prepareLosses()
}
