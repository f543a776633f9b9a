// Package recount counts the records of a model log again, from the training records that their
// producer wrote: one record at a time, with maps and big integers. It shares no code with what it
// judges. Of a delta it takes which offsets it covers and which of them it skips, and checks both;
// its counts it does not read.
package recount
