package cli

import (
	"context"
	"runtime/debug"
)

// briefGCPercent lets the heap grow to three times what is in use before garbage is collected. With
// Go's default of 100 a program that reads a file of a megabyte or two spends a tenth of its time
// on garbage collection.
const briefGCPercent = 200

// Brief returns a program that collects garbage less often, for work that ends. GOGC has precedence
// if it is set.
func Brief(run Program) Program {
	return func(ctx context.Context, p Process) error {
		if _, set := p.LookupEnv("GOGC"); !set {
			defer debug.SetGCPercent(debug.SetGCPercent(briefGCPercent))
		}
		return run(ctx, p)
	}
}
