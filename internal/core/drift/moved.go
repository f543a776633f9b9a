package drift

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/counts"
)

// Alarm is a drift that was found.
type Alarm struct {
	Place              // of the delta that showed it
	Since         Mark // of the first delta of the rise of the errors
	Before, After Rate
	Classes       []Class // that moved, the most first
}

// Rate is the errors of scored records.
type Rate struct{ Scored, Errors int64 }

// Class is a class that moved.
type Class struct {
	Name          string
	Before, After race.Tally
	Ratio         int64  // how sure it is that its share or its errors changed, in race.Unit
	Words         []Word // that moved, the most first
}

// Word is a term whose share of the terms of a class changed.
type Word struct {
	Table         int // index of Model.Tables
	Term          string
	Before, After Share
	Ratio         int64 // how sure it is that it changed, in race.Unit: below 0 the word has become rarer
}

// Share is a count of so many.
type Share struct{ Count, Of int64 }

const (
	mostClasses = 4
	mostWords   = 8 // of a class
	// leastClass and leastWord are the ratios that chance exceeds once in 1,000 classes and in 10,000
	// words: the quantiles of chi squared with two degrees of freedom, and with one.
	leastClass = 13_82 * race.Unit / 100
	leastWord  = 15_13 * race.Unit / 100
)

// moved returns the classes whose share of the records, or whose errors, changed.
func moved(before, after race.Tallies) []Class {
	all := race.Tallies{}
	all.Add(before)
	all.Add(after)
	n := sum(before)
	m := sum(after)
	var out []Class
	for name := range all {
		b := before[name]
		a := after[name]
		c := Class{Name: name, Before: b, After: a}
		c.Ratio = ratio([]int64{b.Right, b.Records - b.Right, n - b.Records},
			[]int64{a.Right, a.Records - a.Right, m - a.Records})
		if c.Ratio >= leastClass {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y Class) int {
		return cmp.Or(cmp.Compare(y.Ratio, x.Ratio), strings.Compare(x.Name, y.Name))
	})
	return slices.Clip(out[:min(len(out), mostClasses)])
}

func sum(t race.Tallies) (records int64) {
	for _, n := range t {
		records += n.Records
	}
	return records
}

// findWords sets the words of classes that moved: of what was learned against what the model has
// without it.
func findWords(m *model.Model, learned *Recent, classes []Class) {
	for i, t := range m.Tables() {
		x := comparison{index: i, table: t, learned: learned, hits: map[string]int64{}}
		for key, n := range learned.Counts {
			if key.Table == i {
				x.hits[key.Term] += n
			}
		}
		for j := range classes {
			if id, ok := m.Classes().ID(classes[j].Name); ok {
				x.sides = append(x.sides, x.side(m, id, &classes[j]))
			}
		}
		for term, cells := range t.Rows {
			for j := range x.sides {
				x.compare(&x.sides[j], term, cells)
			}
		}
	}
	for i := range classes {
		w := classes[i].Words
		slices.SortFunc(w, func(a, b Word) int {
			return cmp.Or(cmp.Compare(abs(b.Ratio), abs(a.Ratio)), cmp.Compare(a.Table, b.Table),
				strings.Compare(a.Term, b.Term))
		})
		classes[i].Words = slices.Clip(w[:min(len(w), mostWords)])
	}
}

func abs(n int64) int64 { return max(n, -n) }

// comparison compares what was learned in a table with what was there before.
type comparison struct {
	index   int
	table   *counts.Table
	learned *Recent
	hits    map[string]int64 // by term: what was learned of it in all classes
	sides   []side
}

// side is a class in a comparison.
type side struct {
	class         *Class
	id            int
	isNew         bool  // the class was not there before: it is compared with all that was
	before, after int64 // terms
}

func (x *comparison) side(m *model.Model, id int, c *Class) side {
	out := side{class: c, id: id, after: x.learned.Totals[Of{x.index, c.Name}]}
	out.before = max(0, x.table.Total(id)-out.after)
	// A vocabulary that is frozen, and documents that were replaced since, make this less than there
	// was. A class whose records were seen before is not taken for a new one then.
	if out.before > 0 || c.Before.Records > 0 {
		return out
	}
	out.isNew = true
	for _, other := range m.Classes().Live() {
		out.before += x.table.Total(other)
	}
	for of, n := range x.learned.Totals {
		if of.Table == x.index {
			out.before -= n
		}
	}
	out.before = max(0, out.before)
	return out
}

// compare adds a word to a class if it moved. Of what is not known for sure, that is taken which
// says less.
func (x *comparison) compare(s *side, term []byte, cells []counts.Cell) {
	counted := s.count(cells)
	if s.before == 0 || s.after == 0 || counted == 0 || len(term) > longest {
		return
	}
	least := x.learned.Counts[Key{Of{x.index, s.class.Name}, string(term)}]
	all := least
	if s.isNew {
		all = x.hits[string(term)]
	}
	before := min(max(0, counted-all), s.before) // at most
	most := least + min(x.learned.Missed, before)
	w := Word{Table: x.index, Before: Share{before, s.before}, After: Share{least, s.after}}
	switch {
	case isMore(w.After, w.Before):
		w.Ratio = w.ratio()
	case s.isNew || !canMove(w.Before, s.after):
		return
	default:
		w.After.Count = most
		w.Before.Count -= most - least
		if isMore(w.After, w.Before) {
			return
		}
		w.Ratio = -w.ratio()
	}
	if abs(w.Ratio) >= leastWord {
		w.Term = string(term)
		s.class.Words = append(s.class.Words, w)
	}
}

