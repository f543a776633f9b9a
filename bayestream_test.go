package bayestream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/storetest"
	"bayestream/internal/tools/demo/news"
	"bayestream/internal/tools/lab/choice"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"

	"pgregory.net/rapid"
)

const mixed = `
text: {alpha: 1}
numbers: [{fields: [amount], var_smoothing: 1e-9}]
categories: [{field: country}]
`

// dump returns every count of a model.
func dump(t storetest.Fataler, m *Model) (out string) {
	t.Helper()
	if err := m.read(func(s *fold.State) { out = storetest.Counts(t, s) }); err != nil {
		t.Fatalf("read: %v", err)
	}
	return out
}

type document struct {
	label    string
	document Document
}

// documents draws documents with labels.
func documents(t *rapid.T, most int) []document {
	words := rapid.SampledFrom(storetest.Words())
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) document {
		d := Document{Text: strings.Join(rapid.SliceOfN(words, 0, 6).Draw(t, "words"), " "), Weight: rapid.IntRange(0, 3).Draw(t, "weight")}
		if rapid.Bool().Draw(t, "amount") {
			d.Numbers = map[string]float64{"amount": float64(rapid.IntRange(-50, 50).Draw(t, "number")) / 8}
		}
		if rapid.Bool().Draw(t, "country") {
			d.Categories = map[string]string{"country": rapid.SampledFrom([]string{"DE", "FR"}).Draw(t, "category")}
		}
		return document{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "label"), d}
	}), 0, most).Draw(t, "documents")
}

func newMixed(t storetest.Fataler) *Model {
	m, err := New(mixed)
	if err != nil {
		t.Fatalf("new: %v", err)
	}
	return m
}

// Documents that were learned and taken out again, in another order, leave the counts of a model
// that never saw them.
func TestUnlearnLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stay, go_ := documents(t, 10), documents(t, 10)
		want, got := newMixed(t), newMixed(t)
		all := rapid.Permutation(append(append([]document{}, stay...), go_...)).Draw(t, "order")
		for _, x := range all {
			must(t, got.Learn(x.label, x.document))
		}
		for _, x := range rapid.Permutation(go_).Draw(t, "order out") {
			must(t, got.Unlearn(x.label, x.document))
		}
		for _, x := range stay {
			must(t, want.Learn(x.label, x.document))
		}
		if a, b := dump(t, got), dump(t, want); a != b {
			t.Fatalf("counts\n%s\nwant\n%s", a, b)
		}
	})
}

func must(t storetest.Fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// The library counts and decides as the workers do: a document and the record with the same JSON
// are one and the same.
func TestDocumentIsItsRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		byFields, byRecord := newMixed(t), newMixed(t)
		for _, x := range documents(t, 10) {
			must(t, byFields.Learn(x.label, x.document))
			must(t, byRecord.Learn(x.label, Document{Record: record(t, x.document), Weight: x.document.Weight}))
		}
		if a, b := dump(t, byFields), dump(t, byRecord); a != b {
			t.Fatalf("counts\n%s\nby records\n%s", a, b)
		}
		for _, x := range documents(t, 3) {
			a, err := byFields.Classify(x.document)
			must(t, err)
			b, err := byRecord.Classify(Document{Record: record(t, x.document)})
			must(t, err)
			if text(t, a) != text(t, b) {
				t.Fatalf("decision\n%s\nby record\n%s", text(t, a), text(t, b))
			}
		}
	})
}

func record(t storetest.Fataler, d Document) []byte {
	b, err := json.Marshal(map[string]any{"text": d.Text, "numbers": d.Numbers, "categories": d.Categories})
	must(t, err)
	if d.Numbers == nil || d.Categories == nil {
		b = []byte(strings.NewReplacer(`,"numbers":null`, "", `"numbers":null,`, "", `"categories":null,`, "").Replace(string(b)))
	}
	return b
}

func text(t storetest.Fataler, d *Decision) string {
	b, err := json.Marshal(d)
	must(t, err)
	return string(b)
}

