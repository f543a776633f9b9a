package modelfile_test

import (
	"bytes"
	"strconv"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

// jsonLines returns the items as JSON Lines.
func jsonLines(items []item) (out []byte) {
	for i, x := range items {
		out = append(labelled.AppendTraining(out, "id-"+strconv.Itoa(i), x.label, string(x.text)), '\n')
	}
	return out
}

func train(tb testing.TB, lines []byte) *fold.State { return trainBy(tb, spec.Default(), lines) }

func trainBy(tb testing.TB, s *spec.Spec, lines []byte) *fold.State {
	tb.Helper()
	state := fold.Offline(s)
	t, err := modelfile.NewTrainer(state, false)
	if err != nil {
		tb.Fatal(err)
	}
	each(tb, state.Model().Spec(), lines, false, t.Learn)
	if err := t.Flush(); err != nil {
		tb.Fatal(err)
	}
	return state
}

func each(tb testing.TB, s *spec.Spec, lines []byte, unlabelled bool, f func(*dataset.Record) error) {
	tb.Helper()
	r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s, Unlabelled: unlabelled}, bytes.NewReader(lines))
	if err != nil {
		tb.Fatal(err)
	}
	if err := dataset.Each(r, &dataset.OnBad{}, f); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkTrain is JSON Lines to counts, in bytes of text.
func BenchmarkTrain(b *testing.B) {
	eachSet(b, func(b *testing.B, learn, _ []item) {
		json := jsonLines(learn)
		measure(b, learn, func() { train(b, json) })
	})
}

// BenchmarkTrainHashed is BenchmarkTrain with text.terms: hmac.
func BenchmarkTrainHashed(b *testing.B) {
	s := modeltest.Spec(b, "text: {terms: hmac}")
	key, err := spec.NewTermsKey(bytes.Repeat([]byte("k"), 32))
	if err == nil {
		s, err = s.WithKey(key)
	}
	if err != nil {
		b.Fatal(err)
	}
	eachSet(b, func(b *testing.B, learn, _ []item) {
		json := jsonLines(learn)
		measure(b, learn, func() { trainBy(b, s, json) })
	})
}

// BenchmarkPredict is JSON Lines to JSON decisions, in bytes of text.
func BenchmarkPredict(b *testing.B) {
	eachSet(b, func(b *testing.B, learn, test []item) {
		state := train(b, jsonLines(learn))
		p, err := model.NewLane(state.Spec())
		if err != nil {
			b.Fatal(err)
		}
		json := jsonLines(test)
		var out []byte
		var encoder wire.DecisionEncoder
		measure(b, test, func() {
			each(b, state.Model().Spec(), json, true, func(rec *dataset.Record) error {
				d := p.Decide(state.Model(), state.Next()-1, &rec.Input, rec.ID, model.Options{Evidence: 10})
				out = encoder.Append(out[:0], rec.ID, wire.FileSource(rec.File, rec.Line), d)
				return nil
			})
		})
	})
}
