package store_test

import (
	"testing"
	"time"

	"bayestream/internal/shell/store"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestPace: with an interval of 2 s and 50,000 rows, after a checkpoint that took so long, what is
// the first moment at which the next one is due?
func TestPace(t *testing.T) {
	for name, x := range map[string]struct {
		took    time.Duration
		changed int
		want    time.Duration
	}{
		"the interval":                            {0, 0, 2 * time.Second},
		"one row too few":                         {0, 49_999, 2 * time.Second},
		"the rows":                                {0, 50_000, 0},
		"the rows, after a pause":                 {200 * time.Millisecond, 50_000, 1200 * time.Millisecond},
		"a pause within the interval":             {200 * time.Millisecond, 0, 2 * time.Second},
		"a pause longer than the interval":        {time.Second, 0, 6 * time.Second},
		"a slow disk":                             {time.Minute, 60_000, 30 * time.Second},
		"more than is to be held":                 {time.Second, 1_000_000, 0},
		"as many as can be without a pause's end": {time.Second, 999_999, 6 * time.Second},
	} {
		p := store.NewPace(2*time.Second, 50_000, noon.Add(-time.Hour))
		p.Wrote(x.took, noon)
		if x.want > 0 && p.Due(noon.Add(x.want-1), x.changed) {
			t.Errorf("%s: due before %v", name, x.want)
		}
		if !p.Due(noon.Add(x.want), x.changed) {
			t.Errorf("%s: not due after %v", name, x.want)
		}
	}
}

// TestPaceStart: nothing is known of a checkpoint before the first one.
func TestPaceStart(t *testing.T) {
	p := store.NewPace(2*time.Second, 50_000, noon)
	if p.Due(noon.Add(2*time.Second-1), 49_999) || !p.Due(noon.Add(2*time.Second), 0) || !p.Due(noon, 50_000) {
		t.Error("the first checkpoint does not come after the interval or the rows")
	}
}

// TestPaceOfManyRows: who asks for more rows than are held back for a pause gets them.
func TestPaceOfManyRows(t *testing.T) {
	p := store.NewPace(time.Hour, 3_000_000, noon)
	p.Wrote(time.Second, noon)
	if at := noon.Add(time.Second); p.Due(at, 2_999_999) || !p.Due(at, 3_000_000) {
		t.Error("not due at the rows that were asked for")
	}
}

// TestPaceKeepsShare: with its pause a checkpoint takes no more than a seventh of the time, as long
// as it takes less than five seconds; and none is later than it may be.
func TestPaceKeepsShare(t *testing.T) {
	const step = 10 * time.Millisecond
	rapid.Check(t, func(t *rapid.T) {
		every := time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms between")) * time.Millisecond
		now := noon
		p := store.NewPace(every, rapid.IntRange(1, 200_000).Draw(t, "rows"), now)
		speed := rapid.IntRange(0, 300).Draw(t, "rows in a step")
		took := rapid.SliceOfN(rapid.IntRange(0, 4900), 1, 20).Draw(t, "ms of a checkpoint")
		var busy time.Duration
		last, changed := now, 0
		for _, ms := range took {
			for ; !p.Due(now, changed); now = now.Add(step) {
				changed += speed
			}
			if late := now.Sub(last) - max(every, 30*time.Second); late > step {
				t.Fatalf("a checkpoint is %v late", late)
			}
			took := time.Duration(ms) * time.Millisecond
			now, changed = now.Add(took), 0
			p.Wrote(took, now)
			busy, last = busy+took, now
		}
		for !p.Due(now, changed) { // the pause after the last one belongs to it
			now, changed = now.Add(step), changed+speed
		}
		if share := busy.Seconds() / now.Sub(noon).Seconds(); share > 1/7.+1e-9 {
			t.Fatalf("checkpoints take %.3f of the time", share)
		}
	})
}
