package worker

import (
	"runtime/debug"

	"bayestream/internal/stream"
)

// MemoryLimit returns how many bytes of fetched records all partitions of a worker may hold at once: an eighth of
// GOMEMLIMIT. The rest is for the model, for what is built from the records, and for what the garbage collector has not
// freed.
func MemoryLimit() int {
	const leaveAsIs = -1
	return int(min(debug.SetMemoryLimit(leaveAsIs)/8, stream.DefaultMemoryLimit))
}
