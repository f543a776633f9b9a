package spelling

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Look returns what a name looks like: two names that differ by case, by space or by how a letter
// is composed have one look.
func Look(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(name))), " ")
}

// Alike returns the other names that have the look of a name, in order.
func Alike(name string, names []string) (found []string) {
	look := Look(name)
	for _, n := range names {
		if n != name && Look(n) == look {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found
}

func withoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, Look(name))
}

// shortest is how many bytes a misspelt name has at least: with another letter a shorter one is
// another word. What was meant may have a letter less.
const shortest = 4

// Neighbours returns the other names that were probably meant: those of its look, else the one that
// is spelt nearly so.
func Neighbours(name string, names []string) []string {
	if found := Alike(name, names); len(found) > 0 {
		return found
	}
	if len(Look(name)) < shortest {
		return nil
	}
	looks := map[string]string{}
	var all []string
	for _, n := range names {
		isSlip := withoutDigits(n) != withoutDigits(name) // level 1 is none of level 2
		if n != name && len(Look(n)) >= shortest-1 && isSlip {
			looks[Look(n)] = n
			all = append(all, Look(n))
		}
	}
	if near := Nearest(Look(name), all); near != "" {
		return []string{looks[near]}
	}
	return nil
}
