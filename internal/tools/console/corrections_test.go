package console

import (
	"slices"
	"testing"

	"bayestream/internal/shell/wire"
)

// What a console writes it knows at once, and reads what stands before it later: the newest correction
// is the one that stands last, and can be taken back.
func TestNewestOfCorrections(t *testing.T) {
	a := newCorrections(&Console{memory: newMemory(10, 1<<20)})
	at := func(partition int, offset int64) *correctionJSON {
		return &correctionJSON{Way: "console", ID: "m1", at: wire.Ref{Topic: "t", Partition: partition, Offset: offset}}
	}
	for _, step := range []struct {
		add, newest *correctionJSON
	}{
		{at(0, 7), at(0, 7)}, {at(0, 6), at(0, 7)}, {at(0, 8), at(0, 8)}, {at(1, 2), at(1, 2)},
	} {
		a.insert(step.add)
		for _, x := range a.list {
			if want := x.at == step.newest.at; a.undoable(x) != want {
				t.Errorf("behind %v: %v can be taken back: %t, want %t", step.add.at, x.at, !want, want)
			}
		}
	}
	a.leavePartition("t", 1)
	again := at(1, 0)
	a.insert(again)
	if !a.undoable(again) {
		t.Error("in a topic that was created again it cannot be taken back")
	}
}

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
