// Package spelling finds the name that was probably meant by a misspelt one.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the name that was probably meant by a misspelt one, or "".
func Nearest(misspelt string, names []string) string {
	names = slices.Sorted(slices.Values(names))
	best := ""
	bound := 3 // edits
	for _, name := range names {
		edits := 2
		if len(name) < 5 {
			edits = 1 // two turn a short name into another word
		}
		if d := distance(misspelt, name); d < bound && d <= edits {
			best = name
			bound = d
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

// Guess returns the end of a sentence that asks whether the nearest of the names was meant; "" if
// none is near.
func Guess(misspelt string, names []string) string {
	if near := Nearest(misspelt, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// distance returns the number of bytes to insert, delete, replace or transpose with their neighbour
// (the restricted distance of Damerau and Levenshtein).
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		before, last, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
