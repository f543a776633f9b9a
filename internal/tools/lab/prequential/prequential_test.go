package prequential

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/storetest"
	"bayestream/internal/tools/lab/evaluate"
)

// world is a training topic of one partition in memory, and the model logs that count it.
type world struct {
	t      *testing.T
	memory *kafkatest.Memory
	texts  []string // by offset
	labels []string
}

// newWorld returns a training topic of n records. Each has an id, and that at the offset repeated
// has the id of another.
func newWorld(t *testing.T, n, repeated int) *world {
	t.Helper()
	w := &world{t: t, memory: kafkatest.NewMemory()}
	w.memory.CreateTopic("training", 1)
	var records []stream.Record
	for i := range n {
		text, label := fmt.Sprintf("lunch not bad %d", i%7), "ham"
		if i%3 == 0 {
			text, label = fmt.Sprintf("not lunch bad %d", i%5), "spam"
		}
		id := i
		if i == repeated {
			id = 0
		}
		w.texts = append(w.texts, text)
		w.labels = append(w.labels, label)
		records = append(records, stream.Record{Value: fmt.Appendf(nil, `{"id":"%d","text":%q,"team":%q}`, id, text, label)})
	}
	if _, err := w.memory.Produce(t.Context(), "training", 0, records); err != nil {
		t.Fatal(err)
	}
	return w
}

// features returns those of the record at an offset.
func (w *world) features(s *spec.Spec, offset int64) *model.Features {
	w.t.Helper()
	x, err := model.NewExtractor(s)
	if err != nil {
		w.t.Fatal(err)
	}
	var f model.Features
	x.Extract(&f, &model.Input{Segments: []model.Segment{{Text: []byte(w.texts[offset])}}})
	return &f
}

func parse(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// count writes a log of deltas of so many records each, up to an offset, in which the record at
// skipped is a dead letter.
func (w *world) count(topic string, s *spec.Spec, each, begin, end, skipped int64) {
	w.t.Helper()
	w.memory.CreateTopic(topic, 1)
	state := fold.New(true)
	value, err := codec.EncodeSpec(s, modellog.NewID())
	w.append(topic, state, value, err, fold.Respecified)
	src := fold.Source{Topic: "training"}
	for start := begin; start < end; start += each {
		p, _ := state.Progress(src)
		d := &fold.Delta{Ranges: []fold.Range{{Source: src, Previous: p.Previous, Start: start, End: min(start+each, end), FromStart: start == 0}},
			Counting: s.Counting(),
			Log:      state.Log()}
		b := model.NewBuilder(s)
		for offset := start; offset < d.Ranges[0].End; offset++ {
			if offset == skipped {
				d.Ranges[0].Skipped = append(d.Ranges[0].Skipped, fold.Skipped{Offset: offset, Reason: "no_label"})
				continue
			}
			f := w.features(s, offset)
			b.Observe(w.labels[offset], 1, f)
			d.Ranges[0].Ledger = append(d.Ranges[0].Ledger, fold.LedgerChange{Offset: offset, ID: fmt.Sprint(offset), Put: &fold.Learned{
				Label: w.labels[offset], Weight: 1, Topic: "training", Offset: offset, Sum: f.Checksum(),
			}})
		}
		d.Counts = b.Delta()
		value, err := codec.EncodeDelta(d)
		w.append(topic, state, value, err, fold.Accepted)
	}
}

// append appends a record to a log and folds it.
func (w *world) append(topic string, state *fold.State, value []byte, err error, want fold.Outcome) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	rec := stream.Record{Value: value, Offset: state.Next()}
	if _, outcome, err := storetest.FoldRecord(state, &rec, 0); err != nil || outcome != want {
		w.t.Fatalf("the record at offset %d is %s, %v", rec.Offset, outcome, err)
	}
	if _, err := w.memory.Produce(w.t.Context(), topic, 0, []stream.Record{{Value: value}}); err != nil {
		w.t.Fatal(err)
	}
}

