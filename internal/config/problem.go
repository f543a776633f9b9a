package config

import "strings"

// Answer is a text that the user asked for instead of a run: a help page or a
// version. It travels as an error because it ends a program like one; its place is
// standard output and its exit code 0.
type Answer string

// Error returns the text.
func (a Answer) Error() string { return string(a) }

// UsageError is all that is wrong with how a program was called, each problem a
// sentence of one line.
type UsageError struct {
	Program  string
	Problems []string
}

// Error returns the sentences.
func (e *UsageError) Error() string { return strings.Join(e.Problems, "\n") }

// ExitCode is 2: wrong usage or input.
func (e *UsageError) ExitCode() int { return 2 }