// What a decision says adds up, and its JSON is that of the labels topic.
func TestDecisionAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMixed(t)
		for _, x := range documents(t, 12) {
			must(t, m.Learn(x.label, x.document))
		}
		d, err := m.Classify(Document{ID: "x", Text: strings.Join(storetest.Words()[:3], " "), Numbers: map[string]float64{"amount": 1}})
		must(t, err)
		if _, err := wire.ParseDecision([]byte(text(t, d))); err != nil {
			t.Fatalf("%s: %v", text(t, d), err)
		}
		if d.RunnerUp == "" {
			return
		}
		sum := d.Rest
		for _, c := range d.Classes {
			switch c.Name {
			case d.Label:
				sum += c.LogPrior
			case d.RunnerUp:
				sum -= c.LogPrior
			}
		}
		for _, e := range d.Evidence {
			sum += e.Weight
		}
		if math.Abs(sum-d.Margin) > 1e-9*(1+math.Abs(d.Margin)) {
			t.Fatalf("the parts sum to %v, the margin is %v", sum, d.Margin)
		}
	})
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	m, err := Open(path, mixed)
	must(t, err)
	must(t, m.Learn("a", Document{Text: "one two"}))
	must(t, m.Save())
	must(t, m.Learn(" b ", Document{Text: "three", Weight: 2}))
	must(t, m.Save())
	must(t, m.Learn("lost", Document{Text: "never saved"}))
	if _, err := Open(path, ""); err == nil || !strings.Contains(err.Error(), "held") {
		t.Errorf("a second Open: %v, want that the file is held", err)
	}
	must(t, m.Close())
	if err := m.Learn("a", Document{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Learn after Close: %v", err)
	}
	loaded, err := Load(t.Context(), path)
	must(t, err)
	got, err := loaded.Counts()
	if want := "map[a:1 b:2]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("loaded %v, %v, want %s", got, err, want)
	}
	if err := errors.Join(loaded.Learn("a", Document{}), loaded.Save()); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Learn and Save of a loaded model: %v", err)
	}
	made, err := New("")
	must(t, err)
	if err := made.Save(); err == nil || errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "Open") {
		t.Errorf("Save of a model without a file: %v", err)
	}
	if _, err := Open(path, "text: {ngrams: 2}"); err == nil || !strings.Contains(err.Error(), "counts differently") {
		t.Errorf("another spec: %v", err)
	}
	again, err := Open(path, "")
	must(t, err)
	must(t, again.Unlearn("b", Document{Text: "three", Weight: 2}))
	must(t, errors.Join(again.Save(), again.Close()))
	loaded, err = Load(t.Context(), path)
	must(t, err)
	if got, _ := loaded.Counts(); fmt.Sprint(got) != "map[a:1]" {
		t.Errorf("after Unlearn: %v", got)
	}
}

// A text with more terms than count is learned, labelled and taken out by those that occur first.
func TestLongTexts(t *testing.T) {
	m, err := New(mixed + "limits: {terms_per_document: 3}\n")
	must(t, err)
	must(t, m.Learn("b", Document{Text: "five"}))
	before := dump(t, m)
	long := Document{Text: "one two three four five one"}
	must(t, m.Learn("a", long))
	for _, c := range []struct {
		document Document
		tokens   int
		cut      bool
	}{{long, 4, true}, {Document{Text: "one two three"}, 3, false}} {
		d, err := m.Classify(c.document)
		must(t, err)
		if d.Label != "a" || d.Tokens != c.tokens || d.Truncated != c.cut {
			t.Errorf("%q: label %s, %d tokens, truncated %v; want a, %d, %v", c.document.Text, d.Label, d.Tokens, d.Truncated, c.tokens, c.cut)
		}
	}
	must(t, m.Unlearn("a", long))
	if after := dump(t, m); after != before {
		t.Errorf("taken out again:\n%s\nbefore:\n%s", after, before)
	}
}

