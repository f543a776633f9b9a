package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// mapView is a view of a state that has learned some ids, and nothing else.
type mapView map[string]fold.Learned

func (v mapView) Entry(id string) (fold.LedgerChange, bool) {
	l, ok := v[id]
	return fold.LedgerChange{Offset: l.Offset, ID: id, Put: &l}, ok
}

func (v mapView) elsewhere(string) []worker.Holder { return nil }

func (v mapView) Inside() int { return len(v) }

func (v mapView) times() (newest, ahead int64) { return 0, 0 }

func (v mapView) Oldest(after fold.Leaving, n int) []fold.Leaving {
	var all []fold.Leaving
	for id, l := range v {
		if l.Offset > after.Offset {
			all = append(all, fold.Leaving{Offset: l.Offset, ID: id})
		}
	}
	slices.SortFunc(all, fold.Leaving.Compare)
	return all[:min(n, len(all))]
}

func (v mapView) ahead(*model.Judge, *model.Builder, *model.Features, string, digest.Sum) string {
	return ""
}

func (v mapView) classes(label string) (known bool, count int) {
	labels := map[string]bool{}
	for _, l := range v {
		labels[l.Label] = true
	}
	return labels[label], len(labels)
}

// newBatch returns an empty batch for partition 1 of the topic t, which may refer to the topic
// texts.
func newBatch(t storetest.Fataler, specText string, v view) *batch {
	t.Helper()
	s, err := spec.Parse([]byte(specText))
	if err != nil {
		t.Fatalf("%v", err)
	}
	decoder := wire.NewDecoder(wire.SchemaOf(s))
	own, err := newScratch(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	b := &batch{
		source: fold.Source{Topic: "t", Partition: 1}, refs: []string{"texts"}, decoder: decoder, scratch: own,
		admission: model.NewAdmission(s), limits: &s.Limits, most: codec.MaxDelta,
	}
	b.begin(0, v, &worker.Fetched{})
	return b
}

// at returns a record of the topic t.
func at(offset int64, value string) *stream.Record {
	return &stream.Record{Topic: "t", Partition: 1, Offset: offset, Value: []byte(value)}
}

// learned is what the ledger has of a record that was learned.
func learned(t *testing.T, rec *stream.Record, label string) fold.Learned {
	t.Helper()
	b := newBatch(t, "", mapView{})
	o := b.open(rec)
	if o.refused != nil {
		t.Fatal(o.refused)
	}
	return fold.Learned{Label: label, Weight: 1, Topic: rec.Topic, Partition: int32(rec.Partition), Offset: rec.Offset, Sum: o.features.Checksum()}
}

// apply adds the records, and reads what they need from stored.
func apply(t storetest.Fataler, b *batch, stored []*stream.Record, records ...*stream.Record) {
	t.Helper()
	for _, rec := range records {
		read := texts{}
		o := b.open(rec)
		for _, at := range o.needs {
			for _, text := range stored {
				if at == (place{text.Topic, int32(text.Partition), text.Offset}) {
					read[at] = text
				}
			}
		}
		if _, err := b.add(o, read); err != nil {
			t.Fatalf("offset %d: %v", rec.Offset, err)
		}
	}
}

// countsOf returns the counts of a batch as they stand in the log.
func countsOf(t *testing.T, b *batch) string {
	t.Helper()
	value, err := codec.EncodeDelta(&fold.Delta{Ranges: []fold.Range{{Source: b.source, End: 1}},
		Counts: b.builder.Delta()})
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

// Each case adds records to a batch. The counts are those of a batch that learns the documents of
// want alone, and takes out those of gone, which were learned before the batch.
func TestBatch(t *testing.T) {
	old := at(3, `{"id":"x","label":"a","text":"old words"}`)
	other := &stream.Record{Topic: "texts", Offset: 7, Value: []byte(`{"text":"words of another topic"}`)}
	known := mapView{"x": learned(t, old, "a")}
	forgotten := learned(t, old, "a")
	forgotten.Owed = true
	thrice := learned(t, old, "a")
	thrice.Weight = 3
	heavy := mapView{"x": thrice}
	owed := mapView{"x": forgotten}
	turned := at(3, `{"id":"x","label":"a","text":"words old"}`) // the same words, and others at the ends
	moved := at(3, "{ \"label\":\"a\",\n\"text\":\"OLD  words\" , \"id\":\"x\"}")
	changed := at(3, `{"id":"x","label":"a","text":"old words words"}`)
	for name, c := range map[string]struct {
		view    mapView
		stored  []*stream.Record
		records []string
		want    []string // documents that are in the counts
		gone    []string // documents that are taken out of them
		skipped string   // reasons
		ledger  string   // changes
		dead    bool     // what is skipped as unknown_id is a dead letter
		places  string   // that the last record needs
	}{
		"learn":                     {records: []string{`{"id":"x","label":"a","text":"one"}`}, want: []string{`{"label":"a","text":"one"}`}, ledger: "x=a@10"},
		"learn by a name":           {records: []string{`{"id":"x","label":"a","by":"llm","text":"one","weight":2}`}, want: []string{`{"label":"a","text":"one"}`, `{"label":"a","text":"one"}`}, ledger: "x=a@10 by llm"},
		"a name without an id":      {records: []string{`{"label":"a","by":"llm","text":"one"}`}, want: []string{`{"label":"a","text":"one"}`}, ledger: "=a@10 by llm"},
		"a name with a bound":       {records: []string{`{"id":"x","label":"a","by":"bot","weight":9,"text":"one"}`}, want: []string{`{"label":"a","text":"one"}`, `{"label":"a","text":"one"}`}, ledger: "x=a@10 by bot"},
		"relabel within a bound":    {view: heavy, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"a","by":"bot"}`}, want: []string{`{"label":"a","text":"old words"}`, `{"label":"a","text":"old words"}`}, gone: []string{`{"label":"a","text":"old words"}`, `{"label":"a","text":"old words"}`, `{"label":"a","text":"old words"}`}, ledger: "x=a@3 by bot"},
		"repeat by a name":          {view: known, records: []string{`{"id":"x","label":"a","text":"old words","by":"llm"}`}, ledger: "x=a@10 by llm"},
		"relabel by a name":         {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"b","by":"llm"}`, `{"id":"x","label":"b"}`}, want: []string{`{"label":"b","text":"old words"}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x=b@3 by llm x=b@3"},
		"learn without an id":       {records: []string{`{"label":"a","text":"one"}`}, want: []string{`{"label":"a","text":"one"}`}},
		"replace":                   {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"b","text":"new"}`}, want: []string{`{"label":"b","text":"new"}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x=b@10", places: "t/1/3"},
		"replace in the same batch": {stored: []*stream.Record{at(10, `{"id":"x","label":"a","text":"one"}`)}, records: []string{`{"id":"x","label":"a","text":"one"}`, `{"id":"x","label":"b","text":"two"}`}, want: []string{`{"label":"b","text":"two"}`}, ledger: "x=a@10 x=b@11", places: "t/1/10"},
		"repeat":                    {view: known, records: []string{`{"id":"x","label":"a","text":"old words"}`}, ledger: "x=a@10"},
		"forget":                    {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":null}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x-", places: "t/1/3"},
		"forget twice":              {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":null}`, `{"id":"x","label":null}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x-", skipped: "unknown_id"},
		"forget what is unknown":    {records: []string{`{"id":"y","label":null}`}, skipped: "unknown_id"},
		"learn after forget":        {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":null}`, `{"id":"x","label":"a","text":"old words"}`}, ledger: "x- x=a@11"},
		"the old text is gone":      {view: known, records: []string{`{"id":"x","label":"b","text":"new"}`}, skipped: "cannot_unlearn", places: "t/1/3"},
		"the old text is another":   {view: known, stored: []*stream.Record{changed}, records: []string{`{"id":"x","label":null}`}, skipped: "cannot_unlearn", places: "t/1/3"},
		"the old text is turned":    {view: known, stored: []*stream.Record{turned}, records: []string{`{"id":"x","label":null}`}, skipped: "cannot_unlearn", places: "t/1/3"},
		"the old text is unread":    {view: known, stored: []*stream.Record{at(3, "no document")}, records: []string{`{"id":"x","label":null}`}, skipped: "cannot_unlearn", places: "t/1/3"},
		"the old record is moved":   {view: known, stored: []*stream.Record{moved}, records: []string{`{"id":"x","label":null}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x-", places: "t/1/3"},
		"repeat, written otherwise": {view: known, records: []string{string(moved.Value)}, ledger: "x=a@10"},
		"relabel":                   {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"b"}`}, want: []string{`{"label":"b","text":"old words"}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x=b@3", places: "t/1/3"},
		"relabel with a weight":     {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"a","weight":3}`}, want: []string{`{"label":"a","text":"old words"}`, `{"label":"a","text":"old words"}`}, ledger: "x=a@3", places: "t/1/3"},
		"relabel as it was":         {view: known, records: []string{`{"id":"x","label":"a"}`}, ledger: "x=a@3"},
		"relabel what is unknown":   {view: known, records: []string{`{"id":"y","label":"b"}`}, skipped: "unknown_id", dead: true},
		"relabel what is owed":      {view: owed, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"b"}`}, skipped: "unknown_id", dead: true},
		"relabel without the text":  {view: known, records: []string{`{"id":"x","label":"b"}`}, skipped: "cannot_unlearn", places: "t/1/3"},
		"relabel twice":             {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":"b"}`, `{"id":"x","label":"a"}`}, ledger: "x=b@3 x=a@3", places: "t/1/3"},
		"relabel what is forgotten": {view: known, stored: []*stream.Record{old}, records: []string{`{"id":"x","label":null}`, `{"id":"x","label":"b"}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x-", skipped: "unknown_id", dead: true},
		"relabel without an id":     {records: []string{`{"label":"b"}`}, skipped: "no_text"},
		"relabel to one too many":   {view: known, records: []string{`{"label":"b","text":"x"}`, `{"id":"x","label":"c"}`}, want: []string{`{"label":"b","text":"x"}`}, skipped: "too_many_classes"},
		"ref":                       {stored: []*stream.Record{other}, records: []string{`{"id":"x","label":"b","ref":{"topic":"texts","partition":0,"offset":7}}`}, want: []string{`{"label":"b","text":"words of another topic"}`}, ledger: "x=b@7", places: "texts/0/7"},
		"ref replaces":              {view: known, stored: []*stream.Record{other, old}, records: []string{`{"id":"x","label":"b","ref":{"topic":"texts","partition":0,"offset":7}}`}, want: []string{`{"label":"b","text":"words of another topic"}`}, gone: []string{`{"label":"a","text":"old words"}`}, ledger: "x=b@7", places: "texts/0/7 t/1/3"},
		"ref to nothing":            {records: []string{`{"label":"b","ref":{"topic":"texts","partition":0,"offset":7}}`}, skipped: "ref_gone", places: "texts/0/7"},
		"ref to another topic":      {view: known, records: []string{`{"id":"x","label":"b","ref":{"topic":"secret","partition":0,"offset":7}}`}, skipped: "ref_denied"},
		"no document":               {records: []string{`[]`, `{"label":"a","text":"one"}`}, want: []string{`{"label":"a","text":"one"}`}, skipped: "not_json"},
		"one class too many":        {view: known, records: []string{`{"label":"b","text":"x"}`, `{"label":"c","text":"x"}`, `{"label":"b","text":"y"}`}, want: []string{`{"label":"b","text":"x"}`, `{"label":"b","text":"y"}`}, skipped: "too_many_classes"},
		"more terms than count":     {records: []string{`{"label":"b","text":"one two three four five six one"}`}, want: []string{`{"label":"b","text":"one two three four five one"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			const limits = "teachers: {bot: {weight: 2}}\nlimits: {classes: 2, terms_per_document: 5}"
			b := newBatch(t, limits, c.view)
			places := ""
			for i, value := range c.records {
				rec := at(10+int64(i), value)
				places = strings.Trim(fmt.Sprint(b.open(rec).needs), "[]")
				apply(t, b, c.stored, rec)
			}
			if b.start != 0 || b.end != 10+int64(len(c.records)) {
				t.Errorf("the batch is [%d, %d), want it to end after the last record", b.start, b.end)
			}
			reasons := []string{}
			for _, s := range b.skipped {
				reasons = append(reasons, s.Reason)
			}
			if got := strings.Join(reasons, " "); got != c.skipped {
				t.Errorf("skipped for %q, want %q", got, c.skipped)
			}
			silent := c.skipped == wire.SkipUnknownID && !c.dead
			if dead := len(b.dead); !silent && dead != len(b.skipped) || silent && dead != 0 {
				t.Errorf("%d dead letters of %d records that were skipped", dead, len(b.skipped))
			}
			if got := ledgerOf(b); got != c.ledger {
				t.Errorf("the ledger changes by %q, want %q", got, c.ledger)
			}
			if c.places != "" && places != c.places {
				t.Errorf("reads %q again, want %q", places, c.places)
			}
			if got, want := countsOf(t, b), wantedCounts(t, limits, c.want, c.gone); got != want {
				t.Errorf("the counts are\n%q\nwant\n%q", got, want)
			}
		})
	}
}

