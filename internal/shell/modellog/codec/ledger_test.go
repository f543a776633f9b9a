package codec_test

import (
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestLedgerRoundTrip: whatever stands in the columns of changes of a ledger, and whichever of them
// are left out, comes back: texts elsewhere, weights below zero, times that fall, ids that are
// empty, classes ahead where documents may correct, and in upkeep deltas what is gone.
func TestLedgerRoundTrip(t *testing.T) {
	plain, corrects := storetest.Spec(t, spec.Multinomial, 1000, 1000), storetest.Spec(t, storetest.Corrected, 1000, 1000)
	states := map[*spec.Spec]*fold.State{plain: nil, corrects: nil}
	for sp := range states {
		sp.Limits.Window = spec.Window{Records: 1000}
		states[sp] = before(t, sp)
	}
	rapid.Check(t, func(t *rapid.T) {
		sp := rapid.SampledFrom([]*spec.Spec{plain, corrects}).Draw(t, "spec")
		in := states[sp].Reading()
		number := rapid.Int64Range(0, 1<<50)
		d := &fold.Delta{Ranges: []fold.Range{{Source: fold.Source{Topic: "training", Partition: 3}, End: 1 << 60}},
			Counting: sp.Counting()}
		upkeep := rapid.Bool().Draw(t, "upkeep")
		if upkeep {
			d.Ranges[0].Start = d.Ranges[0].End
		}
		_, same := randomDelta(t, func(int) int { return 0 })
		d.Counts = same.Counts
		if sp.Corrects() {
			d.Counts.Corrected = make([]int64, len(d.Counts.Classes))
		}
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
				if sp.Corrects() {
					c.Put.Ahead = rapid.SampledFrom([]string{"", "a", "z"}).Draw(t, "ahead")
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
			d.Ranges[0].Ledger = append(d.Ranges[0].Ledger, c)
		}
		e, err := codec.Decode(encode(t, d), 0, in)
		if err != nil || e.Unreadable != nil {
			t.Fatalf("decode: %v, %v", err, e.Unreadable)
		}
		if diff := cmp.Diff(d.Ranges[0].Ledger, e.Delta.Ranges[0].Ledger, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("decoded (-encoded +decoded):\n%s", diff)
		}
	})
}

// A class ahead in the ledger of a model without corrections is no change that its records can make.
func TestAheadWithoutCorrections(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	d := &fold.Delta{Ranges: []fold.Range{{Source: storetest.Training, End: 1}},
		Counting: sp.Counting(),
		Counts:   model.NewBuilder(sp).Delta()}
	for _, ahead := range []string{"", "b"} {
		d.Ranges[0].Ledger = []fold.LedgerChange{{ID: "x", Put: &fold.Learned{Label: "a", Ahead: ahead, Weight: 1, Topic: "t"}}}
		e, err := codec.Decode(encode(t, d), 0, before(t, sp).Reading())
		if err != nil || (e.Unreadable == nil) != (ahead == "") {
			t.Errorf("ahead %q: %v, unreadable: %v", ahead, err, e.Unreadable)
		}
	}
}

// Strings that are not UTF-8 cannot be encoded, and say so instead of being lost.
func TestEncodeRefusesInvalidUTF8(t *testing.T) {
	_, d := goldenDelta(t)
	d.Ranges[0].Ledger[0].ID = "\xff"
	if _, err := codec.EncodeDelta(d); err == nil {
		t.Error("an id that is not UTF-8 was encoded")
	}
}
