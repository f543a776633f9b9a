// Package alloctest bounds the memory that a decoder takes for what anybody may send.
package alloctest

import (
	"runtime"
	"testing"
)

// What a decoder may allocate in all: so many bytes for each byte of its input, and these for its
// buffers.
const (
	perByte = 32
	buffers = 1 << 20
)

// attempts is how often a decoder runs that allocates too much: the first run fills tables and
// pools that stay, and what another goroutine allocates meanwhile counts too.
const attempts = 3

// Bound runs decode, which must give the same result again, and fails the test if it allocates more
// than 32 times the input, in bytes, and a MiB.
func Bound(tb testing.TB, input int, decode func()) {
	tb.Helper()
	limit := uint64(perByte*input + buffers)
	got := allocated(decode)
	for i := 1; i < attempts && got > limit; i++ {
		got = min(got, allocated(decode))
	}
	if got > limit {
		tb.Fatalf("%d bytes are allocated for an input of %d, the limit is %d", got, input, limit)
	}
}

// allocated returns how many bytes f allocates, in use at its end or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
