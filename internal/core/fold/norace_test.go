//go:build !race

package fold_test

const raceEnabled = false
