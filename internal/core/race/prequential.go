package race

import "fmt"

const (
	// newest is how many scored records a window has, once there are so many.
	newest = 1000
	// inBlock is how many fill a block of the window.
	inBlock = 100
	// MostBlocks is how many blocks a window has at most: all but the oldest hold fewer than newest
	// records, and all but the last are full.
	MostBlocks = newest/inBlock + 1
	// mostLoss bounds the sums of a stream: what a delta adds does not overflow.
	mostLoss = 1 << 62
)

// Prequential is what the decisions on the scored records of a stream, as they were given, come to
// (Dawid 1984): all of them, and the newest: 1,000 or some more, because what a delta says stays
// together.
type Prequential struct {
	Scored, Errors int64
	Loss           int64 // log loss in Unit
	Window         []Block
}

// Block is some of the newest records, in the order of the log.
type Block struct {
	Scored  int64
	Decided Decided
	Classes Tallies
}

// Add adds what a delta says.
func (p *Prequential) Add(s *Sums, classes Tallies) {
	if s.Scored == 0 {
		return
	}
	p.Scored += s.Scored
	p.Errors += s.Decided.Errors
	p.Loss += s.Decided.Loss
	n := len(p.Window)
	if n == 0 || p.Window[n-1].Scored >= inBlock {
		p.Window = append(p.Window, Block{Classes: Tallies{}})
		n++
	}
	p.Window[n-1].add(&Block{s.Scored, s.Decided, classes})
	old := 0
	for kept := p.windowed(); kept-p.Window[old].Scored >= newest; old++ {
		kept -= p.Window[old].Scored
	}
	if old > 0 {
		p.Window = append([]Block(nil), p.Window[old:]...)
	}
}

func (b *Block) add(o *Block) {
	b.Scored += o.Scored
	b.Decided.Errors += o.Decided.Errors
	b.Decided.Loss += o.Decided.Loss
	b.Decided.Confidence.each(&o.Decided.Confidence, add)
	b.Classes.Add(o.Classes)
}

func (p *Prequential) windowed() (n int64) {
	for i := range p.Window {
		n += p.Window[i].Scored
	}
	return n
}

// Newest returns what the window comes to.
func (p *Prequential) Newest() *Block {
	sum := &Block{Classes: Tallies{}}
	for i := range p.Window {
		sum.add(&p.Window[i])
	}
	return sum
}

// Rename moves what is known of a class to another name.
func (p *Prequential) Rename(from, to string) {
	for i := range p.Window {
		p.Window[i].Classes.Rename(from, to)
	}
}

// Check returns an error if there can be no such sums.
func (p *Prequential) Check() error {
	if p.Errors < 0 || p.Errors > p.Scored || p.Scored > mostLoss || p.Loss < 0 || p.Loss > mostLoss ||
		p.Loss/MaxLoss > p.Scored {
		return fmt.Errorf("%d scored records of a stream cannot have %d errors, or a log loss of %d", p.Scored, p.Errors,
			p.Loss)
	}
	for i := range p.Window {
		b := &p.Window[i]
		s := Sums{Scored: b.Scored, Decided: b.Decided}
		if b.Scored <= 0 || b.Scored > maxScored || !s.isDecided() {
			return fmt.Errorf("a window cannot have %d records with %d errors, or their log loss or confidence", b.Scored,
				b.Decided.Errors)
		}
		if err := b.Classes.Check(); err != nil {
			return err
		}
	}
	if p.windowed() > p.Scored {
		return fmt.Errorf("a window of %d records of %d that were scored", p.windowed(), p.Scored)
	}
	return nil
}
