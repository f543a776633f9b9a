package main

import (
	"bytes"
	"strings"
	"testing"

	"bayestream/internal/cli"
	"bayestream/internal/fold"
	"bayestream/internal/lab/dataset"
	"bayestream/internal/lab/modelfile"
	"bayestream/internal/spec"
)

// A worker may hold a model whose numbers no record had, or too few: inspect says so, and which field it is.
func TestInspectNumbersWithoutRows(t *testing.T) {
	s, err := spec.Parse([]byte("text: {}\nnumbers: [{fields: [x, y]}, {fields: [z], likelihood: qda}]\n"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := inspect(state, 1).write(cli.Process{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  a                x                mean 1.5          variance 0.25\n", "  a                cannot be evaluated: no record had the field \"y\"\n",
		"numbers[1], qda of [z]\n  a                cannot be evaluated: ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in\n%s", want, out.String())
		}
	}
}
