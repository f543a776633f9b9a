// Package worker is what ingest and classify have in common: a replica of the model that follows
// the log, its checkpoints in a file, the group, dead letters, HTTP, and an orderly stop.
//
// A stop goes from the front to the back: no more records are fetched, those in flight are
// finished, the group is left, the last checkpoint is written, HTTP ends. The next start repeats
// what was not finished; the fold counts nothing twice.
package worker