// ledgerOf returns the changes of the ledger in short: id=label@offset of the text, id- for one
// that is forgotten.
func ledgerOf(b *batch) string {
	var all []string
	for _, change := range b.changes {
		if change.Put == nil {
			all = append(all, change.ID+"-")
			continue
		}
		text := fmt.Sprintf("%s=%s@%d", change.ID, change.Put.Label, change.Put.Offset)
		if change.Put.By != "" {
			text += " by " + change.Put.By
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// wantedCounts returns the counts of documents that are learned and others that are taken out.
func wantedCounts(t *testing.T, limits string, want, gone []string) string {
	t.Helper()
	plus := newBatch(t, limits, mapView{"": {Label: "a"}})
	observe := func(value string, weight int64) {
		o := plus.open(at(0, value))
		if o.refused != nil {
			t.Fatal(o.refused)
		}
		plus.builder.Observe(o.training.Label, weight, &o.features)
	}
	for _, value := range want {
		observe(value, 1)
	}
	for _, value := range gone {
		observe(value, -1)
	}
	return countsOf(t, plus)
}

// TestBatchIsFull adds documents of many terms until one does not fit. It is not in the batch, is
// the first of the next one, and the delta stays within the limit of a record.
func TestBatchIsFull(t *testing.T) {
	b := newBatch(t, "", mapView{})
	document := func(i int64) *stream.Record {
		var text strings.Builder
		for term := range 5_000 {
			fmt.Fprintf(&text, "document%dterm%d ", i, term)
		}
		return at(i, fmt.Sprintf(`{"id":"d%d","label":"a","text":%q}`, i, &text))
	}
	for i := int64(0); ; i++ {
		_, err := b.add(b.open(document(i)), nil)
		if err == nil && b.learned == int(i)+1 {
			continue
		}
		if !errors.Is(err, errFull) || i < 2 || b.end != i || int64(b.learned) != i || int64(len(b.changes)) != i {
			t.Fatalf("record %d: %v; %d documents up to offset %d", i, err, b.learned, b.end)
		}
		value, err := codec.EncodeDelta(b.delta(spec.Default().Counting(), false))
		if err != nil || len(value) > codec.MaxDelta || len(value) < codec.MaxDelta/3 {
			t.Fatalf("a full delta has %d bytes of %d: %v", len(value), codec.MaxDelta, err)
		}
		b.begin(i, mapView{}, &worker.Fetched{})
		if !b.isEmpty() {
			t.Error("a batch that begins is not empty")
		}
		if _, err := b.add(b.open(document(i)), nil); err != nil || b.learned != 1 {
			t.Errorf("record %d does not fit into an empty batch: %v", i, err)
		}
		return
	}
}

// TestBatchRejectsWhatNeverFits: a document whose counts do not fit into a record of the log
// becomes a dead letter. A batch that was full with nothing in it would never be written.
func TestBatchRejectsWhatNeverFits(t *testing.T) {
	var fields, numbers []string
	for i := range 400 {
		fields = append(fields, fmt.Sprintf("x%d", i))
		numbers = append(numbers, fmt.Sprintf(`"x%d":%d`, i, i))
	}
	b := newBatch(t, fmt.Sprintf("numbers: [{likelihood: qda, fields: [%s]}]", strings.Join(fields, ",")), mapView{})
	apply(t, b, nil, at(0, fmt.Sprintf(`{"label":"a","text":"x","numbers":{%s}}`, strings.Join(numbers, ","))))
	if b.learned != 0 || len(b.dead) != 1 || wire.DeadReason(&b.dead[0].record) != string(wire.TooLarge) || b.end != 1 {
		t.Errorf("%d documents, skipped %v, up to %d; want a dead letter", b.learned, b.skipped, b.end)
	}
}

// TestLongTextsAreLearned: a text of more terms than the default limit is learned, replaced and
// forgotten, where the model topic has room for it.
func TestLongTextsAreLearned(t *testing.T) {
	text := func(i int64) *stream.Record {
		var words strings.Builder
		for term := range 12_000 {
			fmt.Fprintf(&words, "document%dhas%040dterms ", i, term)
		}
		return at(i, fmt.Sprintf(`{"id":"d","label":"a","text":%q}`, &words))
	}
	first, second := text(0), text(1)
	stored := []*stream.Record{first, second}
	const long = "limits: {terms_per_document: 12000, record_bytes: 4194304}"
	b := newBatch(t, long, mapView{})
	b.most = codec.DeltaLimit(4 << 20)
	apply(t, b, stored, first, second, at(2, `{"id":"d","label":null}`))
	if b.learned != 2 || len(b.dead) != 0 || b.builder.Delta().Text.Len() != 0 {
		t.Errorf("%d documents, %d dead letters, %d terms are left", b.learned, len(b.dead), b.builder.Delta().Text.Len())
	}
	b = newBatch(t, long, mapView{})
	b.most = codec.DeltaLimit(512 << 10)
	apply(t, b, stored, first)
	if b.learned != 0 || len(b.dead) != 1 || wire.DeadReason(&b.dead[0].record) != string(wire.TooLarge) {
		t.Errorf("without room: %d documents, %d dead letters", b.learned, len(b.dead))
	}
}

func TestCheckLimits(t *testing.T) {
	s := modeltest.Spec(t, "limits: {terms_per_document: 20000}")
	host := &kafkatest.Host{}
	var log bytes.Buffer
	in := &ingester{host: host, log: slog.New(slog.NewTextHandler(&log, nil))}
	in.config.ModelTopic = "m"
	if err := in.checkLimits(spec.Default()); err != nil {
		t.Errorf("the default limits: %v", err)
	}
	err := in.checkLimits(s)
	if want := `limits.terms_per_document is 20000: the counts of such a text take up to`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
	in.config.AllowWeakTopic = true
	for range 5 {
		if err := in.checkLimits(s); err != nil {
			t.Errorf("with --allow-weak-topic: %v", err)
		}
	}
	if n := strings.Count(log.String(), "long texts may become dead letters"); n != 1 {
		t.Errorf("it is logged %d times, want once", n)
	}
	in.config.AllowWeakTopic = false
	host.LogBytes = 4 << 20
	if err := in.checkLimits(s); err != nil {
		t.Errorf("a topic of 4 MiB: %v", err)
	}
}

// TestBatchSkipsWhatCannotBeRead begins batches where records were deleted or cannot be read.
func TestBatchSkipsWhatCannotBeRead(t *testing.T) {
	b := newBatch(t, "", mapView{})
	b.begin(5, mapView{}, &worker.Fetched{Fetched: stream.Fetched{Next: 40}, From: 7, Lost: 33})
	b.extend(40)
	if want := []fold.Skipped{{Offset: 7, Reason: wire.SkipLost}}; !slices.Equal(b.skipped, want) || b.lost != 33 || b.start != 5 || b.end != 40 || len(b.dead) != 0 {
		t.Errorf("lost: %+v", b.content)
	}
	bad := &stream.BatchError{Topic: "t", Partition: 1, Offset: 38, Next: 44, Err: errors.New("damaged")}
	b.begin(40, mapView{}, &worker.Fetched{Fetched: stream.Fetched{Next: 44}, From: 40, Unreadable: bad})
	b.extend(44)
	if want := []fold.Skipped{{Offset: 40, Reason: string(wire.BadBatch)}}; !slices.Equal(b.skipped, want) || b.lost != 0 || b.end != 44 || len(b.dead) != 1 {
		t.Errorf("unreadable: %+v", b.content)
	}
	if reason := wire.DeadReason(&b.dead[0].record); reason != string(wire.BadBatch) || b.dead[0].record.Partition != 1 {
		t.Errorf("the dead letter of partition %d says %q", b.dead[0].record.Partition, reason)
	}
}
