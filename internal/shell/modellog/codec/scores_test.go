package codec_test

import (
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/testing/alloctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// goldenScores are scores with everything that they can say.
func goldenScores(l *race.List) *fold.Scores {
	sums := race.NewSums(len(l.Scored()))
	sums.Scored = 4
	sums.Decided.Errors = 1
	sums.Decided.Loss = 3 * race.Unit
	for i, confidence := range []float64{0.4, 0.9, 0.9, 0.9999} {
		sums.Decided.Confidence.Add(confidence, i > 0)
		sums.By[i%len(sums.By)].Confidence.Add(confidence, i > 0)
	}
	for i := range sums.By {
		sums.By[i].Errors = int64(i)
		sums.By[i].Cost = int64(i) * race.Unit / 2
		for j := range sums.By[i].Loss {
			sums.By[i].Loss[j] = int64(1 + i + j)
		}
	}
	classes := race.Tallies{"ham": {Records: 3, Right: 2, Decided: 2}, "spam": {Records: 1, Right: 1, Decided: 2}}
	return &fold.Scores{List: l.Fingerprint(), Sums: sums, Classes: classes}
}

// Scores of another list than the one in force are left out, whatever they are, and the rest of the
// delta is read.
func TestScoresOfAnotherList(t *testing.T) {
	sp, d := goldenDelta(t)
	other := *sp
	other.Race = nil
	e, err := codec.Decode(encode(t, d), 0, before(t, &other).Reading())
	if err != nil || e.Unreadable != nil {
		t.Fatalf("decode: %v, %v", e.Unreadable, err)
	}
	d.Scores = nil
	if diff := cmp.Diff(d, e.Delta, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// All that a leader says reads back.
func TestLeaderRoundTrip(t *testing.T) {
	l := race.Of(spec.Default())
	for at, leader := range l.Racing() {
		sums := race.NewSums(len(l.Scored()))
		sums.Scored = race.Enough
		for i := range sums.By {
			if i != at {
				sums.By[i].Errors = 100
			}
		}
		r := race.NewState(l)
		r.Fold(l.Fingerprint(), sums)
		again, err := codec.ReadRace(codec.RaceProto(r), l)
		if err != nil || again.Leader() != r.Leader() || r.Leader().Candidate != leader {
			t.Errorf("%v leads, want %v: %v", again.Leader(), leader, err)
		}
	}
}

// A race reads back as it was written, and one that cannot be is refused.
func TestRaceRoundTrip(t *testing.T) {
	sp, d := goldenDelta(t)
	l := race.Of(sp)
	r := race.NewState(l)
	r.Fold(l.Fingerprint(), d.Scores.Sums)
	again, err := codec.ReadRace(codec.RaceProto(r), l)
	if err != nil || again.Leader() != r.Leader() {
		t.Fatalf("%v leads, want %v: %v", again.Leader(), r.Leader(), err)
	}
	if diff := cmp.Diff(r.Sums(), again.Sums()); diff != "" {
		t.Errorf("the sums (-written +read):\n%s", diff)
	}
	for name, damage := range map[string]func(*logpb.Race){
		"another list": func(p *logpb.Race) { p.Scores.List[0] ^= 1 }, "no sums": func(p *logpb.Race) { p.Scores = nil },
		"sums that are not halved": func(p *logpb.Race) { p.Scores.Scored = 1 << 14 }, "errors": func(p *logpb.Race) { p.Scores.Errors = 5 },
		"a leader that cannot race": func(p *logpb.Race) { p.Likelihood = spec.Bernoulli }, "no alpha": func(p *logpb.Race) { p.Alpha = 0 }, "a temper": func(p *logpb.Race) { p.T = 0.123 },
	} {
		p := codec.RaceProto(r)
		damage(p)
		if _, err := codec.ReadRace(p, l); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// What has more candidates, or blocks, than there can be is refused before it takes the memory for
// them, which is much more than its bytes.
func TestTooManyScores(t *testing.T) {
	const n = 10_000
	l := race.Of(spec.Default())
	list := l.Fingerprint()
	p := &logpb.Scores{List: list[:], Candidates: make([]*logpb.CandidateScores, n)}
	alloctest.Bound(t, 2*n, func() {
		if _, err := codec.ReadScores(p, l); err == nil {
			t.Errorf("scores of %d candidates are read", n)
		}
	})
	window := &logpb.Prequential{Window: make([]*logpb.Block, n)}
	alloctest.Bound(t, 2*n, func() {
		if _, err := codec.ReadPrequential(window); err == nil {
			t.Errorf("a window of %d blocks is read", n)
		}
	})
}
