package codec_test

import (
	"testing"

	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"

	"github.com/google/go-cmp/cmp"
)

// What the decisions on scored records come to reads back as it was written, and what cannot be is
// refused.
func TestPrequentialRoundTrip(t *testing.T) {
	sp, d := goldenDelta(t)
	want := &race.Prequential{}
	for range 30 {
		want.Add(d.Scores.Sums, d.Scores.Classes)
	}
	again, err := codec.ReadPrequential(codec.PrequentialProto(want))
	if diff := cmp.Diff(want, again); diff != "" || err != nil || len(want.Window) != 2 {
		t.Errorf("(-written +read), %v, %d blocks of %s:\n%s", err, len(want.Window), sp.Name, diff)
	}
	for name, damage := range map[string]func(*logpb.Prequential){
		"more errors than records": func(p *logpb.Prequential) { p.Errors = 1 << 20 }, "a larger window": func(p *logpb.Prequential) { p.Scored = 10 },
		"a loss": func(p *logpb.Prequential) { p.Loss = -1 }, "an empty block": func(p *logpb.Prequential) { p.Window[0].Scored = 0 },
		"errors of a block": func(p *logpb.Prequential) { p.Window[0].Errors = 101 }, "bins": func(p *logpb.Prequential) { p.Window[0].Confidence.Right = nil },
		"more records than can be": func(p *logpb.Prequential) { p.Scored = 1<<62 + 1 }, "more loss than records have": func(p *logpb.Prequential) { p.Loss = (p.Scored + 1) * race.MaxLoss },
		"more loss than can be": func(p *logpb.Prequential) { p.Scored, p.Loss = 1<<62, 1<<62+1 },
		"many blocks": func(p *logpb.Prequential) {
			for range 10 {
				p.Window = append(p.Window, p.Window[0])
			}
			p.Scored = 1 << 20
		},
		"a class twice": func(p *logpb.Prequential) { p.Window[0].Classes[1].Class = "ham" }, "a tally": func(p *logpb.Prequential) { p.Window[0].Classes[0].Right = 1 << 20 },
	} {
		p := codec.PrequentialProto(want)
		damage(p)
		if _, err := codec.ReadPrequential(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
