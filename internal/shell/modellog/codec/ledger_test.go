package codec_test

import (
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestLedgerRoundTrip: whatever stands in the columns of changes of a ledger, and whichever of them
// are left out, comes back: texts elsewhere, weights below zero, times that fall, ids that are
// empty, and in upkeep deltas what is gone.
func TestLedgerRoundTrip(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	sp.Limits.Window = spec.Window{Records: 1000}
	in := before(t, sp).Reading()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 1<<50)
		d := &fold.Delta{Counting: sp.Counting(), Source: fold.Source{Topic: "training", Partition: 3}, End: 1 << 60}
		upkeep := rapid.Bool().Draw(t, "upkeep")
		if upkeep {
			d.Start = d.End
		}
		_, same := randomDelta(t, func(int) int { return 0 })
		d.Counts = same.Counts
		offset := int64(-1)
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			offset += 1 + number.Draw(t, "records between")
			c := fold.LedgerChange{Offset: offset, ID: rapid.StringMatching(`[a-zé]{1,4}`).Draw(t, "id")}
			switch {
			case upkeep:
				c.Gone = rapid.Bool().Draw(t, "gone")
			case rapid.Bool().Draw(t, "put"):
				c.Put = &fold.Learned{Label: rapid.StringMatching(`[a-c]`).Draw(t, "label"), Offset: offset,
					Topic: "training", Partition: 3, Sum: rapid.Uint64().Draw(t, "sum"),
					Weight: rapid.Int64Range(-3, 3).Draw(t, "weight"), Time: number.Draw(t, "time")}
				if rapid.Bool().Draw(t, "named") {
					c.Put.By = rapid.StringMatching(`[a-d]`).Draw(t, "by")
				}
				if rapid.Bool().Draw(t, "elsewhere") {
					c.Put.Topic = rapid.SampledFrom([]string{"training", "texts"}).Draw(t, "topic")
					c.Put.Partition = rapid.Int32Range(0, 9).Draw(t, "partition")
					c.Put.Offset = number.Draw(t, "at")
				}
				if rapid.Bool().Draw(t, "without id") {
					c.ID = ""
				}
			}
			d.Ledger = append(d.Ledger, c)
		}
		e, err := codec.Decode(encode(t, d), 0, in)
		if err != nil || e.Unreadable != nil {
			t.Fatalf("decode: %v, %v", err, e.Unreadable)
		}
		if diff := cmp.Diff(d.Ledger, e.Delta.Ledger, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("decoded (-encoded +decoded):\n%s", diff)
		}
	})
}
