package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"bayestream/internal/shell/store"
)

// checkpointEach is the default interval of a worker.
const checkpointEach = 2 * time.Second

// paces are the settings that are measured: the default rows of a worker, with and without the
// pauses that it makes, and four times the rows.
var paces = []struct {
	rows   int
	pauses bool
}{{50_000, false}, {50_000, true}, {200_000, true}}

// checkpointTerms is how many terms the table has at the start.
const checkpointTerms = 1_000_000

// measureCheckpoints learns at full speed, writes checkpoints as a worker does, and reports their
// share of the time.
func measureCheckpoints(w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Checkpoints\n\nlearning at full speed for %.0f s into %d terms, a checkpoint every %v or after "+
		"so many rows\n\n", o.duration.Seconds(), checkpointTerms, checkpointEach)
	fmt.Fprintln(w, "| after rows | pauses | records in a processor second | checkpoints | seconds from one to the next "+
		"| rows of one | share of processor time | ms of processor time | ms on the wall | ms that the state is held |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for i, p := range paces {
		c, err := newCheckpoints(filepath.Join(o.folder, fmt.Sprintf("checkpoint-%d.db", i)), p.rows)
		if err != nil {
			return err
		}
		c.pauses = p.pauses
		total, err := processor(func() error { return c.learn(o.duration) })
		if err != nil {
			return err
		}
		n := float64(max(c.written, 1))
		fmt.Fprintf(w, "| %d | %s | %.0f | %d | %.1f | %.0f | %.2f | %.0f | %.0f | %.0f |\n", p.rows, yesNo(p.pauses),
			float64(c.records)/total, c.written, o.duration.Seconds()/n,
			float64(c.stored)/n, c.processor/total, c.processor/n*1e3, c.wall.Seconds()/n*1e3, c.held.Seconds()/n*1e3)
		if err := c.store.Close(); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return nil
}

// checkpoints is a learner with a model file, and the cost of its checkpoints so far.
type checkpoints struct {
	store      *store.Store
	l          *learner
	texts      [][]byte
	pace       *store.Pace
	pauses     bool // a checkpoint is followed by the pause that a worker makes
	written    int
	stored     int // rows of all checkpoints
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
	return &checkpoints{store: s, l: l, texts: newSpeaker(3, checkpointTerms).texts(5 * documents),
		pace: store.NewPace(checkpointEach, rows, time.Now())}, nil
}

// learn learns for a time and writes the checkpoints that are due.
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
		if !c.pace.Due(time.Now(), c.l.state.Model().Changed()) {
			continue
		}
		if err := c.write(); err != nil {
			return err
		}
	}
	return nil
}

// write writes and measures a checkpoint.
func (c *checkpoints) write() error {
	start := time.Now()
	seconds, err := processor(func() error {
		b := store.Collect(c.l.state)
		c.held += time.Since(start)
		c.stored += b.Rows()
		return c.store.Write(b)
	})
	c.processor += seconds
	took := time.Since(start)
	c.wall += took
	c.written++
	if !c.pauses {
		took = 0
	}
	c.pace.Wrote(took, time.Now())
	return err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
