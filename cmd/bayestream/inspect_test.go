package main

import (
	"bytes"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

// A worker may hold a model whose numbers no record had, or too few: inspect says so, and which
// field it is.
func TestInspectNumbersWithoutRows(t *testing.T) {
	s := modeltest.Spec(t, "text: {}\nnumbers: [{fields: [x, y]}, {fields: [z], likelihood: qda}]\n")
	state := fold.Offline(s)
	trainer, err := modelfile.NewTrainer(state, false)
	if err != nil {
		t.Fatal(err)
	}
	lines := `{"label":"a","text":"b","x":1}` + "\n" + `{"label":"a","text":"b","x":2}` + "\n"
	r, err := dataset.Open(dataset.Options{Spec: s, Format: dataset.JSONL}, strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.Each(r, &dataset.OnBad{}, trainer.Learn); err != nil {
		t.Fatal(err)
	}
	if err := trainer.Flush(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	inspect(state, 1).write(&printer{w: &out})
	for _, want := range []string{
		"  a                x                mean 1.5          variance 0.25\n", "  a                cannot be evaluated: no record had the field \"y\"\n",
		"numbers[1], qda of [z]\n  a                cannot be evaluated: ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}

// The drifts of a model that followed a stream are shown, with the classes and words that moved.
func TestInspectDrifts(t *testing.T) {
	s := modeltest.Spec(t, "text: {alpha: 1}")
	state := fold.New(false)
	add := func(e fold.Entry) {
		t.Helper()
		e.Offset = state.Next()
		if outcome, err := state.Fold(e); err != nil || outcome != fold.Accepted && outcome != fold.Respecified {
			t.Fatalf("fold: %s, %v", outcome, err)
		}
	}
	add(fold.Entry{Spec: s})
	shown := func() string {
		t.Helper()
		var out bytes.Buffer
		state.Settle()
		inspect(state, 1).write(&printer{w: &out})
		return out.String()
	}
	if got := shown(); strings.Contains(got, "drift") {
		t.Errorf("nothing was scored:\n%s", got)
	}
	decided := func(start, errors int64, word string) {
		t.Helper()
		b := model.NewBuilder(s)
		b.AddDocuments("spam", 1000)
		b.AddCount(0, "spam", []byte(word), 1000)
		sums := race.NewSums(0)
		sums.Scored, sums.Decided.Errors = 1000, errors
		add(fold.Entry{Time: 1_800_000_000_000, Delta: &fold.Delta{
			Ranges:   []fold.Range{{Source: fold.Source{Topic: "training"}, Start: start, End: start + 1000}},
			Counting: s.Counting(),
			Counts:   b.Delta(),
			Scores:   &fold.Scores{List: race.Of(s).Fingerprint(), Sums: sums, Classes: race.Tallies{"spam": {Records: 1000, Right: 1000 - errors}}},
		}})
	}
	decided(0, 10, "offer")
	if got := shown(); !strings.Contains(got, "drift      none in the stream: 10 errors in 1000 scored records\n") {
		t.Errorf("a quiet stream:\n%s", got)
	}
	decided(1000, 800, "crypto")
	want := "drift      1 found in the stream\n" +
		"           offset 2, 2027-01-15T08:00:00Z, training/0: errors from 0.010 to 0.800\n" +
		"             spam: share from 1.000 to 1.000, errors from 0.010 to 0.800; +crypto -offer\n"
	if got := shown(); !strings.Contains(got, want) {
		t.Errorf("want\n%sin\n%s", want, got)
	}
}
