package kafkatest

import (
	"context"
	"sync"

	"bayestream/internal/shell/stream"
)

// Host stands for the worker of a partition. It keeps what the loop of the partition tells it.
type Host struct {
	During   func() // called before dead letters are taken; may be nil
	LogBytes int    // max.message.bytes of the model topic; 0: not known

	mu      sync.Mutex
	Dead    []stream.Record
	Trouble error
}

// DeadLetters keeps the records.
func (h *Host) DeadLetters(_ context.Context, _ int32, records []stream.Record) error {
	if h.During != nil && len(records) > 0 {
		h.During()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Dead = append(h.Dead, records...)
	return nil
}

// Reported returns what was reported last, nil if the work goes on.
func (h *Host) Reported() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Trouble
}

// DeadLetterPartition returns the same partition of the dead-letter topic for all.
func (h *Host) DeadLetterPartition(int) int { return 0 }

// LogMessageBytes returns LogBytes.
func (h *Host) LogMessageBytes() int { return h.LogBytes }

// NoteDeadLetter passes over a dead letter: its record is what tests read.
func (h *Host) NoteDeadLetter(*stream.Record) {}

// NoteAbstained passes over a block that could not vote: its metric is what tests read.
func (h *Host) NoteAbstained(string) {}

// ReportModel keeps the error.
func (h *Host) ReportModel(err error) { h.ReportPartition(0, err) }

// ReportPartition keeps the error.
func (h *Host) ReportPartition(_ int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Trouble = err
}
