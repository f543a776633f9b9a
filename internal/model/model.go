package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/spec"
)

// Model is the table of counts with the likelihoods of a spec on top.
type Model struct {
	spec     *spec.Spec
	classes  counts.Classes
	text     *counts.Table // nil: the spec has no text
	event    eventModel
	numbers  []numberBlock
	blocks   []valueBlock // categorical fields, then histograms
	values   *values
	logPrior []float64 // by class number
	losses   [][]float64
	id       string // of the spec, short
	touched  map[int]bool
}

type numberBlock struct {
	name   string
	names  []string
	fields []int // indexes into Features.Numbers
	*gaussian.Block
}

// New returns a model that has learned nothing.
func New(s *spec.Spec) *Model {
	m := &Model{touched: map[int]bool{}}
	if s.Text != nil {
		m.text = counts.NewTable(counts.Options{Limit: s.Limits.Terms, CountOfCounts: s.Text.Likelihood == spec.Bernoulli, TrackChanges: true})
	}
	for range s.ValueTables() {
		m.blocks = append(m.blocks, valueBlock{table: counts.NewTable(counts.Options{Limit: s.Limits.Terms, TrackChanges: true})})
	}
	m.Rescore(s)
	return m
}

// Rescore replaces the spec by one that counts alike: likelihoods, smoothing, priors and losses
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

func (m *Model) rescoreNumbers(s *spec.Spec) {
	old := m.numbers
	m.numbers = nil
	for i := range s.Numbers {
		n := &s.Numbers[i]
		b := numberBlock{name: fmt.Sprintf("numbers[%d]", i), names: n.Fields, fields: fieldIndexes(s, n), Block: gaussian.NewBlock(*n.Options())}
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

// Numbers returns the i-th block of numbers.
func (m *Model) Numbers(i int) *gaussian.Block { return m.numbers[i].Block }

// Values returns the counts of the values of the i-th categorical field or, after them, histogram.
func (m *Model) Values(i int) *counts.Table { return m.blocks[i].table }

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
	for i := range m.blocks {
		must(m.blocks[i].table.Apply(&d.Categories[i], ids))
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
	for i := range m.blocks {
		if err := m.blocks[i].table.Fits(&d.Categories[i], ids); err != nil {
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
	for k := range m.blocks {
		if m.blocks[k].table.TotalAfter(&d.Categories[k], ids, i) != 0 {
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
// and before the model is asked for anything but its counts.
func (m *Model) Prepare() {
	if m.text != nil {
		m.event.Prepare()
	}
	for i := range m.blocks {
		m.blocks[i].like.Prepare()
	}
	for i := range m.numbers {
		m.numbers[i].Prepare(m.classes.Live())
	}
	m.logPrior = m.preparePrior(m.logPrior)
	m.prepareLosses()
}

// preparePrior sets dst, by class number, to ln P(c). A given prior is renormalised over the classes
// that are there; a class it does not name gets the smallest probability it names.
func (m *Model) preparePrior(dst []float64) []float64 {
	dst = append(dst[:0], make([]float64, m.classes.Cap())...)
	if !m.usesPrior() {
		return dst
	}
	live := m.classes.Live()
	for _, c := range live {
		dst[c] = priorWeight(&m.spec.Prior, m.classes.Name(c), m.classes.Documents(c))
	}
	logShares(dst, live)
	return dst
}

// usesPrior reports whether the prior enters the decision: complement's score has no place for it.
func (m *Model) usesPrior() bool {
	return m.spec.Text == nil || m.spec.Text.Likelihood != spec.Complement
}

// priorWeight returns what P(class) is in proportion to.
func priorWeight(p *spec.Prior, class string, documents int64) float64 {
	switch p.Kind {
	case spec.Uniform:
		return 1
	case spec.Given:
		if v, ok := p.Given[class]; ok {
			return v
		}
		least := math.Inf(1)
		for _, v := range p.Given {
			least = min(least, v)
		}
		return least
	case spec.Pseudo:
		return float64(documents) + p.Given[class]
	}
	return float64(documents)
}

// BlockName returns the name of the i-th block of numbers, as evidence has it.
func (m *Model) BlockName(i int) string { return m.numbers[i].name }

// ValueName returns the name of the i-th table of values, as evidence has it.
func (m *Model) ValueName(i int) string { return m.blocks[i].name }

// some lists names, but not so many that a sentence ends beyond its reader.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// named puts its name into what package gaussian, which knows fields by their number, says of a field.
func named(problem string, names []string) string {
	number, why, ok := strings.Cut(strings.TrimPrefix(problem, "field "), ": ")
	i, err := strconv.Atoi(number)
	if !ok || err != nil || i < 0 || i >= len(names) {
		return problem
	}
	return fmt.Sprintf("field %q: %s", names[i], why)
}

// Problems says which blocks of numbers cannot be evaluated for which classes, and why: decisions would
// be made without those blocks.
func (m *Model) Problems() []string {
	var out []string
	for i := range m.numbers {
		b := &m.numbers[i]
		all := make([]Number, len(b.fields))
		for j := range all {
			all[j].Present = true
		}
		for _, c := range m.classes.Live() {
			if why := b.Problem(c, all); why != "" {
				out = append(out, fmt.Sprintf("%s (%s) cannot be evaluated for class %q: %s", b.name, some(b.names), m.classes.Name(c), named(why, b.names)))
			}
		}
	}
	return out
}
