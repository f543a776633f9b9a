package multinomial

import (
	"math"
	"slices"

	"bayestream/internal/bow"
)

// maxEntries is how many entries a Scorer remembers before it forgets all of them: 8 MiB, and what
// one document adds.
const maxEntries = 8 << 20 / 10

// maxPadded is up to how many classes every row has an entry for every class, 0 or not. All rows
// are then of one length and added class by class; with more classes the additional entries cost
// more than that saves.
const maxPadded = 64

// A Scorer sums the rows of a Likelihood over the tokens of documents. It is scratch of one
// goroutine.
//
// It remembers the row of each term until the counts change, because a stream has the same terms
// again and again. Most classes have not counted most terms, and these classes share a part: with
// base_t the logarithm of the numerator of theta_tc in a class without t,
//
//	f_c ln theta_tc = f_c (base_t - ln denominator_c) + f_c (ln numerator_tc - base_t)
//
// A remembered row is base_t and, in the order of the classes, an entry with the second part, and
// with lambda w_tc, for those where it is not 0. The first part is added once for each class and document:
//
//	score_c = f_c (sum_t x_t base_t - sum_t x_t ln denominator_c) + sum_t x_t entry_tc
type Scorer struct {
	like    *Likelihood
	version uint64       // of like, when the rows were computed
	lexicon *bow.Lexicon // that numbers the terms
	padded  bool         // whether every row has an entry for every class
	epoch   uint32       // how often the rows were forgotten
	places  []place      // by number of the term
	values  []float64    // one row behind the other: base_t, then the entries
	classes []uint16     // of the entries; beside base_t how many entries follow, less one
	rows    []uint32     // by term of the last bag: where the entries of its row begin; 0: no class has counted it

	// Of a bag, the terms that are not remembered, and by these their rows.
	unknown            []int32
	counted, corrected []int32
}

// place is what is remembered of a term: where the entries of its row begin. It is valid in one
// epoch.
type place struct{ epoch, begin uint32 }

// NewScorer returns a scorer of documents under l.
func NewScorer(l *Likelihood) *Scorer { return &Scorer{like: l} }

// Add adds the score of the bag for each live class to dst, indexed by class number, and returns
// how many of its tokens are known: those of terms that any class has counted.
func (s *Scorer) Add(dst []float64, bag *bow.Bag) (known int) {
	s.find(bag)
	base := 0.0
	sum := 0.0 // of what the known terms weigh
	for i, begin := range s.rows {
		if begin == 0 {
			continue
		}
		known += int(bag.Count(i))
		x := s.like.frequency(bag.Count(i))
		sum += x
		base += x * s.values[begin-1]
		if s.padded {
			for c, v := range s.values[begin:][:len(s.like.factor)] {
				dst[c] += x * v
			}
			continue
		}
		classes, values := s.entries(begin)
		for k, v := range values {
			dst[classes[k]] += x * v
		}
	}
	if known == 0 {
		return 0 // with an empty vocabulary the denominators are zero
	}
	l := s.like
	for _, c := range l.classes.Choices() {
		dst[c] += l.factor[c] * (base - sum*l.logDen[c])
	}
	return known
}

// AppendWeights appends, for each term of the bag of the last call of Add, x_t (f_a ln theta_ta -
// f_b ln theta_tb): of a Multinomial the weight of evidence (Good 1950) of its tokens for class a
// against class b; NaN for a term that no class has counted. Of the form above only base_t and the
// entries depend on the term:
//
//	x_t ((f_a - f_b) base_t - (f_a ln denominator_a - f_b ln denominator_b) + entry_ta - entry_tb)
func (s *Scorer) AppendWeights(dst []float64, bag *bow.Bag, a, b int) []float64 {
	l := s.like
	factor := l.factor[a] - l.factor[b]
	logDen := l.factor[a]*l.logDen[a] - l.factor[b]*l.logDen[b]
	for i, begin := range s.rows {
		w := math.NaN()
		if begin > 0 {
			entries := s.entry(begin, a) - s.entry(begin, b)
			w = l.frequency(bag.Count(i)) * (factor*s.values[begin-1] - logDen + entries)
		}
		dst = append(dst, w)
	}
	return dst
}

