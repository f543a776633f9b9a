package experiment_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
	"bayestream/internal/tools/lab/modelfile"
)

// Folds by exact unlearning are folds that learn from nothing: the same counts, so the same scores
// to the bit.
func TestFoldsByUnlearningAreFoldsFromScratch(t *testing.T) {
	for _, text := range modeltest.Specs {
		lines := modeltest.Lines(120, 3)
		c := newCorpus(t, text, lines)
		folds, err := evaluate.Plan{N: len(c.Documents), Labels: c.Labels(), Seed: 4}.Folds(5)
		if err != nil {
			t.Fatal(err)
		}
		got, err := experiment.CrossValidate(t.Context(), c, folds, evaluate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all := bytes.SplitAfter(bytes.TrimSpace(lines), []byte("\n"))
		want := evaluate.NewScores(evaluate.Options{})
		for _, f := range folds {
			score(t, want, learned(t, c.Spec, pick(all, f.Train)), pick(all, f.Test))
		}
		same(t, text, got.Scores, want)
	}
}

// Leave one out is as many folds as documents.
func TestLeaveOneOutIsNFolds(t *testing.T) {
	all := make([]int, 40)
	for i := range all {
		all[i] = i
	}
	for _, text := range modeltest.Specs {
		c := newCorpus(t, text, modeltest.Lines(40, 5))
		got, err := experiment.LeaveOneOut(t.Context(), c, evaluate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var splits []evaluate.Split
		for i := range all {
			splits = append(splits, evaluate.Split{Train: slices.Delete(slices.Clone(all), i, i+1), Test: []int{i}})
		}
		want, err := experiment.CrossValidate(t.Context(), c, splits, evaluate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		same(t, text, got.Scores, want.Scores)
	}
}

// learned returns a state that has learned lines of JSON.
func learned(t *testing.T, s *spec.Spec, lines []byte) *fold.State {
	t.Helper()
	state := fold.Offline(s)
	trainer, err := modelfile.NewTrainer(state, false)
	if err != nil {
		t.Fatal(err)
	}
	each(t, s, lines, trainer.Learn)
	if err := trainer.Flush(); err != nil {
		t.Fatal(err)
	}
	return state
}

func each(t *testing.T, s *spec.Spec, lines []byte, f func(*dataset.Record) error) {
	t.Helper()
	r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s}, bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.Each(r, &dataset.OnBad{}, f); err != nil {
		t.Fatal(err)
	}
}

func pick(lines [][]byte, indexes []int) []byte {
	var out []byte
	for _, i := range indexes {
		out = append(append(out, bytes.TrimSpace(lines[i])...), '\n')
	}
	return out
}

// score adds the decisions of a state on labelled lines.
func score(t *testing.T, dst *evaluate.Scores, state *fold.State, lines []byte) {
	t.Helper()
	p, err := model.NewLane(state.Spec())
	if err != nil {
		t.Fatal(err)
	}
	each(t, state.Model().Spec(), lines, func(rec *dataset.Record) error {
		var o evaluate.Outcome
		o.SetDecision(rec.Label, p.Decide(state.Model(), state.Next()-1, &rec.Input, rec.ID, model.Options{Evidence: -1}))
		return dst.Add(&o)
	})
}

// same compares all that a report says.
func same(t *testing.T, text string, got, want *evaluate.Scores) {
	t.Helper()
	if g, w := reportOf(t, got), reportOf(t, want); g != w {
		t.Errorf("%s: got\n%s\nfrom scratch\n%s", text, g, w)
	}
}

func reportOf(t *testing.T, s *evaluate.Scores) string {
	t.Helper()
	report, err := s.Report(evaluate.ReportOptions{Positive: s.Classes()[0], Curves: true})
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