func TestDocumentErrors(t *testing.T) {
	m, err := New(mixed + "limits: {classes: 2, terms_per_document: 3}\n")
	must(t, err)
	must(t, m.Learn("a", Document{Text: "x"}))
	must(t, m.Learn("b", Document{Text: "y"}))
	for _, c := range []struct {
		label    string
		document Document
		reason   string
	}{
		{"", Document{}, "bad_label"},
		{"a\nb", Document{}, "bad_label"},
		{"c", Document{Text: "x"}, "too_many_classes"},
		{"a", Document{Text: "\xff"}, "invalid_utf8"},
		{"a", Document{Categories: map[string]string{"country": "\xff"}}, "invalid_utf8"},
		{"a", Document{Numbers: map[string]float64{"amount": math.NaN()}}, "bad_number"},
		{"a", Document{Numbers: map[string]float64{"amount": math.Inf(1)}}, "bad_number"},
		{"a", Document{Numbers: map[string]float64{"amount": 1e300}}, "number_range"},
		{"a", Document{Texts: map[string]string{"body": "x"}}, "nothing_found"},
		{"a", Document{Weight: 1001}, "bad_weight"},
		{"a", Document{Weight: -1}, "bad_weight"},
		{"a", Document{Record: []byte("[]")}, "not_json"},
	} {
		before := dump(t, m)
		var got *DocumentError
		if err := m.Learn(c.label, c.document); !errors.As(err, &got) || got.Reason != c.reason || got.Detail == "" {
			t.Errorf("Learn(%q, %+v): %v, want a DocumentError with %s", c.label, c.document, err, c.reason)
		}
		if after := dump(t, m); after != before {
			t.Errorf("Learn(%q, %+v) changed the counts", c.label, c.document)
		}
	}
}

// The words of several fields are marked apart, as the workers mark them.
func TestTextsOfSeveralFields(t *testing.T) {
	m, err := New("text: {fields: [subject, mail.body], apart: true, stem: false}")
	must(t, err)
	must(t, m.Learn("a", Document{ID: "1", Texts: map[string]string{"subject": "prize", "mail.body": "lunch", "other": "x"}}))
	must(t, m.Learn("b", Document{Record: []byte(`{"subject":"lunch","mail":{"body":"prize"}}`)}))
	d, err := m.Classify(Document{Texts: map[string]string{"subject": "prize"}})
	must(t, err)
	if d.Label != "a" || d.Known != 1 || d.Evidence[0].Term != "subject:prize" {
		t.Errorf("got %+v", d)
	}
	var wrong *DocumentError
	if _, err := m.Classify(Document{Text: "prize"}); !errors.As(err, &wrong) || wrong.Reason != "no_text" {
		t.Errorf("a text of no field: %v", err)
	}
	if _, err := m.Classify(Document{Texts: map[string]string{"other": "prize"}}); !errors.As(err, &wrong) || wrong.Reason != "nothing_found" {
		t.Errorf("texts of other fields: %v", err)
	}
}

