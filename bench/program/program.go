// Package program runs the programs of the benchmarks and of the long tests.
package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Run runs a program until it ends or is interrupted. An error is printed, and is the exit code 1.
func Run(name string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}
