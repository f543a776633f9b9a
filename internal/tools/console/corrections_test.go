package console

import (
	"slices"
	"testing"

	"bayestream/internal/shell/wire"
)

// A correction shows the counts that it changed: none if it was passed over, and none that nobody
// knows.
func TestShiftsOfACorrection(t *testing.T) {
	ham := "ham"
	a := newCorrections(&Console{memory: newMemory(10, 1<<20)})
	for _, c := range []struct {
		way, outcome string
		was          *wasSo
		want         []countShiftJSON
	}{
		{"console", "counted", &wasSo{Label: "spam"}, []countShiftJSON{{"ham", 1}, {"spam", -1}}},
		{"console", "counted", nil, []countShiftJSON{{"ham", 1}}},
		{"console", "skipped", &wasSo{Label: "spam"}, nil},
		{"other", "counted", nil, nil},
	} {
		x := &correctionJSON{Way: c.way, Label: &ham, at: wire.Ref{Topic: "t"}, note: note{Was: c.was}}
		x.complete()
		a.settle(x, c.outcome, "")
		if !slices.Equal(x.Counts, c.want) || x.Counts == nil {
			t.Errorf("%+v: the counts change by %v, want %v", c, x.Counts, c.want)
		}
	}
}