// read folds a log.
func (w *world) read(topic string) *Log {
	w.t.Helper()
	l, err := Read(w.t.Context(), w.memory, topic, "training", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// score scores a window.
func (w *world) score(l *Log, window map[int32]Range) *Scores {
	w.t.Helper()
	s, err := l.Score(w.t.Context(), w.memory, nil, window, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// scoreByHand scores the record at an offset by a model of the records before start.
func (w *world) scoreByHand(s *spec.Spec, start, offset int64) Score {
	w.t.Helper()
	m := model.New(s)
	b := model.NewBuilder(s)
	for i := range start {
		b.Observe(w.labels[i], 1, w.features(s, i))
	}
	if err := m.Apply(b.Delta()); err != nil {
		w.t.Fatal(err)
	}
	m.Prepare()
	var d model.Decision
	model.NewScorer().Decide(&d, m, w.features(s, offset), "", model.Options{Evidence: -1})
	score := Score{Correct: d.Label == w.labels[offset], LogLoss: math.Inf(1)}
	for _, c := range d.Classes {
		if c.Name == w.labels[offset] {
			score.LogLoss = -c.LogPosterior
		}
	}
	return score
}

// Each record of the window is scored by a model of exactly what stands before its delta, in logs
// with deltas of different lengths. A record whose id was learned before, and one that an ingest
// did not learn, are left out.
func TestScore(t *testing.T) {
	w := newWorld(t, 60, 50)
	words, pairs := parse(t, "text: {alpha: 1}\nrecords: {label: {field: team}}"), parse(t, "text: {alpha: 1, ngrams: 2}\nrecords: {label: {field: team}}")
	w.count("words", words, 4, 0, 60, -1)
	w.count("pairs", pairs, 7, 0, 58, 45)
	a, b := w.read("words"), w.read("pairs")
	window := Window(a, b, 20)
	if got := window[0]; len(window) != 1 || got != (Range{From: 38, To: 58}) {
		t.Fatalf("the window is %v", window)
	}
	scores := map[string]*Scores{}
	for topic, c := range map[string]struct {
		log  *Log
		spec *spec.Spec
		each int64
	}{"words": {a, words, 4}, "pairs": {b, pairs, 7}} {
		s := w.score(c.log, window)
		scores[topic] = s
		for offset := int64(0); offset < 60; offset++ {
			got, scored := s.ByPlace[Place{0, offset}]
			if want := offset >= 38 && offset < 58 && offset != 50 && !(topic == "pairs" && offset == 45); scored != want {
				t.Errorf("%s: offset %d is scored: %v", topic, offset, scored)
			}
			if topic == "words" && scored {
				want := w.scoreByHand(c.spec, offset/c.each*c.each, offset)
				if got.Correct != want.Correct || math.Abs(got.LogLoss-want.LogLoss) > 1e-9 {
					t.Errorf("offset %d: %+v, want %+v", offset, got, want)
				}
			}
		}
		if s.Unread != 0 {
			t.Errorf("%s: %d records are not read: %v", topic, s.Unread, s.Example)
		}
	}
	x := Compare(scores["words"], scores["pairs"])
	if x.Documents != 18 || x.Refused["no_label"] != 1 || len(x.Refused) != 1 {
		t.Errorf("the comparison is %+v", x)
	}
	if apart := float64(x.New.Accuracy - x.Old.Accuracy - x.Accuracy.Mean); math.Abs(apart) > 1e-9 {
		t.Errorf("the difference is not that of the accuracies: %+v", x)
	}
	if apart := float64(x.New.LogLoss - x.Old.LogLoss - x.LogLoss.Mean); math.Abs(apart) > 1e-9 {
		t.Errorf("the difference is not that of the losses: %+v", x)
	}
	if x.New.Accuracy <= x.Old.Accuracy {
		t.Errorf("the order of words decides, and pairs of words are not better: %+v", x)
	}
}

// Records that ingest has learned and that cannot be read are seen.
func TestScoreOfOtherRecords(t *testing.T) {
	w := newWorld(t, 10, -1)
	w.count("log", parse(t, "text: {}"), 5, 0, 10, -1)
	l := w.read("log")
	s := w.score(l, Window(l, l, 10))
	if len(s.ByPlace) != 0 || s.Unread != 10 || s.Example == nil || !strings.Contains(s.Example.Error(), `training/0/0: no label: field "label" is missing`) {
		t.Errorf("scored %d, not read %d: %v", len(s.ByPlace), s.Unread, s.Example)
	}
	if v := Judge(l, l, Compare(s, s), Rules{}); v.CutOver || !strings.Contains(v.Why[0], "10 records that ingest learned cannot be read") {
		t.Errorf("the verdict is %+v", v)
	}
}

// A training topic that ends before what was counted is another one.
func TestScoreOfAnotherTopic(t *testing.T) {
	w := newWorld(t, 10, -1)
	w.count("log", parse(t, "text: {}"), 5, 0, 10, -1)
	l := w.read("log")
	shorter := newWorld(t, 6, -1)
	shorter.memory.CreateTopic("log", 1)
	if _, err := shorter.memory.Produce(t.Context(), "log", 0, w.memory.Records("log", 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Score(t.Context(), shorter.memory, nil, Window(l, l, 10), nil); err == nil ||
		!strings.Contains(err.Error(), "training topic training/0") {
		t.Errorf("the error is %v", err)
	}
}

func TestReadWithoutModel(t *testing.T) {
	memory := kafkatest.NewMemory()
	memory.CreateTopic("empty", 1)
	if _, err := Read(t.Context(), memory, "empty", "training", nil); !errors.Is(err, ErrNoModel) {
		t.Errorf("an empty log: %v", err)
	}
}

// Each rule speaks for itself.
func TestJudge(t *testing.T) {
	w := newWorld(t, 300, -1)
	w.count("old", parse(t, "text: {}"), 50, 0, 300, -1)
	w.count("same", parse(t, "text: {ngrams: 2}"), 100, 0, 300, -1)
	w.count("late", parse(t, "text: {ngrams: 2}"), 50, 0, 150, -1)
	w.count("cut", parse(t, "text: {ngrams: 2}"), 50, 10, 300, -1)
	old := w.read("old")
	rules := Rules{Margin: 0.01, Documents: 100}
	scored := func(n int64, low, high float64) *Comparison {
		return &Comparison{Documents: n, Accuracy: evaluate.Interval{Low: evaluate.Number(low), High: evaluate.Number(high)}}
	}
	for name, c := range map[string]struct {
		log    string
		scored *Comparison
		why    []string // empty: cut over
	}{
		"better":         {"same", scored(100, 0.001, 0.1), nil},
		"as good":        {"same", scored(100, -0.009, 0.1), nil},
		"nobody knows":   {"same", scored(100, -0.02, 0.1), []string{"may be worse by more than 0.0100"}},
		"worse":          {"same", scored(100, -0.2, -0.1), []string{"is worse by more"}},
		"few documents":  {"same", scored(99, 0.001, 0.1), []string{"99 documents were scored"}},
		"late":           {"late", scored(100, 0.001, 0.1), []string{"has 150 records to count"}},
		"late and worse": {"late", scored(100, -0.2, -0.1), []string{"has 150 records to count", "is worse"}},
		"refuses":        {"same", &Comparison{Documents: 100, Refused: map[string]int64{"no_text": 2, "no_label": 1}}, []string{"did not learn 3 records that the old one learned (no_label 1, no_text 2)"}},
	} {
		v := Judge(old, w.read(c.log), c.scored, rules)
		if v.CutOver != (c.why == nil) || len(v.Why) != max(1, len(c.why)) {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		for i, why := range c.why {
			if !strings.Contains(v.Why[i], why) {
				t.Errorf("%s: %q, want %q", name, v.Why[i], why)
			}
		}
	}
	if got := Missing(old, w.read("cut")); len(got) != 1 || got[0] != "training/0 from offset 0 to 9" {
		t.Errorf("missing: %q", got)
	}
	if got := Missing(old, w.read("same")); got != nil {
		t.Errorf("missing: %q", got)
	}
}
