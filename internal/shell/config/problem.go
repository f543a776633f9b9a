package config

import "strings"

// Answer is a help or version text that the user asked for instead of a run. It is an error because
// it ends a program like one; it is written to standard output, with exit code 0.
type Answer string

// Error returns the text.
func (a Answer) Error() string { return string(a) }

// UsageError holds all problems of a command line and its settings, each in one line.
type UsageError struct {
	Program  string
	Problems []string
}

// Error returns the problems, one a line.
func (e *UsageError) Error() string { return strings.Join(e.Problems, "\n") }

// ExitCode is 2: invalid usage or input.
func (e *UsageError) ExitCode() int { return 2 }
