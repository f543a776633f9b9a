package cli

import (
	"context"
	"io"
	"os"
)

// Process is what a program is given by the system, so that it can be run without
// one.
type Process struct {
	Args           []string // without the program's name
	LookupEnv      func(name string) (value string, set bool)
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Program is what main does between the signals and the exit. It returns when its
// work is done or, after ctx has ended, left in good order.
type Program func(ctx context.Context, p Process) error

// system returns the process's own surroundings.
func system() Process {
	return Process{Args: os.Args[1:], LookupEnv: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
}
