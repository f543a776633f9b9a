// Package progress shows on one line of a terminal how far long work is, how fast it goes, and how long it
// will take:
//
//	sms.jsonl.gz              [#########...........]   47 %  96.0 of 204 kB  51.0 kB/s  3 s left
//
// A Line is shown where standard error is a terminal. Everywhere else there is none: a nil *Line, and the
// nil *Task that it gives, are told everything and show nothing, so that no caller needs to ask.
//
// Contracts:
//
//   - The line is rewritten in place and erased at the end; what is written through Line.Writer stands
//     above it.
//   - It takes one row of the terminal at most, whatever the terminal's width.
//   - Erasing uses no escape sequences; only the colour does, which the user can forbid.
package progress
