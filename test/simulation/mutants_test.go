package main

import "testing"

// TestMutantsApply: the text that each mutant replaces is still there.
func TestMutantsApply(t *testing.T) {
	for _, m := range mutants {
		if _, err := m.overlay("../..", t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}
