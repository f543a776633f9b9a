//go:build race

package fold_test

// raceEnabled says that everything takes ten times as long.
const raceEnabled = true
