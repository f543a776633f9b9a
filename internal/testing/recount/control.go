package recount

import (
	"bytes"
	"maps"
	"math/big"

	"bayestream/internal/shell/modellog/logpb"
)

// control does what a control says, if it was made for this log as it is.
func (l *Log) control(at int64, c *logpb.Control) {
	if !bytes.Equal(l.id, c.GetLogId()) || c.GetEra() != l.era {
		return
	}
	switch {
	case c.GetReset_() != nil:
		l.counts = newCounts()
		l.scores = scores{}
		clear(l.sources)
		clear(l.Dead)
	case c.GetRename() != nil:
		from, to := c.GetRename().GetFrom(), c.GetRename().GetTo()
		if l.counts.documents[from] == 0 || from == to || to == "" {
			return
		}
		l.counts.rename(from, to)
		for _, src := range l.sources {
			src.ledger.rename(from, to)
		}
	default:
		return
	}
	l.era = max(l.era, uint64(at)+1)
}

// rename moves all that a class counted to another one.
func (c *counts) rename(from, to string) {
	move(c.documents, from, to)
	for _, table := range []map[string]map[string]int64{c.words, c.category, c.shape[0], c.shape[1], c.shape[2], c.first,
		c.last} {
		for term := range maps.Keys(table) {
			move(table[term], from, to)
		}
	}
	moved := c.numbers[from]
	delete(c.numbers, from)
	if moved == nil {
		return
	}
	m := c.numbers[to]
	if m == nil {
		m = &moments{sum: new(big.Int), square: new(big.Int)}
		c.numbers[to] = m
	}
	m.n += moved.n
	m.sum.Add(m.sum, moved.sum)
	m.square.Add(m.square, moved.square)
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
