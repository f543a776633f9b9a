package recount

import (
	"bytes"
	"maps"

	"bayestream/internal/shell/modellog/logpb"
)

// control does what a control says, if it was made for this log as it is.
func (l *Log) control(at int64, c *logpb.Control) {
	if !bytes.Equal(l.id, c.GetLogId()) || c.GetEra() != l.era {
		return
	}
	switch {
	case c.GetReset_() != nil:
		l.counts = NewCounts(values)
		l.scores = scores{}
		clear(l.teachers)
		clear(l.sources)
		clear(l.Dead)
	case c.GetRename() != nil:
		from, to := c.GetRename().GetFrom(), c.GetRename().GetTo()
		if l.counts.documents[from] == 0 || from == to || to == "" {
			return
		}
		l.counts.Rename(from, to)
		for _, src := range l.sources {
			src.ledger.rename(from, to)
		}
	default:
		return
	}
	l.era = max(l.era, uint64(at)+1)
}

// Rename moves all that a class counted to another one.
func (c *Counts) Rename(from, to string) {
	move(c.documents, from, to)
	move(c.corrected, from, to)
	for term, row := range c.corrections {
		if n := row[from]; n != 0 {
			delete(row, from)
			c.corrections.count(term, to, n) // perhaps nothing is left
		}
	}
	for _, table := range c.tables {
		for _, row := range table {
			move(row, from, to)
		}
	}
	for b, m := range maps.Clone(c.numbers) {
		if b.class != from {
			continue
		}
		delete(c.numbers, b)
		sum := c.moments(block{b.index, to}, len(m.N))
		for i := range m.N {
			sum.N[i] += m.N[i]
			sum.Sum[i].Add(sum.Sum[i], m.Sum[i])
			for j := range m.N {
				sum.Products[i][j].Add(sum.Products[i][j], m.Products[i][j])
			}
		}
	}
}

func move(row map[string]int64, from, to string) {
	if n := row[from]; n != 0 {
		delete(row, from)
		row[to] += n
	}
}

func (l ledger) rename(from, to string) {
	for i := range l {
		if l[i].label == from {
			l[i].label = to
		}
	}
}
