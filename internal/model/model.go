package model

import (
	"errors"
	"fmt"

	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/spec"
)

// Model is the counts of a spec's blocks with their likelihoods on top. Its classes, as slices indexed by class
// number have them, are those of Classes.
type Model struct {
	spec     *spec.Spec
	id       string // both fingerprints of the spec
	classes  counts.Classes
	text     *counts.Table // nil: the spec has no text
	event    eventModel    // reads text
	numbers  []numberBlock
	values   []valueBlock // categorical fields, then histograms
	finder   *values      // of the value of a document in each block of values
	logPrior []float64    // by class number: ln P(c)
	losses   [][]float64  // by class number: see prepareLosses
	touched  map[int]bool // classes that changed since ClearChanges, by number
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
	m := &Model{touched: map[int]bool{}}
	if s.Text != nil {
		m.text = counts.NewTable(counts.Options{
			Limit:         s.Limits.Terms,
			CountOfCounts: s.Text.Likelihood == spec.Bernoulli,
			TrackChanges:  true,
		})
	}
	for range s.ValueTables() {
		table := counts.NewTable(counts.Options{Limit: s.Limits.Terms, TrackChanges: true})
		m.values = append(m.values, valueBlock{table: table})
	}
	m.Rescore(s)
	return m
}

// Rescore replaces the spec by one with the same counting settings: likelihoods, smoothing, priors and losses
// change, the counts stay.
func (m *Model) Rescore(s *spec.Spec) {
	m.spec = s
	m.id = s.Counting().String() + s.Scoring().String()
	if s.Text != nil {
		m.event = m.newEventModel(s.Text)
	}
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

// Text returns the counts of the words, nil if the spec has no text. It is a view.
func (m *Model) Text() *counts.Table { return m.text }

// Numbers returns the i-th block of numbers. It is a view.
func (m *Model) Numbers(i int) *gaussian.Block { return m.numbers[i].Block }

// NumbersName returns the name of the i-th block of numbers in evidence: "numbers[0]".
func (m *Model) NumbersName(i int) string { return m.numbers[i].name }

// Values returns the counts of the i-th block of values: a categorical field or, after them, a histogram. It is
// a view.
func (m *Model) Values(i int) *counts.Table { return m.values[i].table }

// ValuesName returns the name of the i-th block of values in evidence: "categories[0]" or "histograms[0]".
func (m *Model) ValuesName(i int) string { return m.values[i].name }

// Apply adds d, all of it or, with an error, nothing. The errors are counts.ErrNegative (d takes out
// what was never learned), *TooManyClassesError and ErrInconsistent; d must be in canonical form.
func (m *Model) Apply(d *Delta) error {
	if err := m.Add(d); err != nil {
		return err
	}
	m.Prepare()
	return nil
}

// Add is Apply without Prepare, for many deltas one after the other: where the spec has numbers, fitting
// them takes longer than adding.
func (m *Model) Add(d *Delta) error {
	if err := m.fits(d); err != nil {
		return err
	}
	ids := make([]int, len(d.Classes))
	for i, name := range d.Classes {
		ids[i] = m.classes.Intern(name)
		m.touched[ids[i]] = true
	}
	if m.text != nil {
		must(m.text.Apply(&d.Text, ids))
	}
	for i := range m.values {
		must(m.values[i].table.Apply(&d.Categories[i], ids))
	}
	for i := range m.numbers {
		for j, sums := range d.Numbers[i] {
			if sums != nil {
				m.numbers[i].Add(ids[j], sums)
			}
		}
	}
	for i, n := range d.Documents {
		must(m.classes.Add(ids[i], n))
	}
	return nil
}

// must is for errors that cannot occur, because fits has checked everything.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// ErrInconsistent says that a delta is well formed and cannot come from documents: it counts for a class
// without documents, or beyond what numbers hold.
var ErrInconsistent = errors.New("delta does not come from documents")

// fits checks everything that could make Apply fail, or leave counts that belong to nobody.
func (m *Model) fits(d *Delta) error {
	if err := d.hasShape(m.spec); err != nil {
		return err
	}
	ids, err := m.classesFit(d)
	if err != nil {
		return err
	}
	if m.text != nil {
		if err := m.text.Fits(&d.Text, ids); err != nil {
			return err
		}
	}
	for i := range m.values {
		if err := m.values[i].table.Fits(&d.Categories[i], ids); err != nil {
			return err
		}
	}
	if err := m.numbersFit(d, ids); err != nil {
		return err
	}
	for i, id := range ids {
		if id >= 0 && m.classes.Documents(id)+d.Documents[i] == 0 && !m.endsEmpty(d, ids, i) {
			return fmt.Errorf("class %q loses its last document and keeps counts: %w", d.Classes[i], ErrInconsistent)
		}
	}
	return nil
}

// classesFit returns the numbers of the delta's classes, -1 for a new one.
func (m *Model) classesFit(d *Delta) (ids []int, err error) {
	ids = make([]int, len(d.Classes))
	live, total := len(m.classes.Live()), m.classes.Total()
	for i, name := range d.Classes {
		id, ok := m.classes.ID(name)
		have := int64(0)
		if ok {
			have = m.classes.Documents(id)
		} else {
			id = -1
		}
		ids[i] = id
		n := d.Documents[i]
		switch {
		case have+n < 0 && n < 0:
			return nil, fmt.Errorf("class %q: %d documents, %d to take out: %w", name, have, -n, counts.ErrNegative)
		case !ok && n <= 0:
			return nil, fmt.Errorf("class %q is new and gets no documents: %w", name, ErrInconsistent)
		case n > counts.MaxCount || total > counts.MaxCount-max(n, 0):
			return nil, fmt.Errorf("class %q gets %d documents, too many to count: %w", name, n, ErrInconsistent)
		case have == 0:
			live++
		}
		total += n
	}
	if limit := m.spec.Limits.Classes; live > limit && live > len(m.classes.Live()) {
		return nil, &TooManyClassesError{Limit: limit}
	}
	return ids, nil
}

// endsEmpty reports whether nothing is counted for the i-th class of d once d is added.
func (m *Model) endsEmpty(d *Delta, ids []int, i int) bool {
	if m.text != nil && m.text.TotalAfter(&d.Text, ids, i) != 0 {
		return false
	}
	for k := range m.values {
		if m.values[k].table.TotalAfter(&d.Categories[k], ids, i) != 0 {
			return false
		}
	}
	for k := range m.numbers {
		if !m.numbers[k].EndsEmpty(ids[i], d.Numbers[k][i]) {
			return false
		}
	}
	return true
}

func (m *Model) numbersFit(d *Delta, ids []int) error {
	for i := range m.numbers {
		for j, sums := range d.Numbers[i] {
			if sums != nil && !m.numbers[i].Fits(ids[j], sums) {
				return fmt.Errorf("%s, class %q: %w", m.numbers[i].name, d.Classes[j], counts.ErrNegative)
			}
		}
	}
	return nil
}

// Prepare brings what depends on the counts, and not on a document, up to date. It must be called after Add
// and before anything but the counts is read.
func (m *Model) Prepare() {
	if m.text != nil {
		m.event.Prepare()
	}
	for i := range m.values {
		m.values[i].like.Prepare()
	}
	for i := range m.numbers {
		m.numbers[i].Prepare(m.classes.Live())
	}
	m.logPrior = m.preparePrior(m.logPrior)
	m.prepareLosses()
}
