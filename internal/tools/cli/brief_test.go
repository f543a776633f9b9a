package cli

import (
	"context"
	"runtime/debug"
	"testing"
)

func TestBriefSetsTheGCPercent(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, c := range []struct {
		gogc string
		want int
	}{{"", briefGCPercent}, {"70", 100}} {
		debug.SetGCPercent(100)
		p, _, _ := process()
		p.LookupEnv = func(name string) (string, bool) { return c.gogc, name == "GOGC" && c.gogc != "" }
		err := Brief(func(context.Context, Process) error {
			if got := debug.SetGCPercent(c.want); got != c.want {
				t.Errorf("GOGC=%q: the percentage is %d, want %d", c.gogc, got, c.want)
			}
			return nil
		})(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := debug.SetGCPercent(100); got != 100 {
			t.Errorf("GOGC=%q: afterwards the percentage is %d, want 100", c.gogc, got)
		}
	}
}
