package console

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/race"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// decision returns a remembered decision of a number.
func decision(i int, text, label, truth string, sure float64) *entry {
	e := &entry{at: wire.Ref{Topic: "labels", Offset: int64(i)}, decisionJSON: decisionJSON{
		Place: "labels/0/" + strconv.Itoa(i), Time: time.Unix(int64(i), 0), ID: "m" + strconv.Itoa(i), Status: "ok", Label: &label, Confidence: &sure,
		Posterior: map[string]float64{label: sure, map[string]string{"ham": "spam", "spam": "ham"}[label]: 1 - sure},
	}}
	if text != "" {
		e.Snippet = &text
	}
	if truth != "" {
		e.Truth = &truth
	}
	return e
}

// The figures are those of the decisions whose label came: checked by hand.
func TestQuality(t *testing.T) {
	var list []joined
	for i, x := range []struct {
		label, truth string
		sure         float64
	}{{"ham", "ham", 0.9}, {"ham", "ham", 0.9}, {"spam", "ham", 0.6}, {"spam", "spam", 0.8}} {
		j, ok := joinedOf(decision(i, "", x.label, x.truth, x.sure))
		if !ok {
			t.Fatal("a decision with a label is not joined")
		}
		list = append(list, j)
	}
	if _, ok := joinedOf(decision(9, "", "ham", "", 0.9)); ok {
		t.Error("a decision without a truth is joined")
	}
	q := judgeAll(list, 10)
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("the accuracy", q.Accuracy, 0.75)
	near("macro F1", q.MacroF1, (2*2.0/5+2*1.0/3)/2)
	near("the log loss", q.LogLoss, -(2*math.Log(0.9)+math.Log(0.4)+math.Log(0.8))/4)
	near("ECE", q.ECE, (0.2+0.6+0.2)/4) // in the bins of 0.9, 0.6 and 0.8
	if len(q.Confusion.Cells) != 3 || q.Confusion.Cells[1].Truth != "ham" || q.Confusion.Cells[1].Label != "spam" || !slices.Equal(q.Confusion.Cells[1].Documents, []string{"labels/0/2"}) {
		t.Errorf("the table is %+v", q.Confusion)
	}
	for _, c := range q.Coverage {
		if c.Threshold == 0.65 && (c.Coverage != 0.75 || *c.Accuracy != 1) {
			t.Errorf("above 0.65: %+v", c)
		}
	}
	if empty := judgeAll(nil, 10); empty.Accuracy != nil || empty.ECE != nil {
		t.Errorf("of nothing: %+v", empty)
	}
}

