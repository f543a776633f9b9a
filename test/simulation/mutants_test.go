package main

import (
	"maps"
	"slices"
	"testing"
)

// TestMutantsApply: the text that each mutant replaces is still there.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		if _, err := m.overlay("../..", t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}

// TestMutantsAreNamed: what is said of a mutant is said of one that exists.
func TestMutantsAreNamed(t *testing.T) {
	for _, name := range slices.AppendSeq(slices.Collect(maps.Keys(first)), maps.Keys(seenBy)) {
		if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.name == name }) {
			t.Errorf("no mutant is named %q", name)
		}
	}
}

// Each mutant is in one third.
func TestThirds(t *testing.T) {
	var got []string
	for third := 1; third <= 3; third++ {
		for _, m := range thirdOf(mutants, third) {
			got = append(got, m.name)
		}
	}
	for i, m := range thirdOf(mutants, 0) {
		if i >= len(got) || got[i] != m.name {
			t.Fatalf("mutant %d is %s, the thirds have %d", i, m.name, len(got))
		}
	}
}
