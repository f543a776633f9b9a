// Package progress shows on one line of a terminal how far long work is, how fast it goes, and how
// long it will take:
//
//	sms.jsonl.gz               47% [========>...........] (96/204 kB, 51 kB/s) [2s:2s]
//
// The text is that of github.com/schollz/progressbar; this package adds nesting and erasing. A Line
// exists only where standard error is a terminal. Elsewhere it is nil, and so are its tasks; all
// their methods may be called and do nothing.
//
// The line never takes more than one row of the terminal. It is rewritten in place and erased at
// the end. Other output to the terminal must go through Line.Writer, which erases the line first.
package progress
