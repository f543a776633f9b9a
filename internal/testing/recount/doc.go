// Package recount counts again what others count, one document at a time, with maps and big
// integers. It shares no code with what it judges. Counts serves every recount of a test, whatever
// its documents come from.
//
// Log counts the records of a model log again, from the training records that their producer wrote.
// Of a delta it takes which offsets it covers and which of them it skips, and checks both; its
// counts it does not read.
package recount
