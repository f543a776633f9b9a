package counts

import "bayestream/internal/bow"

// A Difference adds up what documents change in a table. Observe only appends counts; they are
// added up by Terms, or on the way when there are many. The zero value is empty and ready for use.
type Difference struct {
	parts    []*part // one for each lexicon; the last one is used most
	appended int     // counts since they were added up last
	kept     int     // counts that were left then
	scratch  scratch

	// Upper bounds of what Terms returns.
	bytes    int // of the terms
	cells    int // of the classes below maskedClasses
	unmasked int // cells of the other classes
}

// manyCounts is the number of appended counts from which on they are added up.
const manyCounts = 1 << 13

// A term has one bit for each of the first classes that have it, and one for any class.
const (
	maskedClasses = 63
	anyClass      = 1 << maskedClasses
)

// Observe adds n times the counts of the bag, or with presence n for each of its terms, to class.
func (d *Difference) Observe(class int, n int64, bag *bow.Bag, presence bool) {
	p, bits := d.begin(class, bag.Lexicon(), bag.Len())
	c := &p.classes[class]
	c.grow(bag.Len())
	for i := range bag.Len() {
		x := n
		if !presence {
			x *= int64(bag.Count(i))
		}
		number := bag.Number(i)
		c.numbers = append(c.numbers, number)
		c.counts = append(c.counts, x)
		if p.seen[number]&bits != bits {
			d.see(p, number, bits)
		}
	}
}

// Add adds n to the count of the term with a number in a lexicon.
func (d *Difference) Add(class int, n int64, l *bow.Lexicon, number uint32) {
	p, bits := d.begin(class, l, 1)
	c := &p.classes[class]
	c.numbers = append(c.numbers, number)
	c.counts = append(c.counts, n)
	if p.seen[number]&bits != bits {
		d.see(p, number, bits)
	}
}

// begin prepares for so many more counts of a class, of terms that a lexicon numbers. It returns
// the part that they belong to, and the bits of part.seen that their terms get.
func (d *Difference) begin(class int, l *bow.Lexicon, terms int) (p *part, bits uint64) {
	if d.appended > max(manyCounts, 3*d.kept) {
		d.addUp()
	}
	d.appended += terms
	p = d.part(l)
	for len(p.classes) <= class {
		p.classes = append(p.classes, observed{})
	}
	if class < maskedClasses {
		return p, anyClass | 1<<class
	}
	d.unmasked += terms
	return p, anyClass
}

// see keeps the bounds when a class has a term for the first time.
func (d *Difference) see(p *part, number uint32, bits uint64) {
	if p.seen[number] == 0 {
		p.terms = append(p.terms, number)
		d.bytes += len(p.lexicon.Term(number))
	}
	if bits != anyClass {
		d.cells++
	}
	p.seen[number] |= bits
}

// addUp leaves one count for each term of each class.
func (d *Difference) addUp() {
	d.appended = 0
	d.kept = 0
	d.unmasked = 0
	for _, p := range d.parts {
		for class := range p.classes {
			n := d.scratch.addUp(&p.classes[class])
			d.kept += n
			if class >= maskedClasses {
				d.unmasked += n
			}
		}
	}
}

func (d *Difference) part(l *bow.Lexicon) *part {
	for i := len(d.parts) - 1; i >= 0; i-- {
		if p := d.parts[i]; p.lexicon == l {
			p.widen(&d.scratch)
			return p
		}
	}
	p := &part{lexicon: l}
	p.widen(&d.scratch)
	d.parts = append(d.parts, p)
	return p
}

// Reset empties the difference. It keeps the memory for one lexicon: most likely the next documents
// have it too.
func (d *Difference) Reset() {
	if n := len(d.parts); n > 0 {
		last := d.parts[n-1]
		clear(d.parts)
		last.reset()
		d.parts = append(d.parts[:0], last)
	}
	*d = Difference{parts: d.parts, scratch: d.scratch}
}

// Size bounds what Terms returns: its terms, their bytes and its cells.
func (d *Difference) Size() (terms, bytes, cells int) {
	for _, p := range d.parts {
		terms += len(p.terms)
	}
	return terms, d.bytes, d.cells + d.unmasked
}

// Terms returns the difference in canonical form. rank gives each class number its index among the
// classes of the delta, each another one.
func (d *Difference) Terms(rank []int) Terms {
	if len(d.parts) == 0 {
		return Terms{}
	}
	sums := make([]Terms, 0, len(d.parts))
	for _, p := range d.parts {
		sums = append(sums, p.sum(rank, &d.scratch))
	}
	for len(sums) > 1 { // neighbours first, so that each term is copied log2(parts) times
		half := sums[:0]
		for i := 0; i+1 < len(sums); i += 2 {
			half = append(half, sums[i].Plus(&sums[i+1]))
		}
		if len(sums)%2 == 1 {
			half = append(half, sums[len(sums)-1])
		}
		sums = half
	}
	return sums[0]
}
