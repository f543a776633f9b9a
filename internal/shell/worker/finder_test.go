package worker

import (
	"strings"
	"testing"
)

// A record without an id counts for good only where no window takes it out.
func TestRefuseNoIDIsTrueWithAWindow(t *testing.T) {
	if got := refuseNoID("training/0/1").Error(); !strings.Contains(got, "limits.window") || strings.Contains(got, "for good") {
		t.Errorf("the refusal says %q", got)
	}
}

// TestUnknownIsShort: the sentence about an id that is not known ends with what to do.
func TestUnknownIsShort(t *testing.T) {
	says := unknown("d1").Error()
	if len(strings.Fields(says)) > 25 || !strings.HasSuffix(says, ": send its source") {
		t.Errorf("it says %q", says)
	}
}
