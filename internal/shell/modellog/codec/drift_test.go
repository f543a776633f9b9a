package codec_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/drift"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
)

// goldenDrift is a state with everything that one can have.
func goldenDrift() *drift.State {
	a, b := drift.Of{Table: 0, Class: "ham"}, drift.Of{Table: 1, Class: "spam"}
	return &drift.State{
		Usual: drift.Period{Scored: 600, Errors: 30, Classes: race.Tallies{"ham": {Records: 600, Right: 570, Decided: 580}}}, Excess: 20 * race.Unit, Found: 1,
		Rise: &drift.Rise{
			Since: drift.Mark{Offset: 11, Time: 1700}, Period: drift.Period{Scored: 40, Errors: 21, Classes: race.Tallies{"spam": {Records: 40, Right: 19, Decided: 20}}},
			Learned: drift.Recent{Totals: map[drift.Of]int64{a: 50, b: 7}, Counts: map[drift.Key]int64{{Of: a, Term: "offer"}: 30, {Of: a, Term: "agenda"}: 9, {Of: b, Term: "FR"}: 7}, Missed: 2},
		},
		Alarms: []drift.Alarm{{
			Place: drift.Place{Mark: drift.Mark{Offset: 9, Time: 1600}, Topic: "training", Partition: 3, End: 900}, Since: drift.Mark{Offset: 8, Time: 1500},
			Before: drift.Rate{Scored: 1000, Errors: 20}, After: drift.Rate{Scored: 90, Errors: 80},
			Classes: []drift.Class{
				{Name: "ham", Before: race.Tally{Records: 500, Right: 490, Decided: 495}, After: race.Tally{Records: 40, Right: 3, Decided: 9}, Ratio: 100 * race.Unit, Words: []drift.Word{
					{Table: 1, Term: "offer", Before: drift.Share{Count: 1, Of: 5000}, After: drift.Share{Count: 90, Of: 400}, Ratio: 30 * race.Unit},
					{Term: "agenda", Before: drift.Share{Count: 700, Of: 5000}, After: drift.Share{Of: 400}, Ratio: -20 * race.Unit},
				}},
				{Name: "new", After: race.Tally{Records: 9}, Ratio: 50 * race.Unit},
			},
		}},
	}
}

// What is known of drifts reads back as it was written, in the same bytes each time, and what
// cannot be is refused.
func TestDriftRoundTrip(t *testing.T) {
	want := goldenDrift()
	again, err := codec.ReadDrift(codec.DriftProto(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	empty, err := codec.ReadDrift(codec.DriftProto(drift.New()))
	if diff := cmp.Diff(drift.New(), empty); diff != "" || err != nil {
		t.Errorf("(-written +read), %v:\n%s", err, diff)
	}
	first := codec.DriftProto(want)
	for range 20 {
		if !proto.Equal(first, codec.DriftProto(want)) {
			t.Fatal("two forms of one state")
		}
	}
	for name, damage := range map[string]func(*logpb.Drift){
		"more errors than records": func(p *logpb.Drift) { p.Errors = 601 }, "an excess": func(p *logpb.Drift) { p.Excess = 1 << 40 }, "records": func(p *logpb.Drift) { p.Records = 1 << 14 },
		"no rise":               func(p *logpb.Drift) { p.Rise = nil },
		"a rise without excess": func(p *logpb.Drift) { p.Excess = 0 },
		"errors that rose":      func(p *logpb.Drift) { p.Rise.Errors = 41 },
		"no offset":             func(p *logpb.Drift) { p.Rise.Since.Offset = -1 },
		"a class twice":         func(p *logpb.Drift) { p.Usual = append(p.Usual, p.Usual[0]) },
		"more right than all":   func(p *logpb.Drift) { p.Usual[0].Right = 601 },
		"no name":               func(p *logpb.Drift) { p.Rise.Classes[0].Class = "" },
		"a term twice":          func(p *logpb.Drift) { p.Rise.Learned[0].Terms[1] = p.Rise.Learned[0].Terms[0] },
		"terms without counts":  func(p *logpb.Drift) { p.Rise.Learned[0].Counts = p.Rise.Learned[0].Counts[:1] },
		"more than all terms":   func(p *logpb.Drift) { p.Rise.Learned[0].Counts[0] = 51 },
		"no count":              func(p *logpb.Drift) { p.Rise.Learned[0].Counts[0] = 0 },
		"tables out of order":   func(p *logpb.Drift) { p.Rise.Learned[0].Table = 2 },
		"a class without name":  func(p *logpb.Drift) { p.Rise.Learned[0].Class = "" },
		"missed":                func(p *logpb.Drift) { p.Rise.Missed = -1 },
		"another number found":  func(p *logpb.Drift) { p.Found = 2 },
		"a rate":                func(p *logpb.Drift) { p.Alarms[0].ErrorsAfter = 91 },
		"a share":               func(p *logpb.Drift) { p.Alarms[0].Classes[0].Words[0].After = 401 },
		"a term":                func(p *logpb.Drift) { p.Alarms[0].Classes[0].Words[0].Term = "\n" },
		"a class that moved":    func(p *logpb.Drift) { p.Alarms[0].Classes[0].Before.Class = strings.Repeat("x", 300) },
		"a tally":               func(p *logpb.Drift) { p.Alarms[0].Classes[1].After.Right = 10 },
		"a place":               func(p *logpb.Drift) { p.Alarms[0].Since.Offset = 10 },
	} {
		p := codec.DriftProto(goldenDrift())
		damage(p)
		if _, err := codec.ReadDrift(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The classes of scores are those of the records that were scored, or the delta is not readable.
func TestTalliesThatCannotBe(t *testing.T) {
	sp, d := goldenDelta(t)
	for name, classes := range map[string]race.Tallies{
		"records": {"a": {Records: 5, Right: 3, Decided: 4}}, "right": {"a": {Records: 4, Right: 4, Decided: 4}}, "decided": {"a": {Records: 4, Right: 3, Decided: 5}},
		"a name": {"": {Records: 4, Right: 3, Decided: 3}}, "more right than decided": {"a": {Records: 4, Right: 3, Decided: 2}}, "nothing": {"a": {Records: 4, Right: 3, Decided: 3}, "b": {}},
	} {
		d.Scores.Classes = classes
		e, err := codec.Decode(encode(t, d), 0, before(t, sp).Reading())
		if err != nil || e.Unreadable == nil {
			t.Errorf("%s: %v, read as %+v", name, err, e)
		}
	}
}
