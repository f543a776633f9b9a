package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"bayestream/internal/store"
)

// When a worker writes a checkpoint, unless it is told otherwise; and with four times the rows.
const checkpointEach = 2 * time.Second

var checkpointRows = []int{50_000, 200_000}

// checkpointTerms is how many terms the table has before.
const checkpointTerms = 1_000_000

// measureCheckpoints learns without a pause, as fast as one core can, and writes checkpoints as a worker
// does: what of the time do they take?
func measureCheckpoints(w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Checkpoints\n\nlearning at full speed for %.0f s into %d terms, a checkpoint every %v or after so many rows\n\n", o.duration.Seconds(), checkpointTerms, checkpointEach)
	fmt.Fprintln(w, "| after rows | records in a processor second | checkpoints | rows of one | share of processor time | ms of processor time | ms on the wall | ms that the state is held |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, rows := range checkpointRows {
		c, err := newCheckpoints(filepath.Join(o.folder, fmt.Sprintf("checkpoint-%d.db", rows)), rows)
		if err != nil {
			return err
		}
		total, err := processor(func() error { return c.learn(o.duration) })
		if err != nil {
			return err
		}
		n := float64(max(c.written, 1))
		fmt.Fprintf(w, "| %d | %.0f | %d | %.0f | %.2f | %.0f | %.0f | %.0f |\n", rows, float64(c.records)/total, c.written, float64(c.stored)/n,
			c.processor/total, c.processor/n*1e3, c.wall.Seconds()/n*1e3, c.held.Seconds()/n*1e3)
		if err := c.store.Close(); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return nil
}

type checkpoints struct {
	store      *store.Store
	l          *learner
	texts      [][]byte
	rows       int // that make a checkpoint due
	last       time.Time
	written    int
	stored     int // rows, in all of them
	records    int
	processor  float64 // seconds
	wall, held time.Duration
}

// newCheckpoints returns a table and its model file.
func newCheckpoints(path string, rows int) (*checkpoints, error) {
	l, err := newLearner()
	if err != nil {
		return nil, err
	}
	if err := l.fill(checkpointTerms, someClasses); err != nil {
		return nil, err
	}
	s, err := store.Open(path, time.Second)
	if err != nil {
		return nil, err
	}
	if err := s.Write(store.Collect(l.state)); err != nil {
		return nil, err
	}
	return &checkpoints{store: s, l: l, texts: newSpeaker(3, checkpointTerms).texts(5 * documents), rows: rows, last: time.Now()}, nil
}

func (c *checkpoints) learn(duration time.Duration) error {
	for end := time.Now().Add(duration); time.Now().Before(end); {
		for range batch {
			if err := c.l.observe(className(c.records%tableClasses), c.texts[c.records%len(c.texts)]); err != nil {
				return err
			}
			c.records++
		}
		if err := c.l.commit(); err != nil {
			return err
		}
		if time.Since(c.last) < checkpointEach && c.l.state.Model().Changed() < c.rows {
			continue
		}
		if err := c.write(); err != nil {
			return err
		}
	}
	return nil
}

func (c *checkpoints) write() error {
	start := time.Now()
	seconds, err := processor(func() error {
		b := store.Collect(c.l.state)
		c.held += time.Since(start)
		c.stored += b.Rows()
		return c.store.Write(b)
	})
	c.processor += seconds
	c.wall += time.Since(start)
	c.last = time.Now()
	c.written++
	return err
}
