package store

import "time"

// What a Pace keeps to. A checkpoint takes at most a seventh of the time, unless that would put it
// off for longer than maxPause, or until maxRows changed: the one bounds what a crash leaves to be
// folded again, the other the memory for what is written at once.
const (
	pauseFactor = 6
	maxPause    = 30 * time.Second
	maxRows     = 1_000_000
)

// A Pace says when the next checkpoint is due: after an interval or some changed rows, whichever
// comes first, but not before there was a pause of six times what the last one took. What it takes
// is time on the wall: it includes the disk, which a worker shares with a broker, and needs no
// account of the processor by goroutine. A Pace has no clock, its callers tell it the time.
type Pace struct {
	every time.Duration
	rows  int
	ended time.Time // of the last checkpoint; at first, of the start
	pause time.Duration
}

// NewPace returns the pace of checkpoints after an interval or so many rows, from now on.
func NewPace(every time.Duration, rows int, now time.Time) *Pace {
	return &Pace{every: every, rows: rows, ended: now}
}

// Due reports whether a checkpoint is to be written now, when so many rows changed since the last
// one.
func (p *Pace) Due(now time.Time, changed int) bool {
	since := now.Sub(p.ended)
	if since < p.pause && changed < max(p.rows, maxRows) {
		return false
	}
	return since >= p.every || changed >= p.rows
}

// Wrote says that a checkpoint that took so long ended now.
func (p *Pace) Wrote(took time.Duration, now time.Time) {
	p.ended, p.pause = now, min(pauseFactor*took, maxPause)
}
