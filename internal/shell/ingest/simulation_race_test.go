//go:build race

package ingest

// raceEnabled says that everything takes ten times as long.
const raceEnabled = true
