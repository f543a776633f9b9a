package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Memory in use up to smallHeap may become largePercent more before garbage is collected, so that the heap stays
// below 30 MB on its account. With Go's own 100 % a program that reads a file of a megabyte or two spends a tenth
// of its time on collections that find next to nothing.
const (
	largePercent = 400
	smallHeap    = 6 << 20
)

// Brief returns a program that collects garbage less often while it uses little memory, which is for work that
// ends. GOGC, where it is set, has the last word.
func Brief(run Program) Program {
	return func(ctx context.Context, p Process) error {
		if _, set := p.LookupEnv("GOGC"); set {
			return run(ctx, p)
		}
		end := collectLess()
		defer end()
		return run(ctx, p)
	}
}

// collectLess lets the heap grow further until it is no longer small. The function it returns ends that too.
func collectLess() (end func()) {
	before := debug.SetGCPercent(largePercent)
	ended := make(chan struct{})
	end = sync.OnceFunc(func() {
		close(ended)
		debug.SetGCPercent(before)
	})
	afterCollection(func() (again bool) {
		select {
		case <-ended:
			return false
		default:
		}
		if inUse() <= smallHeap {
			return true
		}
		end()
		return false
	})
	return end
}

// afterCollection calls f after each collection as long as it returns true.
func afterCollection(f func() (again bool)) {
	type sentinel struct{ _ *sentinel } // with a pointer it is an object of its own
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		if f() {
			afterCollection(f)
		}
	})
}

// inUse returns the bytes that the last collection left.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
