package offline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/lab/dataset"
	"bayestream/internal/lab/evaluate"
	"bayestream/internal/lab/offline"
	"bayestream/internal/model"
	"bayestream/internal/spec"
	"bayestream/internal/store"
	"bayestream/internal/stream"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/wire"
)

// specs are models of every kind that can be learned from rows.
var specs = []string{
	"text: {field: text}", "text: {field: text, likelihood: bernoulli, ngrams: 2}", "text: {field: text, likelihood: complement}",
	"numbers: [{fields: [x, y]}]", "numbers: [{fields: [x, y], likelihood: lda}]", "numbers: [{fields: [x, y], likelihood: qda}]",
	"text: {field: text}\nnumbers: [{fields: [x], variance: shared}]\ncategories: [{field: c}]\nhistograms: [{field: y, from: 0, to: 10, bins: 5}]\nprior: uniform",
}

// rows returns n JSON lines with words, numbers and categories that have to do with the label.
func rows(n int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	var b bytes.Buffer
	for i := range n {
		class := random.IntN(3)
		fmt.Fprintf(&b, `{"id":"%d","label":"class %c","weight":%d,"numbers":{"x":%.3f,"y":%.2f},"categories":{"c":"v%d"},"text":"`,
			i, 'a'+class, 1+random.IntN(3), 2*float64(class)+random.NormFloat64(), 3+random.NormFloat64()-float64(class), random.IntN(2)+class)
		for range 4 + random.IntN(6) {
			fmt.Fprintf(&b, "word%c ", 'a'+random.IntN(6)+4*class)
		}
		b.WriteString("\"}\n")
	}
	return b.Bytes()
}

func parse(tb testing.TB, text string) *spec.Spec {
	tb.Helper()
	s, err := spec.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// learned returns a state that has learned lines of JSON.
func learned(tb testing.TB, s *spec.Spec, lines []byte) *fold.State {
	tb.Helper()
	state := fold.Offline(s)
	trainer, err := offline.NewTrainer(state, false)
	if err != nil {
		tb.Fatal(err)
	}
	each(tb, s, lines, false, trainer.Learn)
	if err := trainer.Flush(); err != nil {
		tb.Fatal(err)
	}
	return state
}

// stored writes a state to a file and loads it again.
func stored(tb testing.TB, state *fold.State) (loaded *fold.State, path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "m.db")
	s, err := store.Open(path, time.Second)
	if err != nil {
		tb.Fatal(err)
	}
	if err := errors.Join(s.Write(store.Collect(state)), s.Close()); err != nil {
		tb.Fatal(err)
	}
	if loaded, err = offline.Load(context.Background(), path); err != nil {
		tb.Fatal(err)
	}
	return loaded, path
}

// What predict says of a line of a trained file is what classify says of the same bytes in a record.
func TestPredictDecidesAsClassify(t *testing.T) {
	for _, text := range specs {
		s := parse(t, text)
		state, _ := stored(t, learned(t, s, rows(200, 1)))
		predictor, err := offline.NewPredictor(state, model.Options{Evidence: 5})
		if err != nil {
			t.Fatal(err)
		}
		decoder, err := wire.NewDecoder(wire.Schema{
			Format: s.Format, HasText: s.Text != nil, TextField: "text", NumberFields: s.NumberFields(), CategoryFields: s.CategoryFields(),
			Digits: s.Digits(), MaxRecordBytes: s.Limits.RecordBytes,
		})
		if err != nil {
			t.Fatal(err)
		}
		extract, err := model.NewExtractor(s)
		if err != nil {
			t.Fatal(err)
		}
		fresh := rows(100, 2)
		records := bytes.Split(bytes.TrimSpace(fresh), []byte("\n"))
		scorer, n := model.NewScorer(), 0
		each(t, s, fresh, true, func(rec *dataset.Record) error {
			d, err := predictor.Decide(rec)
			if err != nil {
				return err
			}
			got := wire.AppendDecision(nil, rec.ID, wire.Source{}, d)
			var doc wire.Document
			var f model.Features
			want := model.Decision{Model: model.ModelInfo{Offset: -1}}
			if err := errors.Join(decoder.Document(&stream.Record{Value: records[n]}, &doc), extract.Extract(&f, &doc.Input)); err != nil {
				return err
			}
			scorer.Decide(&want, state.Model(), &f, doc.ID, model.Options{Evidence: 5})
			if w := wire.AppendDecision(nil, doc.ID, wire.Source{}, &want); !bytes.Equal(got, w) {
				t.Errorf("%s, line %d: predict says\n%s\nclassify\n%s", text, n+1, got, w)
			}
			n++
			return nil
		})
		if n != 100 {
			t.Errorf("%s: %d records", text, n)
		}
	}
}

