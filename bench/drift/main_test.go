package main

import (
	"strings"
	"testing"
)

// A row for each kind of stream: a quiet one has no alarm, and labels that change places have one.
func TestMeasure(t *testing.T) {
	var out strings.Builder
	if err := measure(&out, 1, 2000, 1500); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != 2+len(kinds) {
		t.Fatalf("%d rows:\n%s", len(rows), &out)
	}
	for _, row := range rows[2:] {
		quiet, changed := strings.HasPrefix(row, "| quiet"), strings.HasPrefix(row, "| two labels change places")
		if quiet && !strings.Contains(row, "| 1 | 0 |") || changed && !strings.Contains(row, "| 1 | 1 |") {
			t.Error(row)
		}
	}
}