func (s *side) count(cells []counts.Cell) (n int64) {
	for _, c := range cells {
		if s.isNew || c.Class() == s.id {
			n += c.Count()
		}
	}
	return n
}

// ratio returns the ratio of a word against the other words.
func (w *Word) ratio() int64 {
	return ratio([]int64{w.Before.Count, max(0, w.Before.Of-w.Before.Count)},
		[]int64{w.After.Count, max(0, w.After.Of-w.After.Count)})
}

// isMore reports whether a share is larger than another.
func isMore(a, b Share) bool { return product(a.Count, b.Of) > product(b.Count, a.Of) }

// canMove reports whether a word can have become rarer by more than chance: if so many of it were
// to be expected behind the change that none would be leastWord.
func canMove(before Share, after int64) bool {
	const least = leastWord / race.Unit / 2
	return product(before.Count, after) >= product(least, before.Of)
}

// product returns the product of two counts, which may not fit into 64 bits. It is rounded alike on
// every architecture.
func product(a, b int64) float64 { return float64(a) * float64(b) }

// check returns an error if there can be no such alarm.
func (a *Alarm) check() error {
	ok := a.Offset >= a.Since.Offset && a.Since.Offset >= 0 && a.Before.isRate() && a.After.isRate() &&
		len(a.Classes) <= mostClasses
	for i := range a.Classes {
		c := &a.Classes[i]
		ok = ok && counts.CheckClass(c.Name) == nil && c.Before.IsTally() && c.After.IsTally() && len(c.Words) <= mostWords &&
			c.Ratio >= 0
		for j := range c.Words {
			w := &c.Words[j]
			ok = ok && w.Table >= 0 && w.Before.isShare() && w.After.isShare() && counts.CheckTerm([]byte(w.Term)) == nil
		}
	}
	if !ok {
		return fmt.Errorf("there can be no drift such as that at offset %d", a.Offset)
	}
	return nil
}

func (r Rate) isRate() bool   { return r.Errors >= 0 && r.Errors <= r.Scored }
func (s Share) isShare() bool { return s.Count >= 0 && s.Count <= s.Of }

// WordName names what moved: a word of the text as it is, a term of another table with the table,
// as in "length 16-23".
func WordName(table, term string) string {
	if table == "text" {
		return term
	}
	return table + " " + term
}

// Names returns the classes that moved in a model, and the names of the words, each once.
func (a *Alarm) Names(m *model.Model) (classes, words []string) {
	for i := range a.Classes {
		classes = append(classes, a.Classes[i].Name)
		for _, w := range a.Classes[i].Words {
			name := WordName(m.TableName(w.Table), w.Term)
			if !slices.Contains(words, name) {
				words = append(words, name)
			}
		}
	}
	return classes, words
}

const (
	// fraction is how many bits of a logarithm are behind the point.
	fraction = 30
	// mostSample is above what is compared of a side: larger counts are taken for a sample of them. A
	// sum of seven terms n log2 n of two sides then fits into 63 bits.
	mostSample = 1 << 24
	// ln2 is the natural logarithm of 2, in race.Unit.
	ln2 = 726817
)

// log2 returns the logarithm of n > 0, cut off behind so many bits: its integer part is the length
// of n, and each further bit says whether the square is 2 or more.
func log2(n uint64) int64 {
	out := int64(bits.Len64(n) - 1)
	n <<= bits.LeadingZeros64(n) // 1 to 2, with 63 bits behind the point
	for range fraction {
		out <<= 1
		n, _ = bits.Mul64(n, n) // 62 bits behind the point
		if n>>63 == 1 {
			out++
		} else {
			n <<= 1
		}
	}
	return out
}

// entropy returns n log2 n, with fraction bits behind the point.
func entropy(n int64) int64 {
	if n <= 1 {
		return 0
	}
	return n * log2(uint64(n))
}

// ratio returns the log-likelihood ratio G² (Dunning 1993) of a table of two rows and any number of
// columns, in race.Unit: how much better two distributions explain the rows than one does. It is
// computed in integers, and so the same on every architecture. Rows of more than mostSample are
// taken for a sample.
func ratio(a, b []int64) int64 {
	var sums [2]int64
	for i := range a {
		sums[0] += a[i]
		sums[1] += b[i]
	}
	cut := [2]int{shift(sums[0]), shift(sums[1])}
	var whole int64
	var rows [2]int64
	for i := range a {
		x := a[i] >> cut[0]
		y := b[i] >> cut[1]
		rows[0] += x
		rows[1] += y
		whole += entropy(x) + entropy(y) - entropy(x+y)
	}
	whole += entropy(rows[0]+rows[1]) - entropy(rows[0]) - entropy(rows[1])
	if whole <= 0 {
		return 0
	}
	const unit = fraction - 20 // bits below those of race.Unit
	inBits := whole >> unit
	return 2 * (inBits/race.Unit*ln2 + inBits%race.Unit*ln2/race.Unit)
}

// shift returns by how many bits a count is too long for a sample.
func shift(n int64) int { return max(0, bits.Len64(uint64(n))-bits.Len64(mostSample-1)) }