// A truth that the decision leaves out has an unknown posterior, and no part in the log loss; one
// that the model did not know has the posterior 0.
func TestQualityOfTheLikeliest(t *testing.T) {
	read := func(truth, posterior, others string) joined {
		t.Helper()
		value := `{"id":"m","label":"a","runner_up":"b","status":"ok","posterior":{` + posterior + `},` + others + `"margin":1}`
		e := remember(&stream.Record{Topic: "labels", Value: []byte(value)}, "")
		if e == nil {
			t.Fatalf("%s is not read", value)
		}
		e.Truth = &truth
		j, _ := joinedOf(e)
		return j
	}
	many := make([]string, 12)
	for i := range many {
		many[i] = `"c` + strconv.Itoa(i) + `":` + strconv.FormatFloat(0.01+float64(i)/1000, 'g', -1, 64)
	}
	listed, others := `"a":0.5,"b":0.25`, `"others":{"classes":7,"posterior":0.25},`
	list := []joined{
		read("a", listed, others), read("b", listed, others), read("c", listed, others), read("c", listed, ""),
		read("a", strings.Join(many, ",")+`,"b":0.2,"a":0.001`, ""), read("c0", strings.Join(many, ",")+`,"b":0.2,"a":0.5`, ""),
	}
	for i, want := range []float64{-math.Log(0.5), -math.Log(0.25), math.NaN(), maxLoss, -math.Log(0.001), math.NaN()} {
		got := math.NaN()
		if list[i].loss != nil {
			got = *list[i].loss
		}
		if !(math.Abs(got-want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("the loss of decision %d is %v, want %v", i, got, want)
		}
	}
	q := judgeAll(list[:3], 10)
	if q.Unscored != 1 || q.LogLoss == nil || math.Abs(*q.LogLoss-(math.Log(2)+math.Log(4))/2) > 1e-12 || *q.Accuracy != 1.0/3 {
		t.Errorf("%d are unscored, the log loss is %v, the accuracy %v", q.Unscored, q.LogLoss, *q.Accuracy)
	}
	if q := judgeAll(list[2:3], 10); q.Unscored != 1 || q.LogLoss != nil || q.Series[0].LogLoss != nil {
		t.Errorf("of one without a loss: %+v", q)
	}
}

// The queue begins with what nobody labelled, the most unsure first, and shows one of several that
// are alike; then comes what was labelled otherwise, the surest first. What was corrected is not in
// it.
func TestReview(t *testing.T) {
	m := newMemory(100, 1<<20)
	corrected := decision(6, "what was corrected", "ham", "", 0.5)
	corrected.Correction = &correctionStateJSON{Outcome: "counted"}
	m.add([]*entry{
		decision(0, "lunch on friday", "ham", "", 0.9), decision(1, "call now for a prize", "spam", "", 0.55),
		decision(2, "call now for the prize", "spam", "", 0.56),
		decision(3, "minutes of the meeting", "ham", "ham", 0.5), decision(4, "an offer you like", "ham", "spam", 0.7), decision(5, "another offer", "ham", "spam", 0.95), corrected,
	})
	all := &filter{max: 1}
	var ids []string
	likes := 0
	for _, x := range m.pick(m.waiting(all), 10, true) {
		ids = append(ids, x.entry.ID)
		likes += x.like
	}
	if !slices.Equal(ids, []string{"m1", "m0", "m5", "m4"}) || likes != 1 {
		t.Errorf("the queue is %v, with %d alike", ids, likes)
	}
	if got := m.pick(m.waiting(&filter{word: "prize", max: 1}), 10, false); len(got) != 2 {
		t.Errorf("%d have the word", len(got))
	}
}

// Equal texts with two labels are a conflict.
func TestConflicts(t *testing.T) {
	m := newMemory(100, 1<<20)
	m.add([]*entry{decision(0, "buy now", "spam", "spam", 0.9), decision(1, "buy now", "spam", "ham", 0.9), decision(2, "lunch", "ham", "ham", 0.9), decision(3, "lunch", "ham", "", 0.9)})
	got := m.conflicts(10)
	if len(got) != 1 || got[0].Text != "buy now" || got[0].Labels[0].Label != "ham" || !slices.Equal(got[0].Labels[0].Documents, []string{"labels/0/1"}) {
		t.Errorf("the conflicts are %+v", got)
	}
}

// A label counts for the decision whether it comes before the console has read the decision or
// after, but not if it was written before the document.
func TestLabelsJoinDecisions(t *testing.T) {
	m := newMemory(10, 1<<20)
	ham := "ham"
	m.learn("m5", said{label: &ham, at: time.Unix(6, 0)})
	m.learn("m7", said{label: &ham, at: time.Unix(6, 0)})
	m.add([]*entry{decision(5, "", "spam", "", 0.9), decision(6, "", "spam", "", 0.9), decision(7, "", "spam", "", 0.9)})
	m.learn("m6", said{label: &ham, at: time.Unix(9, 0)})
	for id, want := range map[string]bool{"m5": true, "m6": true, "m7": false} {
		if got := m.find(id).Truth != nil; got != want {
			t.Errorf("%s has a truth: %v", id, got)
		}
	}
	m.learn("m6", said{at: time.Unix(10, 0)}) // forgotten
	if m.find("m6").Truth != nil {
		t.Error("what is forgotten has a truth")
	}
}

// TestScored: the newest records of a stream are judged beside all of them, each before it was
// learned.
func TestScored(t *testing.T) {
	if got := scoredOf(&race.Prequential{}); len(got) != 0 {
		t.Errorf("no record: %+v", got)
	}
	p := &race.Prequential{}
	for i := range 30 { // the last 200 records have no errors
		s := race.Sums{Scored: 50}
		if i < 26 {
			s.Decided.Errors = 10
		}
		p.Add(&s, race.Tallies{})
	}
	got := scoredOf(p)
	want := []scoredJSON{{Newest: 100, Records: 100, Accuracy: 1}, {Newest: 1000, Records: 1000, Accuracy: 1 - 160.0/1000}, {Records: 1500, Accuracy: 1 - 260.0/1500}}
	for i := range want {
		if got[i].ECE = nil; got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}