// Many goroutines learn and classify at once: every document is counted once.
func TestConcurrentUse(t *testing.T) {
	m := newMixed(t)
	var wg sync.WaitGroup
	const each = 300
	for i := range 4 {
		wg.Go(func() {
			for j := range each {
				d := Document{Text: fmt.Sprintf("word%d", j%7), Numbers: map[string]float64{"amount": float64(j)}}
				if err := m.Learn([]string{"a", "b"}[i%2], d); err != nil {
					t.Error(err)
				}
				if _, err := m.Classify(d); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got, err := m.Counts(); err != nil || got["a"] != 2*each || got["b"] != 2*each {
		t.Errorf("counted %v, %v", got, err)
	}
}

func TestEvidence(t *testing.T) {
	for n, want := range map[int]int{0: 0, 2: 2, -1: 12} {
		m, err := New("text: {likelihood: multinomial}", WithEvidence(n))
		must(t, err)
		all := "a b c d e f g h i j k l"
		must(t, m.Learn("x", Document{Text: all}))
		must(t, m.Learn("y", Document{Text: all + " m"}))
		d, err := m.Classify(Document{Text: all})
		must(t, err)
		if len(d.Evidence) != want {
			t.Errorf("WithEvidence(%d): %d entries, want %d", n, len(d.Evidence), want)
		}
	}
}

// Evidence names the words of the document, and keeps them when other documents are labelled.
func TestEvidenceNamesWords(t *testing.T) {
	m, err := New("text: {likelihood: multinomial}\nnumbers: [{fields: [x, y], var_smoothing: 0.1}]")
	must(t, err)
	must(t, m.Learn("sports", Document{Text: "footballs", Numbers: map[string]float64{"x": 1, "y": 2}}))
	must(t, m.Learn("news", Document{Text: "debate", Numbers: map[string]float64{"x": 4, "y": 2.5}}))
	d, err := m.Classify(Document{Text: "Football, and a debate", Numbers: map[string]float64{"x": 1, "y": 2}})
	must(t, err)
	for range 3 {
		_, err = m.Classify(Document{Text: "Debates, and footballs are others"})
		must(t, err)
	}
	as := map[string]string{}
	for _, e := range d.Evidence {
		as[e.Term] = strings.Join(e.As, " ")
		if e.Block != "" && (len(e.FieldWeights) != 2 || math.Abs(e.FieldWeights[0]+e.FieldWeights[1]-e.Weight) > 1e-9) {
			t.Errorf("%s: %v by field, %v in all", e.Block, e.FieldWeights, e.Weight)
		}
	}
	if as["footbal"] != "Football" || as["debat"] != "debate" {
		t.Errorf("got %q", as)
	}
}

// Where candidates race, Learn scores documents before it counts them, and the best one decides: in
// the process, and from the file. What a large model learns is scored in part.
func TestLearnRaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	m, err := Open(path, "scoring: {share: 8}")
	must(t, err)
	generator := news.New(1)
	const documents = 3000
	for range documents {
		story := generator.Next()
		must(t, m.Learn(story.Label, Document{Text: story.Text}))
	}
	scored := func(m *Model) (n int64) {
		must(t, m.read(func(s *fold.State) { n = s.Race().Sums().Scored }))
		return n
	}
	n := scored(m)
	if n < race.AllScored-100 || n > race.AllScored+(documents-race.AllScored)/4 {
		t.Errorf("%d of %d documents were scored, want nearly %d and an eighth of the others", n, documents, race.AllScored)
	}
	decide := func(m *Model) *Decision {
		d, err := m.Classify(Document{Text: generator.Next().Text})
		must(t, err)
		return d
	}
	d := decide(m)
	if d.Candidate == "" || d.Temper == 1 {
		t.Errorf("%s decides with the temper %v, want a candidate and its temper", d.Candidate, d.Temper)
	}
	must(t, m.Save())
	must(t, m.Close())
	again, err := Load(t.Context(), path)
	must(t, err)
	if other := decide(again); other.Candidate != d.Candidate || scored(again) != n {
		t.Errorf("in the file %s decides, want %s", other.Candidate, d.Candidate)
	}
}

// The candidates of a file race as those of a stream: Learn of the documents in the order of the
// shuffle comes to the same sums and leader.
func TestFileRacesAsStream(t *testing.T) {
	type story struct {
		id   string
		text news.Item
	}
	generator := news.New(1)
	var stories []story
	var lines []byte
	for i := range 1500 {
		x := story{strconv.Itoa(i), generator.Next()}
		stories = append(stories, x)
		lines = append(labelled.AppendTraining(lines, x.id, x.text.Label, x.text.Text), '\n')
	}
	m, err := New("scoring: {}")
	must(t, err)
	file := fold.Offline(m.state.Spec())
	trainer, err := modelfile.NewTrainer(file, false)
	must(t, err)
	reader, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: m.state.Spec()}, bytes.NewReader(lines))
	must(t, err)
	must(t, dataset.Each(reader, &dataset.OnBad{}, trainer.Learn))
	must(t, errors.Join(trainer.Flush(), trainer.Choose()))

	slices.SortFunc(stories, func(a, b story) int { return cmp.Compare(choice.Key(a.id, true, 0), choice.Key(b.id, true, 0)) })
	for _, x := range stories {
		must(t, m.Learn(x.text.Label, Document{Text: x.text.Text}))
	}
	must(t, m.read(func(stream *fold.State) {
		if want, got := stream.Race().Table(), file.Race().Table(); !reflect.DeepEqual(want, got) || got.Scored < race.Enough {
			t.Errorf("the file has the race\n%+v\nwant that of the stream\n%+v", got, want)
		}
	}))
}