func (s *Scorer) entries(begin uint32) (classes []uint16, values []float64) {
	n := int(s.classes[begin-1]) + 1
	return s.classes[begin:][:n], s.values[begin:][:n]
}

// entry returns the entry of a class in a row, 0 if there is none.
func (s *Scorer) entry(begin uint32, class int) float64 {
	if s.padded {
		return s.values[int(begin)+class]
	}
	return s.sparseEntry(begin, class)
}

func (s *Scorer) sparseEntry(begin uint32, class int) float64 {
	classes, values := s.entries(begin)
	k, ok := slices.BinarySearch(classes, uint16(class))
	if !ok {
		return 0
	}
	return values[k]
}

// find sets s.rows, and remembers the rows of terms that are new.
func (s *Scorer) find(bag *bow.Bag) {
	if s.version != s.like.version || s.lexicon != bag.Lexicon() || len(s.values) > maxEntries {
		s.version = s.like.version
		s.lexicon = bag.Lexicon()
		s.forget()
	}
	if n := s.lexicon.Len(); len(s.places) < n {
		s.places = append(s.places, make([]place, n-len(s.places))...)
	}
	s.rows = s.rows[:0]
	s.unknown = s.unknown[:0]
	for i := range bag.Len() {
		p := s.places[bag.Number(i)]
		if p.epoch != s.epoch {
			s.unknown = append(s.unknown, int32(i))
		}
		s.rows = append(s.rows, p.begin)
	}
	if len(s.unknown) == 0 {
		return
	}
	s.counted = s.like.table.AppendRows(s.counted[:0], bag, s.unknown)
	s.corrected = s.like.corrections.appendRows(s.corrected[:0], bag, s.unknown)
	for k, i := range s.unknown {
		p := place{epoch: s.epoch, begin: s.remember(int(s.counted[k]), int(s.corrected[k]))}
		s.places[bag.Number(int(i))] = p
		s.rows[i] = p.begin
	}
}

func (s *Scorer) forget() {
	s.padded = len(s.like.factor) <= maxPadded
	s.values = s.values[:0]
	s.classes = s.classes[:0]
	s.epoch++
	if s.epoch == 0 { // the counter wrapped: rows of long ago would be valid again
		clear(s.places)
		s.epoch = 1
	}
}

// remember appends to s.values what a row of the counts and one of the corrections say of a term; -1:
// there is none. It returns where the entries begin, 0 if no class has counted the term.
func (s *Scorer) remember(row, corrected int) uint32 {
	l := s.like
	if row < 0 {
		return 0
	}
	cells := l.table.Cells(row)
	if len(cells) == 0 {
		return 0
	}
	n := l.total(cells)
	base := l.logNumerator(0, n)
	s.append(0, base)
	begin := len(s.values)
	if s.padded {
		for c := range l.factor {
			s.append(c, 0)
		}
	}
	for _, cell := range cells {
		c := cell.Class()
		v := l.factor[c] * (l.logNumerator(cell.Count(), n) - base)
		if s.padded {
			s.values[begin+c] = v
		} else {
			s.append(c, v)
		}
	}
	l.corrections.each(corrected, func(class int, score float64) { s.correct(begin, class, score) })
	s.classes[begin-1] = uint16(len(s.values) - begin - 1)
	return uint32(begin)
}

// correct adds a value to the entry of a class in the last row.
func (s *Scorer) correct(begin, class int, value float64) {
	if s.padded {
		s.values[begin+class] += value
		return
	}
	k, isThere := slices.BinarySearch(s.classes[begin:], uint16(class))
	if isThere {
		s.values[begin+k] += value
		return
	}
	s.classes = slices.Insert(s.classes, begin+k, uint16(class))
	s.values = slices.Insert(s.values, begin+k, value)
}

func (s *Scorer) append(class int, value float64) {
	s.classes = append(s.classes, uint16(class))
	s.values = append(s.values, value)
}
