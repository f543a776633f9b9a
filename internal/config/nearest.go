package config

import (
	"slices"
	"strings"
)

// Nearest returns the name that was probably meant by a misspelt one, or "".
func Nearest(misspelt string, names []string) string {
	names = slices.Sorted(slices.Values(names))
	best, bound := "", 3 // two slips of the finger
	for _, name := range names {
		if d := distance(misspelt, name); d < bound && d < len(name)/2+1 {
			best, bound = name, d
		}
	}
	if best != "" || len(misspelt) < 3 {
		return best
	}
	for _, name := range names {
		if strings.HasPrefix(name, misspelt) {
			return name
		}
	}
	return ""
}

// distance is Levenshtein's: how many bytes to insert, drop or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
