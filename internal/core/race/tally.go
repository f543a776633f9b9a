package race

import (
	"fmt"

	"bayestream/internal/counts"
)

// Tally is what the decisions on scored records, as they were given, come to for a class.
type Tally struct {
	Records int64 // of the class
	Right   int64 // of these, decided right
	Decided int64 // decided as the class, right or wrong
}

// IsTally reports whether there can be such a tally.
func (n Tally) IsTally() bool {
	return n.Right >= 0 && n.Right <= min(n.Records, n.Decided) && max(n.Records, n.Decided) <= maxScored
}

// Tallies are those of classes, by name.
type Tallies map[string]Tally

// Score adds the decision on a record. decided is "" where no class was.
func (t Tallies) Score(truth, decided string) {
	of := t[truth]
	of.Records++
	if truth == decided {
		of.Right++
	}
	t[truth] = of
	if decided != "" {
		of := t[decided]
		of.Decided++
		t[decided] = of
	}
}

// Add adds others.
func (t Tallies) Add(o Tallies) {
	for class, n := range o {
		of := t[class]
		t[class] = Tally{of.Records + n.Records, of.Right + n.Right, of.Decided + n.Decided}
	}
}

// Halve halves all counts. A class that is left with none goes.
func (t Tallies) Halve() {
	for class, n := range t {
		n = Tally{n.Records / 2, n.Right / 2, n.Decided / 2}
		t[class] = n
		if n == (Tally{}) {
			delete(t, class)
		}
	}
}

// Rename moves what is known of a class to another name, which another class may have.
func (t Tallies) Rename(from, to string) {
	if of, ok := t[from]; ok {
		delete(t, from)
		t.Add(Tallies{to: of})
	}
}

// Check returns an error if a class can have no such tally.
func (t Tallies) Check() error {
	for class, n := range t {
		if err := counts.CheckClass(class); err != nil {
			return fmt.Errorf("scores: a class %w", err)
		}
		if !n.IsTally() || n == (Tally{}) {
			return fmt.Errorf("class %q cannot have %+v", class, n)
		}
	}
	return nil
}

// CheckOf returns an error if the records of sums cannot have such tallies. Sums may have none.
func (t Tallies) CheckOf(s *Sums) error {
	if len(t) == 0 {
		return nil
	}
	var all Tally
	for _, n := range t {
		all = Tally{all.Records + n.Records, all.Right + n.Right, all.Decided + n.Decided}
	}
	if err := t.Check(); err != nil {
		return err
	}
	if all.Records != s.Scored || all.Right != s.Scored-s.Decided.Errors || all.Decided > s.Scored {
		return fmt.Errorf("the classes of %d scored records with %d errors have %+v together", s.Scored, s.Decided.Errors,
			all)
	}
	return nil
}