// Folds by exact unlearning are folds that learn from nothing: the same counts, so the same scores to the bit.
func TestFoldsByUnlearningAreFoldsFromScratch(t *testing.T) {
	for _, text := range specs {
		s := parse(t, text)
		lines := rows(120, 3)
		c := corpusOf(t, s, lines)
		folds, err := evaluate.Plan{N: len(c.Documents), Labels: c.Labels(), Seed: 4}.Folds(5)
		if err != nil {
			t.Fatal(err)
		}
		got, err := offline.Splits(t.Context(), c, folds, evaluate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all := bytes.SplitAfter(bytes.TrimSpace(lines), []byte("\n"))
		want := evaluate.NewScores(evaluate.Options{})
		for _, f := range folds {
			score(t, want, learned(t, s, pick(all, f.Train)), pick(all, f.Test))
		}
		same(t, text, got.Scores, want)
	}
}

// Leave one out is as many folds as documents.
func TestLeaveOneOutIsNFolds(t *testing.T) {
	for _, text := range specs {
		c := corpusOf(t, parse(t, text), rows(40, 5))
		got, err := offline.LeaveOneOut(t.Context(), c, evaluate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var folds []evaluate.Split
		for f := range evaluate.LeaveOneOut(40) {
			folds = append(folds, evaluate.Split{Train: append([]int(nil), f.Train...), Test: f.Test})
		}
		want, err := offline.Splits(t.Context(), c, folds, evaluate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		same(t, text, got.Scores, want.Scores)
	}
}

func corpusOf(t *testing.T, s *spec.Spec, lines []byte) *offline.Corpus {
	t.Helper()
	r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s}, bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	c, err := offline.ReadCorpus(s, r, &offline.OnBad{})
	if err != nil {
		t.Fatal(err)
	}
	return c
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
	p, err := offline.NewPredictor(state, model.Options{Evidence: -1})
	if err != nil {
		t.Fatal(err)
	}
	each(t, state.Model().Spec(), lines, false, func(rec *dataset.Record) error {
		d, err := p.Decide(rec)
		if err != nil {
			return err
		}
		var o evaluate.Outcome
		o.SetDecision(rec.Label, d)
		return dst.Add(&o)
	})
}

func same(t *testing.T, text string, got, want *evaluate.Scores) {
	t.Helper()
	gotAUC, _ := got.AUC()
	wantAUC, _ := want.AUC()
	if got.N() != want.N() || got.LogLoss() != want.LogLoss() || got.Brier() != want.Brier() || gotAUC != wantAUC ||
		fmt.Sprint(got.Confusion().Rows) != fmt.Sprint(want.Confusion().Rows) {
		t.Errorf("%s: %d documents, log loss %v, AUC %v, %v; from scratch %d, %v, %v, %v", text,
			got.N(), got.LogLoss(), gotAUC, got.Confusion().Rows, want.N(), want.LogLoss(), wantAUC, want.Confusion().Rows)
	}
}

// Learning in two goes, through a file between them, is learning at once.
func TestTrainingGoesOn(t *testing.T) {
	for _, text := range specs {
		s := parse(t, text)
		a, b := anonymous(rows(80, 6)), anonymous(rows(50, 7))
		half, _ := stored(t, learned(t, s, a))
		trainer, err := offline.NewTrainer(half, false)
		if err != nil {
			t.Fatal(err)
		}
		each(t, s, b, false, trainer.Learn)
		if err := trainer.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, want := modeltest.Dump(half.Model()), modeltest.Dump(learned(t, s, append(a, b...)).Model()); got != want {
			t.Errorf("%s: in two goes\n%s\nat once\n%s", text, got, want)
		}
	}
}

// anonymous takes the ids out of lines.
func anonymous(lines []byte) []byte {
	return bytes.ReplaceAll(lines, []byte(`"id":`), []byte(`"number":`))
}

// With replacing, only the last record of an id counts.
func TestReplaceKeepsTheLast(t *testing.T) {
	for _, text := range specs {
		s := parse(t, text)
		lines := rows(60, 8) // ids 0 to 59
		state := fold.Offline(s)
		trainer, err := offline.NewTrainer(state, true)
		if err != nil {
			t.Fatal(err)
		}
		each(t, s, rows(60, 9), false, trainer.Learn)
		if err := trainer.Flush(); err != nil {
			t.Fatal(err)
		}
		each(t, s, lines, false, trainer.Learn)
		if err := trainer.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, want := modeltest.Dump(state.Model()), modeltest.Dump(learned(t, s, lines).Model()); got != want {
			t.Errorf("%s: after replacing\n%s\nwant\n%s", text, got, want)
		}
		if trainer.Learned != 60 {
			t.Errorf("%s: %d records learned, want 60", text, trainer.Learned)
		}
	}
}

// A record that is refused for its text brings no class: the one that comes next has its place.
func TestRefusedRecordsBringNoClass(t *testing.T) {
	s := parse(t, "text: {field: text}\nlimits: {classes: 2, terms_per_document: 2}")
	trainer, err := offline.NewTrainer(fold.Offline(s), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ id, label, text, want string }{
		{"1", "a", "one", ""}, {"2", "b", "one two three", "distinct terms"}, {"1", "b", "one", "is the id of"}, {"3", "c", "one", ""}, {"4", "b", "one", "limits.classes"},
	} {
		rec := &dataset.Record{ID: x.id, Explicit: true, Label: x.label, Weight: 1, Input: model.Input{Segments: []model.Segment{{Text: []byte(x.text)}}}}
		if err := trainer.Learn(rec); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("document %s of class %s: got the error %v, want %q", x.id, x.label, err, x.want)
		}
	}
}

func TestBackupAndRestore(t *testing.T) {
	state := learned(t, parse(t, specs[6]), rows(100, 10))
	want := modeltest.Dump(state.Model())
	_, path := stored(t, state)
	dir := t.TempDir()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) }))
	defer served.Close()
	for i, c := range []struct{ from, to string }{{path, "a.db"}, {path, "b.db.gz"}, {served.URL + "/v1/snapshot", "c.db.gz"}} {
		out, back := filepath.Join(dir, c.to), filepath.Join(dir, fmt.Sprintf("back%d.db", i))
		if err := errors.Join(offline.Backup(t.Context(), c.from, out), offline.Restore(t.Context(), out, back)); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		got, err := offline.Load(t.Context(), back)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if modeltest.Dump(got.Model()) != want {
			t.Errorf("%v: the model is another one", c)
		}
		var exists *offline.ExistsError
		if err := offline.Backup(t.Context(), c.from, out); !errors.As(err, &exists) {
			t.Errorf("%v: backup onto a file: %v", c, err)
		}
		if err := offline.Restore(t.Context(), out, back); !errors.As(err, &exists) {
			t.Errorf("%v: restore onto a file: %v", c, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Errorf("%d files in the folder of the backups, want 6: %v", len(entries), err)
	}
	served.Config.Handler = http.NotFoundHandler()
	if err := offline.Backup(t.Context(), served.URL, filepath.Join(dir, "d.db")); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a worker without a snapshot: %v", err)
	}
}

