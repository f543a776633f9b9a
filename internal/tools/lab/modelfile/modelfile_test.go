package modelfile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/bench/labelled"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

// learned returns a state that has learned lines of JSON.
func learned(tb testing.TB, s *spec.Spec, lines []byte) *fold.State {
	tb.Helper()
	state := fold.Offline(s)
	trainer, err := modelfile.NewTrainer(state, false)
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
	if loaded, err = modelfile.Load(context.Background(), path); err != nil {
		tb.Fatal(err)
	}
	return loaded, path
}

// What predict says of a line of a trained file is what classify says of the same bytes in a
// record.
func TestPredictDecidesAsClassify(t *testing.T) {
	for _, text := range modeltest.Specs {
		s := modeltest.Spec(t, text)
		state, _ := stored(t, learned(t, s, modeltest.Lines(200, 1)))
		lane, err := model.NewLane(state.Spec())
		if err != nil {
			t.Fatal(err)
		}
		decoder := wire.NewDecoder(wire.SchemaOf(s))
		extract, err := model.NewExtractor(s)
		if err != nil {
			t.Fatal(err)
		}
		fresh := modeltest.Lines(100, 2)
		records := bytes.Split(bytes.TrimSpace(fresh), []byte("\n"))
		scorer, n := model.NewScorer(), 0
		each(t, s, fresh, true, func(rec *dataset.Record) error {
			d := lane.Decide(state.Model(), state.Next()-1, &rec.Input, rec.ID, model.Options{Evidence: 5})
			got := new(wire.DecisionEncoder).Append(nil, rec.ID, wire.Source{}, d)
			var doc wire.Document
			var f model.Features
			want := model.Decision{ModelInfo: model.ModelInfo{Offset: -1}}
			if err := decoder.Document(&stream.Record{Value: records[n]}, &doc); err != nil {
				return err
			}
			extract.Extract(&f, &doc.Input)
			scorer.Decide(&want, state.Model(), &f, doc.ID, model.Options{Evidence: 5})
			extract.SetWords(&want, &doc.Input)
			if w := new(wire.DecisionEncoder).Append(nil, doc.ID, wire.Source{}, &want); !bytes.Equal(got, w) {
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

// Learning in two goes, through a file between them, is learning at once.
func TestTrainingGoesOn(t *testing.T) {
	for _, text := range modeltest.Specs {
		s := modeltest.Spec(t, text)
		a, b := anonymous(modeltest.Lines(80, 6)), anonymous(modeltest.Lines(50, 7))
		half, _ := stored(t, learned(t, s, a))
		trainer, err := modelfile.NewTrainer(half, false)
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
	for _, text := range modeltest.Specs {
		s := modeltest.Spec(t, text)
		lines := modeltest.Lines(60, 8) // ids 0 to 59
		state := fold.Offline(s)
		trainer, err := modelfile.NewTrainer(state, true)
		if err != nil {
			t.Fatal(err)
		}
		each(t, s, modeltest.Lines(60, 9), false, trainer.Learn)
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
	s := modeltest.Spec(t, "text: {field: text}\nlimits: {classes: 2}")
	trainer, err := modelfile.NewTrainer(fold.Offline(s), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ id, label, text, want string }{
		{"1", "a", "one", ""}, {"1", "b", "one", "is the id of"}, {"3", "c", "one", ""}, {"4", "b", "one", "limits.classes"},
	} {
		rec := &dataset.Record{ID: x.id, Explicit: true, Label: x.label, Weight: 1, Input: model.Input{Segments: []model.Segment{{Text: []byte(x.text)}}}}
		if err := trainer.Learn(rec); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("document %s of class %s: got the error %v, want %q", x.id, x.label, err, x.want)
		}
	}
}

func TestTake(t *testing.T) {
	state := learned(t, modeltest.Spec(t, modeltest.Specs[6]), modeltest.Lines(100, 10))
	want := modeltest.Dump(state.Model())
	_, path := stored(t, state)
	dir := t.TempDir()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, path) }))
	defer served.Close()
	for i, from := range []string{path, served.URL + "/v1/snapshot"} {
		out, back := filepath.Join(dir, fmt.Sprintf("out%d.db", i)), filepath.Join(dir, fmt.Sprintf("back%d.db", i))
		if err := modelfile.Take(t.Context(), from, out); err != nil {
			t.Fatalf("%v: %v", from, err)
		}
		packed, err := modelfile.Pack(t.Context(), out)
		if err = errors.Join(err, modelfile.Take(t.Context(), packed, back)); err != nil {
			t.Fatalf("%v: %v", from, err)
		}
		got, err := modelfile.Load(t.Context(), back)
		if err != nil {
			t.Fatalf("%v: %v", from, err)
		}
		if modeltest.Dump(got.Model()) != want {
			t.Errorf("%v: the model is another one", from)
		}
		if err := modelfile.Take(t.Context(), from, out); err == nil {
			t.Errorf("%v: a file was overwritten", from)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 6 {
		t.Errorf("%d files in the folder of the copies, want 6: %v", len(entries), err)
	}
	served.Config.Handler = http.NotFoundHandler()
	if err := modelfile.Take(t.Context(), served.URL, filepath.Join(dir, "d.db")); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a worker without a snapshot: %v", err)
	}
}

// No prefix of a packed file, and no file with a byte that is wrong, is copied.
func TestTakeRefusesWhatIsBroken(t *testing.T) {
	_, path := stored(t, learned(t, modeltest.Spec(t, modeltest.Specs[0]), modeltest.Lines(30, 11)))
	dir := t.TempDir()
	whole, err := modelfile.Pack(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	packed := filetest.Read(t, whole)
	broken, model := filepath.Join(dir, "broken"), filepath.Join(dir, "model.db")
	refuse := func(content []byte, what string) {
		t.Helper()
		filetest.Write(t, broken, content)
		if err := modelfile.Take(t.Context(), broken, model); err == nil {
			t.Fatalf("%s was copied", what)
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
		if bytes.Equal(unpacked(flipped), unpacked(packed)) {
			continue // the pages are mostly zeros: a copy of other zeros is the same
		}
		refuse(flipped, fmt.Sprintf("byte %d flipped", n))
	}
}

// unpacked returns what gzip makes of packed, nil if it is broken.
func unpacked(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return content
}

// A page of a worker, or of a proxy before it, is no snapshot, and says so before it is taken for a
// damaged one.
func TestAPageIsNoSnapshot(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!DOCTYPE html>") }))
	defer served.Close()
	_, err := modelfile.Load(t.Context(), served.URL+"/")
	if err == nil || !strings.Contains(err.Error(), "answers with text/html; charset=utf-8 and not with a model; the path of a worker's snapshot is /v1/snapshot") {
		t.Errorf("got %v", err)
	}
}

// One in seven documents is scored where files are many: of what the model had before and what it
// learns, and a document that takes the place of another one is none more.
func TestHowManyDocumentsChoose(t *testing.T) {
	s := spec.Default()
	lines := func(from, n int) (out []byte) {
		for i := from; i < from+n; i++ {
			out = append(labelled.AppendTraining(out, strconv.Itoa(i), []string{"a", "b"}[i%2], fmt.Sprintf("word%d", i%50)), '\n')
		}
		return out
	}
	for _, c := range []struct {
		name          string
		before, lines []byte
		want          int64
	}{
		{"new", nil, lines(0, 21_000), 3000},
		{"more than there were", lines(0, 7000), lines(7000, 21_000), 4000},
		{"each twice", nil, append(lines(0, 21_000), lines(0, 21_000)...), 3000},
	} {
		state := learned(t, s, c.before)
		trainer, err := modelfile.NewTrainer(state, true)
		if err != nil {
			t.Fatal(err)
		}
		each(t, s, c.lines, false, trainer.Learn)
		if err := errors.Join(trainer.Flush(), trainer.Choose()); err != nil {
			t.Fatal(err)
		}
		if got := state.Race().Sums().Scored; got != c.want {
			t.Errorf("%s: %d documents are scored, want %d", c.name, got, c.want)
		}
	}
}
