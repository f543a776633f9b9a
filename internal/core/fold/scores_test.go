package fold_test

import (
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

func specOf(t *testing.T, yaml string) *spec.Spec {
	t.Helper()
	s := modeltest.Spec(t, yaml)
	return s
}

const (
	twoCandidates = "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: complement, alpha: 0.1}]}\ndecision: {min_documents: 0}"
	twoOthers     = "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: complement, alpha: 0.5}]}\ndecision: {min_documents: 0}"
)

// scored returns a delta of the next n records, all of them scored: the second candidate made no
// errors.
func scored(t *testing.T, s *fold.State, n int64) *fold.Delta {
	t.Helper()
	records := make([]storetest.Record, 1000)
	for i := range records {
		records[i] = storetest.Record{Label: "ham", Weight: 1, Text: "word"}
	}
	p, _ := s.Progress(training)
	d := storetest.NewWriter(t, s.Spec()).Delta(t, s, training, records, p.Watermark, p.Watermark+n)
	sums := race.NewSums(len(s.Race().List().Scored()))
	sums.Scored = n
	for i := range sums.By {
		if i != 1 {
			sums.By[i].Errors = n
		}
	}
	d.Scores = &fold.Scores{List: s.Race().List().Fingerprint(), Sums: sums}
	return d
}

func mustFold(t *testing.T, s *fold.State, d *fold.Delta, want fold.Outcome) {
	t.Helper()
	if got := foldDelta(t, s, d); got != want {
		t.Fatalf("outcome %q, want %q", got, want)
	}
}

func mustHaveScored(t *testing.T, s *fold.State, scored int64, leader string) {
	t.Helper()
	if got := s.Race(); got.Sums().Scored != scored || got.Leader().Candidate.String() != leader {
		t.Errorf("%d records are scored and %v leads, want %d and %s", got.Sums().Scored, got.Leader(), scored, leader)
	}
	s.Settle()
	probe := &model.Features{}
	probe.Bag.Add([]byte("word"))
	var d model.Decision
	model.NewScorer().Decide(&d, s.Model(), probe, "", model.Options{})
	if d.Scoring.Candidate != leader && d.Status != model.StatusEmpty {
		t.Errorf("%s decides, want %s", d.Scoring.Candidate, leader)
	}
}

// The sums of a delta count only if they are of the list in force; its counts do regardless.
// Another list begins again, and the leader stays. A reset takes all out.
func TestScoresAreOfTheListInForce(t *testing.T) {
	s := newState(t, specOf(t, twoCandidates))
	mustHaveScored(t, s, 0, "multinomial/1")
	mustFold(t, s, scored(t, s, 250), fold.Accepted)
	mustHaveScored(t, s, 250, "complement/0.1")

	renamed := fold.Entry{Spec: specOf(t, "name: renamed\n"+twoCandidates)}
	storetest.Fold(t, s, renamed, fold.Respecified)
	storetest.Fold(t, s, renamed, fold.Repeated)
	if got := s.Spec().Name; got != "renamed" {
		t.Errorf("the model is named %q, want renamed", got)
	}
	mustHaveScored(t, s, 250, "complement/0.1")
	storetest.Fold(t, s, fold.Entry{Spec: specOf(t, strings.Replace(twoCandidates, "decision: {", "decision: {reject: 0.1, ", 1))}, fold.Respecified)
	mustHaveScored(t, s, 250, "complement/0.1")
	late := scored(t, s, 300)
	storetest.Fold(t, s, fold.Entry{Spec: specOf(t, twoOthers)}, fold.Respecified)
	mustHaveScored(t, s, 0, "complement/0.1")
	mustFold(t, s, late, fold.Stale)
	late.BuildOn(s.Basis(late.Ranges[0].Source)) // its writer has scored by another list than the spec says
	mustFold(t, s, late, fold.Accepted)
	if got := s.Model().Classes().Total(); got != 550 {
		t.Errorf("%d documents, want 550: the counts of a delta count whatever its sums are of", got)
	}
	mustHaveScored(t, s, 0, "complement/0.1")
	mustFold(t, s, scored(t, s, 199), fold.Accepted)
	mustHaveScored(t, s, 199, "complement/0.1")
	mustFold(t, s, scored(t, s, 1), fold.Accepted)
	mustHaveScored(t, s, 200, "complement/0.5")

	storetest.Fold(t, s, fold.Entry{Control: &fold.Control{Log: s.Log(), Reset: &fold.Reset{}}}, fold.Controlled)
	mustHaveScored(t, s, 0, "multinomial/1")
}

// No record is scored twice, and upkeep scores none. A file brings the sums it has.
func TestScoresThatCannotBe(t *testing.T) {
	s := newState(t, specOf(t, twoCandidates))
	mustFold(t, s, scored(t, s, 10), fold.Accepted)
	d := scored(t, s, 10)
	d.Scores.Sums.Scored = 11
	mustFold(t, s, d, fold.Invalid)
	d.Scores.Sums.Scored = 0
	d.Ranges[0].End = d.Ranges[0].Start
	mustFold(t, s, d, fold.Invalid)
	mustHaveScored(t, s, 10, "multinomial/1")
	d = scored(t, s, 10)
	d.Ranges[0].Source, d.Ranges[0].Start, d.Ranges[0].End, d.Ranges[0].Previous = fold.Import("file"), 0, 1, 0
	d.Scores.Sums.Scored = 500
	mustFold(t, s, d, fold.Accepted)
	mustHaveScored(t, s, 510, "complement/0.1")
}

// A rollback takes the sums out as if their records had never been folded.
func TestRollbackTakesScoresOut(t *testing.T) {
	sp := specOf(t, twoCandidates)
	log, s := &storetest.Log{}, fold.New(true)
	add := func(value []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		log.Append(value)
		follow(t, s, log)
	}
	add(codec.EncodeSpec(sp, fold.LogID{1}))
	add(codec.EncodeDelta(scored(t, s, 20)))
	add(codec.EncodeDelta(scored(t, s, 250)))
	mustHaveScored(t, s, 270, "complement/0.1")
	if _, err := modellog.Command(t.Context(), log, "log", s, modellog.Rollback(2, "test")); err != nil {
		t.Fatal(err)
	}
	follow(t, s, log)
	mustHaveScored(t, s, 20, "multinomial/1")
	add(codec.EncodeDelta(scored(t, s, 200)))
	mustHaveScored(t, s, 220, "complement/0.1")
}