// No prefix of a packed backup, and no backup with a byte that is wrong, is restored.
func TestRestoreRefusesWhatIsBroken(t *testing.T) {
	_, path := stored(t, learned(t, parse(t, specs[0]), rows(30, 11)))
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db.gz")
	if err := offline.Backup(t.Context(), path, whole); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	broken, model := filepath.Join(dir, "broken"), filepath.Join(dir, "model.db")
	refuse := func(content []byte, what string) {
		t.Helper()
		if err := os.WriteFile(broken, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := offline.Restore(t.Context(), broken, model); err == nil {
			t.Fatalf("%s was restored", what)
		}
		if _, err := os.Stat(model); err == nil {
			t.Fatalf("%s: a file is there", what)
		}
	}
	for n := 0; n < len(packed); n += 1 + len(packed)/40 {
		refuse(packed[:n], fmt.Sprintf("%d of %d bytes", n, len(packed)))
	}
	for n := 10; n < len(packed); n += 1 + len(packed)/40 {
		flipped := bytes.Clone(packed)
		flipped[n] ^= 0x10
		refuse(flipped, fmt.Sprintf("byte %d flipped", n))
	}
}

// A page of a worker, or of a proxy before it, is no snapshot, and says so before it is taken for a damaged one.
func TestAPageIsNoSnapshot(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!DOCTYPE html>") }))
	defer served.Close()
	_, err := offline.Load(t.Context(), served.URL+"/")
	if err == nil || !strings.Contains(err.Error(), "answers with text/html; charset=utf-8 and not with a model; the path of a worker's snapshot is /v1/snapshot") {
		t.Errorf("got %v", err)
	}
}
