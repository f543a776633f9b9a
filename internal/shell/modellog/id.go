package modellog

import (
	"crypto/rand"

	"bayestream/internal/core/fold"
)

// NewID returns the id of a log that a spec may begin. It is random: with an equal one, a delta
// that was built on a deleted topic could count in the topic that was created under its name.
func NewID() fold.LogID {
	var id fold.LogID
	_, _ = rand.Read(id[:]) // it never fails
	return id
}
