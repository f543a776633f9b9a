package httpapi

import (
	"net/http"

	"bayestream/internal/shell/config"
)

// Worker is the answer of GET /v1/worker: what a worker works on, where its model file is, and its
// settings. No secret is in it.
type Worker struct {
	Role       string           `json:"role"`
	Group      string           `json:"group"`      // the consumer group
	Topic      string           `json:"topic"`      // that it reads
	Partitions []int            `json:"partitions"` // those that the group gave to it
	File       string           `json:"file"`       // absolute path of the model file
	FileBytes  *int64           `json:"file_bytes"` // null: there is none yet
	Checkpoint *Checkpoint      `json:"checkpoint"` // the last one; null: none was written yet
	Settings   []config.Setting `json:"settings"`
}

// Checkpoint is one of the model file.
type Checkpoint struct {
	AgeSeconds float64 `json:"age_seconds"`
	Rows       int     `json:"rows"`    // that had changed
	Seconds    float64 `json:"seconds"` // that it took
}

func (s *Server) worker(w http.ResponseWriter, _ *http.Request) {
	if s.options.Worker == nil {
		Fail(w, http.StatusNotFound, "not_offered", "this worker does not say what it works on")
		return
	}
	Answer(w, http.StatusOK, s.options.Worker())
}
