package offline_test

import (
	"bytes"
	"testing"

	"bayestream/internal/dataset"
	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/news"
	"bayestream/internal/offline"
	"bayestream/internal/wire"
)

// corpus returns JSON Lines of n news items and the bytes of their texts.
func corpus(n int) (lines []byte, text int64) {
	g := news.New(1)
	for range n {
		x := g.Next()
		lines = append(wire.AppendTraining(lines, x.ID, x.Label, x.Text), '\n')
		text += int64(len(x.Text))
	}
	return lines, text
}

func train(tb testing.TB, lines []byte) *fold.State {
	tb.Helper()
	state := fold.Offline(model.DefaultSpec())
	t, err := offline.NewTrainer(state, false)
	if err != nil {
		tb.Fatal(err)
	}
	each(tb, state.Model().Spec(), lines, false, t.Learn)
	if err := t.Flush(); err != nil {
		tb.Fatal(err)
	}
	return state
}

func each(tb testing.TB, s *model.Spec, lines []byte, unlabelled bool, f func(*dataset.Record) error) {
	tb.Helper()
	r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s, Unlabelled: unlabelled}, bytes.NewReader(lines))
	if err != nil {
		tb.Fatal(err)
	}
	if err := offline.Each(r, &offline.OnBad{}, f); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkTrain is JSON Lines to counts, in bytes of text.
func BenchmarkTrain(b *testing.B) {
	lines, text := corpus(20_000)
	b.SetBytes(text)
	for b.Loop() {
		train(b, lines)
	}
}

// BenchmarkPredict is JSON Lines to JSON decisions, in bytes of text.
func BenchmarkPredict(b *testing.B) {
	lines, text := corpus(20_000)
	state := train(b, lines)
	p, err := offline.NewPredictor(state, model.Options{Evidence: 10})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(text)
	var out []byte
	for b.Loop() {
		each(b, state.Model().Spec(), lines, true, func(rec *dataset.Record) error {
			d, err := p.Decide(rec)
			if err == nil {
				out = wire.AppendDecision(out[:0], rec.ID, wire.FileSource(rec.File, rec.Line), d)
			}
			return err
		})
	}
}
