package ingest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/recount"
)

// options are what can happen in a schedule. Each is drawn: two faults that hide each other are
// apart in half of the schedules.
type options struct {
	Rules      recount.Rules
	MaxRecords int
	Backlog    int // times that records are produced before the first process starts

	Network  bool // requests and answers are lost, doubled, late
	Crash    bool
	Pause    bool // of a process, for longer than a session
	Zombies  bool // several processes learn a partition
	Elect    bool // another leader of the model log
	Unclean  bool // one that lost records
	Recreate bool // the model log is deleted and created again
	Cut      bool // the head of the model log is deleted behind a snapshot
	Vanish   bool // texts are deleted
	Markers  bool // offsets without a record
	Controls bool // records are voided, classes renamed, the model reset
	Replace  bool // the training topic is deleted and created again
	OnChange string
	Backup   bool // a process starts from an old copy of a model file
	Accept   bool // --accept-loss: training records may be deleted before they were counted
	Garbage  bool
	Refs     bool
	Weights  bool
	Race     bool // candidates score the words
	Corrects bool // documents correct the model

	AppendEach time.Duration // deltas of partitions that are ready within become a sum
}

func drawOptions(rnd *rand.Rand) options {
	half := func() bool { return rnd.IntN(2) == 0 }
	o := options{
		Network: half(), Crash: half(), Pause: half(), Zombies: half(), Elect: half(), Unclean: half(), Recreate: half(), Cut: half(),
		Vanish: half(), Markers: half(), Garbage: half(), Refs: half(), Weights: half(), Backlog: rnd.IntN(20), Controls: half(),
		Backup: half(), Accept: half(),
	}
	o.Rules = recount.Rules{Teachers: map[string]int64{simulatedNames[0]: 3}, Presence: half(), Ledger: 1000, Classes: 1000, Refs: []string{"texts"}}
	o.MaxRecords = []int{1, 2, 3, 5, 20000}[rnd.IntN(5)]
	if half() {
		o.Rules.Ledger = 1 + rnd.IntN(5)
	}
	o.Replace = half()
	o.OnChange = []string{"stop", "continue", "recount"}[rnd.IntN(3)]
	if (o.Controls || o.Replace) && !o.Accept {
		o.Vanish = false // what is counted again must be there
	}
	if rnd.IntN(4) == 0 {
		o.Rules.Classes = 2 + rnd.IntN(3)
	}
	if o.Unclean || o.Recreate || o.Controls {
		o.Cut = false // what is lost must be in the log
	}
	if o.Race = half() && !o.Rules.Presence; o.Race && rnd.IntN(10) == 0 { // enough for a leader
		o.Backlog = 300 + rnd.IntN(100)
		o.MaxRecords = 20000
	}
	o.Corrects = o.Race && o.Backlog%2 == 0
	o.Rules.Balanced = o.Race && o.Backlog%3 == 0
	switch rnd.IntN(4) {
	case 0:
		o.Rules.Window = 1 + rnd.IntN(8)
	case 1:
		o.Rules.Age = 1000 * (1 + rnd.Int64N(12))
	}
	return o
}

func (o *options) spec() string {
	likelihood, scoring := "likelihood: multinomial", ""
	switch {
	case o.Rules.Presence:
		likelihood = "likelihood: bernoulli"
	case o.Race:
		likelihood = "weight: 0.5"
		scoring = "scoring: {candidates: [{likelihood: multinomial, alpha: 5}, {likelihood: complement, alpha: 0.1}, {likelihood: multinomial, alpha: 0.01}], shadow: {likelihood: complement, alpha: 1}}"
	}
	if o.Corrects {
		likelihood += ", corrections: true"
		scoring = strings.Replace(scoring, "alpha: 5", "alpha: 5, corrections: 0.25", 1)
	}
	if o.Rules.Balanced {
		scoring = strings.Replace(scoring, "{candidates", "{by: balanced, candidates", 1)
	}
	window := ""
	switch {
	case o.Rules.Window > 0:
		window = fmt.Sprintf(", window: {records: %d}", o.Rules.Window)
	case o.Rules.Age > 0:
		window = fmt.Sprintf(", window: {age: %ds}", o.Rules.Age/1000)
	}
	return fmt.Sprintf(`
name: simulated
text: {language: none, stem: false, %s}
%s
categories: [{field: country}]
numbers: [{fields: [height], likelihood: gaussian}]
teachers: {%s: {weight: %d}}
limits: {ledger: %d, classes: %d%s}
`, likelihood, scoring, simulatedNames[0], o.Rules.Teachers[simulatedNames[0]], o.Rules.Ledger, o.Rules.Classes, window)
}

