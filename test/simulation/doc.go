// Command simulation runs many schedules of the simulator, which is a test of
// internal/shell/ingest, and shows that it sees defects: each mutant is the program with one rule
// taken out, by exact replacement of its text, and a schedule must go wrong with it.
//
//	go run ./test/simulation -until 2000000   schedules from where the last run ended, in runs.tsv
//	go run ./test/simulation -mutants         every mutant, until a schedule goes wrong
package main
