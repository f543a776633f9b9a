// Package processtest has what tests need to run programs of this module.
package processtest

import (
	"context"

	"bayestream/bench/probe"
)

// A tester is a *testing.T, or one like it.
type tester interface {
	Helper()
	Fatal(args ...any)
	Context() context.Context
}

// FreeAddress returns an address of this machine on which nothing listens.
func FreeAddress(t tester) string {
	t.Helper()
	address, err := probe.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}