var (
	simulatedWords  = strings.Fields("goal vote ball poll match party 2026 http://goal.example/vote")
	simulatedLabels = strings.Fields("ham spam news mail work")
)

// produce appends training records to the partitions, and documents that they may refer to.
func (w *world) produce() {
	if w.o.Refs && w.rnd.IntN(3) == 0 {
		r, d := w.document()
		w.label(r)
		w.append(recount.Source{Topic: "texts"}, r, &recount.Record{Document: d})
	}
	for range 1 + w.rnd.IntN(5) {
		value, r := w.places.written(w.named(w.record()))
		w.append(w.training(w.rnd.IntN(partitions)), value, r)
	}
}

// named draws who says a label.
func (w *world) named(value map[string]any, r *recount.Record) (map[string]any, *recount.Record) {
	if r.Label != "" && r.Reject == "" && w.naming.IntN(3) == 0 {
		r.By = simulatedNames[w.naming.IntN(len(simulatedNames))]
		value["by"] = r.By
	}
	return value, r
}

// simulatedNames are those that teach; how much is bounded for the first.
var simulatedNames = []string{"llm", "anna"}

func (w *world) append(s recount.Source, value map[string]any, r *recount.Record) {
	text, err := json.Marshal(value)
	switch {
	case r.Reject == "bad_batch":
		text = []byte(damaged)
	case value == nil:
		text = []byte("no object")
	}
	if err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(w.moment(time.Millisecond)) // a fetch that waits takes this record alone
	rec := stream.Record{Value: text, Time: w.time()}
	r.SetTime(max(rec.Time.UnixMilli(), 0))
	w.count("produced: " + kindOf(r))
	w.change(func(t *recount.Topics) { t.Append(s, r) })
	w.trace("%s/%d/%d %s", s.Topic, s.Partition, w.end(s)-1, text)
	if _, err := w.memory.Produce(w.t.Context(), s.Topic, int(s.Partition), []stream.Record{rec}); err != nil {
		w.t.Fatal(err)
	}
}

// time draws the time of a record: where the window is an age, some are late, far ahead, or have
// none.
func (w *world) time() time.Time {
	now := time.Now()
	if w.o.Rules.Age == 0 {
		return now
	}
	switch w.rnd.IntN(12) {
	case 0:
		return time.UnixMilli(-1)
	case 1:
		return now.Add(25*time.Hour + w.moment(50*time.Hour))
	case 2, 3, 4:
		return now.Add(-w.moment(2 * time.Duration(w.o.Rules.Age) * time.Millisecond))
	}
	return now
}

// kindOf says what kind of record one is.
func kindOf(r *recount.Record) string {
	switch {
	case r.Reject != "":
		return r.Reject
	case r.Forget:
		return "forget"
	case r.Relabel:
		return "relabel"
	case r.Ref != nil:
		return "ref"
	}
	return "document"
}

// document draws a document.
func (w *world) document() (map[string]any, recount.Document) {
	var d recount.Document
	var text []string
	for range w.rnd.IntN(4) {
		word := simulatedWords[w.rnd.IntN(len(simulatedWords))]
		text = append(text, word)
		if strings.HasPrefix(word, "http") {
			d.Words = append(d.Words, "<url>", "goal.example")
		} else {
			d.Words = append(d.Words, word)
		}
	}
	value := map[string]any{"text": strings.Join(text, " ")}
	if w.rnd.IntN(2) == 0 {
		country := []string{"DE", "FR"}[w.rnd.IntN(2)]
		d.Values = []string{country}
		value["categories"] = map[string]any{"country": country}
	}
	if w.rnd.IntN(2) == 0 {
		n := int64(w.rnd.IntN(2001) - 1000)
		d.Numbers = [][]*big.Int{{big.NewInt(n * 1e9)}} // in the unit of fixed-point numbers
		value["numbers"] = map[string]any{"height": n}
	}
	return value, d
}

// record draws a training record: few ids and labels, so that they repeat. A nil value is no JSON.
func (w *world) record() (map[string]any, *recount.Record) {
	if w.o.Garbage && w.rnd.IntN(6) == 0 {
		return w.garbage()
	}
	value, d := w.document()
	r := &recount.Record{Label: simulatedLabels[w.rnd.IntN(len(simulatedLabels))], Weight: 1, Document: d}
	if w.rnd.IntN(3) > 0 {
		r.ID = fmt.Sprint("d", w.rnd.IntN(6))
		value["id"] = r.ID
		if w.rnd.IntN(4) == 0 {
			return map[string]any{"id": r.ID, "label": nil}, &recount.Record{ID: r.ID, Forget: true}
		}
		if w.rnd.IntN(6) == 0 {
			return w.relabel(r)
		}
	}
	value["label"] = r.Label
	if w.o.Weights && w.rnd.IntN(3) == 0 {
		r.Weight = int64(1 + w.rnd.IntN(1000))
		value["weight"] = r.Weight
	}
	if w.o.Refs && w.rnd.IntN(4) == 0 {
		r.Document = recount.Document{}
		r.Ref = &recount.Place{Source: recount.Source{Topic: "texts"}, Offset: w.rnd.Int64N(w.end(recount.Source{Topic: "texts"}) + 1)}
		if w.rnd.IntN(8) == 0 {
			r.Ref.Topic = "elsewhere"
		}
		value = map[string]any{"label": r.Label, "weight": r.Weight, "ref": map[string]any{"topic": r.Ref.Topic, "partition": 0, "offset": r.Ref.Offset}}
		if r.ID != "" {
			value["id"] = r.ID
		}
	}
	return value, r
}

// relabel draws a record that gives the document of an id another label, and perhaps another
// weight.
func (w *world) relabel(r *recount.Record) (map[string]any, *recount.Record) {
	value := map[string]any{"id": r.ID, "label": r.Label}
	to := &recount.Record{ID: r.ID, Label: r.Label, Relabel: true}
	if w.o.Weights && w.rnd.IntN(3) == 0 {
		to.Weight = int64(1 + w.rnd.IntN(1000))
		value["weight"] = to.Weight
	}
	return value, to
}

// garbage draws a record that cannot be used.
func (w *world) garbage() (map[string]any, *recount.Record) {
	switch w.rnd.IntN(6) {
	case 0:
		return nil, &recount.Record{Reject: "not_json"}
	case 5:
		return nil, &recount.Record{Reject: "bad_batch"}
	case 1:
		return map[string]any{"text": "goal"}, &recount.Record{Reject: "no_label"}
	case 2:
		return map[string]any{"text": "goal", "label": "ham", "weight": 0}, &recount.Record{Reject: "bad_weight", Document: recount.Document{Words: []string{"goal"}}}
	case 3:
		return map[string]any{"id": "", "text": "goal", "label": "ham"}, &recount.Record{Reject: "bad_id"}
	}
	return map[string]any{"label": strings.Repeat("x", 300), "text": "goal"}, &recount.Record{Reject: "bad_label"}
}
