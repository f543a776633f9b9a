package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// othersView is a view of a state in which other partitions know some ids too.
type othersView struct {
	mapView
	others map[string][]worker.Holder
}

func (v othersView) elsewhere(id string) []worker.Holder { return v.others[id] }

// TestForwards: what forgets or relabels a document that only other partitions know goes to them,
// and nothing else does.
func TestForwards(t *testing.T) {
	old := at(3, `{"id":"x","label":"a","text":"old words"}`)
	owed := learned(t, old, "a")
	owed.Owed = true
	known := mapView{"x": learned(t, old, "a")}
	others := map[string][]worker.Holder{"x": {{Partition: 2, Offset: 5}}, "twice": {{Partition: 0, Offset: 7}, {Partition: 2, Offset: 9}},
		"relabelled": {{Partition: 2, Offset: 9, Put: fold.Learned{Topic: "t", Partition: 2, Offset: 6}}}, "referred": {{Partition: 2, Offset: 9, Put: fold.Learned{Topic: "texts", Partition: 2, Offset: 6}}}}
	for name, c := range map[string]struct {
		view     mapView
		record   string
		forwards string
		skipped  string
		dead     int
	}{
		"forget":                    {record: `{"id":"x","label":null}`, forwards: "t/2/5 from t/1/10", skipped: "forwarded"},
		"relabel":                   {record: `{"id":"x","label":"b"}`, forwards: "t/2/5 from t/1/10", skipped: "forwarded"},
		"two partitions know it":    {record: `{"id":"twice","label":null}`, forwards: "t/0/7 from t/1/10 t/2/9 from t/1/10", skipped: "forwarded"},
		"forget, relabelled there":  {record: `{"id":"relabelled","label":null}`, forwards: "t/2/6 from t/1/10", skipped: "forwarded"},
		"relabel, relabelled there": {record: `{"id":"relabelled","label":"b"}`, forwards: "t/2/9 from t/1/10", skipped: "forwarded"},
		"forget, its text is a ref": {record: `{"id":"referred","label":null}`, forwards: "t/2/9 from t/1/10", skipped: "forwarded"},
		"nobody knows it":           {record: `{"id":"y","label":null}`, skipped: "unknown_id"},
		"nobody to relabel knows":   {record: `{"id":"y","label":"b"}`, skipped: "unknown_id", dead: 1},
		"this partition knows it":   {view: known, record: `{"id":"x","label":null}`},
		"this partition owes it":    {view: mapView{"x": owed}, record: `{"id":"x","label":"b"}`, skipped: "unknown_id", dead: 1},
		"a text stays":              {record: `{"id":"x","label":"b","text":"another document"}`},
		"a ref stays":               {record: `{"id":"x","label":"b","ref":{"topic":"texts","partition":0,"offset":7}}`, skipped: "ref_gone", dead: 1},
		"an id that says its place": {record: `{"id":"t/2/5","label":null}`, skipped: "unknown_id"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(t, "", othersView{c.view, others})
			apply(t, b, []*stream.Record{old}, at(10, c.record))
			if got := forwardsOf(b); got != c.forwards {
				t.Errorf("forwards %q, want %q", got, c.forwards)
			}
			if got := reasonsOf(b); got != c.skipped || len(b.dead) != c.dead {
				t.Errorf("skipped for %q with %d dead letters, want %q with %d", got, len(b.dead), c.skipped, c.dead)
			}
		})
	}
}

// forwardsOf returns the entries that records are forwarded to, and where they stood.
func forwardsOf(b *batch) string {
	var all []string
	for _, f := range b.forwards {
		if !f.isMark() {
			all = append(all, fmt.Sprintf("t/%d/%d from t/%d/%d", f.to.Partition, f.named(), f.record.Partition, f.record.Offset))
		}
	}
	return strings.Join(all, " ")
}

// reasonsOf returns the reasons for which records were skipped.
func reasonsOf(b *batch) string {
	var all []string
	for _, s := range b.skipped {
		all = append(all, s.Reason)
	}
	return strings.Join(all, " ")
}

// TestForwarded: a record that was forwarded acts once, on the entry that it was forwarded for or
// on what another one forwarded for it has made of it, and is never forwarded again.
func TestForwarded(t *testing.T) {
	old := at(3, `{"id":"x","label":"a","text":"old words"}`)
	const (
		forget = `{"id":"x","label":null}`
		b      = `{"id":"x","label":"b"}`
		c      = `{"id":"x","label":"c"}`
	)
	type said struct{ to, from, value string }
	for name, test := range map[string]struct {
		records []said
		ledger  string
		skipped string
	}{
		"forget":                            {[]said{{"t/1/3", "t/0/5", forget}}, "x-", ""},
		"forget twice":                      {[]said{{"t/1/3", "t/0/5", forget}, {"t/1/3", "t/0/5", forget}}, "x-", "superseded"},
		"relabel":                           {[]said{{"t/1/3", "t/0/5", b}}, "x=b@3", ""},
		"relabel as it is":                  {[]said{{"t/1/2", "t/0/5", `{"id":"x","label":"a"}`}}, "", "superseded"},
		"another entry":                     {[]said{{"t/1/2", "t/0/5", forget}}, "", "superseded"},
		"an entry of another partition":     {[]said{{"t/2/3", "t/0/5", forget}}, "", "superseded"},
		"an entry of another topic":         {[]said{{"u/1/3", "t/0/5", forget}}, "", "superseded"},
		"no entry":                          {[]said{{"somewhere", "", forget}}, "", "superseded"},
		"unknown":                           {[]said{{"t/1/3", "t/0/5", `{"id":"elsewhere","label":null}`}}, "", "superseded"},
		"a relabel of what is unknown":      {[]said{{"t/1/3", "t/0/5", `{"id":"elsewhere","label":"b"}`}}, "", "superseded"},
		"relabel and forget":                {[]said{{"t/1/3", "t/0/5", b}, {"t/1/3", "t/0/6", forget}}, "x=b@3 x-", ""},
		"relabel here, then forget":         {[]said{{"", "", b}, {"t/1/3", "t/0/6", forget}}, "x=b@3 x-", ""},
		"relabel here, then another":        {[]said{{"", "", b}, {"t/1/3", "t/0/6", c}}, "x=b@3", "superseded"},
		"relabel twice":                     {[]said{{"t/1/3", "t/0/5", b}, {"t/1/3", "t/0/6", c}}, "x=b@3 x=c@3", ""},
		"a copy of the first relabel":       {[]said{{"t/1/3", "t/0/5", b}, {"t/1/3", "t/0/6", c}, {"t/1/3", "t/0/5", b}}, "x=b@3 x=c@3", "superseded"},
		"an older relabel, built later":     {[]said{{"t/1/3", "t/0/5", b}, {"t/1/3", "t/0/6", c}, {"t/1/11", "t/0/5", b}}, "x=b@3 x=c@3", "superseded"},
		"forget, built before the relabel":  {[]said{{"t/1/3", "t/0/5", b}, {"t/1/10", "t/0/6", c}, {"t/1/3", "t/0/7", forget}}, "x=b@3 x=c@3 x-", ""},
		"from another partition, forget":    {[]said{{"t/1/3", "t/0/5", b}, {"t/1/3", "t/2/1", forget}}, "x=b@3 x-", ""},
		"from another partition, relabel":   {[]said{{"t/1/3", "t/0/5", b}, {"t/1/3", "t/2/9", c}}, "x=b@3", "superseded"},
		"learned again, then a second copy": {[]said{{"t/1/3", "t/0/5", forget}, {"", "", `{"id":"x","label":"a","text":"old words"}`}, {"t/1/3", "t/0/5", forget}}, "x- x=a@11", "superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			batch := newBatch(t, "", othersView{mapView{"x": learned(t, old, "a")}, map[string][]worker.Holder{"elsewhere": {{Partition: 2, Offset: 5}}}})
			stored := []*stream.Record{old}
			for i, r := range test.records {
				rec := at(10+int64(i), r.value)
				if r.to != "" {
					rec.Headers = []stream.Header{{Key: wire.ForwardedTo, Value: []byte(r.to)}, {Key: wire.ForwardedFrom, Value: []byte(r.from)}}
				}
				stored = append(stored, rec)
				apply(t, batch, stored, rec)
			}
			if got := ledgerOf(batch); got != test.ledger {
				t.Errorf("the ledger changes by %q, want %q", got, test.ledger)
			}
			if got := reasonsOf(batch); got != test.skipped || len(batch.dead)+len(batch.forwards) > 0 {
				t.Errorf("skipped for %q, want %q; %d dead letters, %d are forwarded", got, test.skipped, len(batch.dead), len(batch.forwards))
			}
		})
	}
}

// TestForwardedEntryIsOfAnotherTopic: where another record stands at the place of the one that put
// the entry in, because the topic was created again, what that one says decides nothing.
func TestForwardedEntryIsOfAnotherTopic(t *testing.T) {
	const forget = `{"id":"x","label":null}`
	forwarded := func(rec *stream.Record, to, from string) *stream.Record {
		rec.Headers = []stream.Header{{Key: wire.ForwardedTo, Value: []byte(to)}, {Key: wire.ForwardedFrom, Value: []byte(from)}}
		return rec
	}
	old := at(3, `{"id":"x","label":"a","text":"old words"}`)
	for name, test := range map[string]struct {
		relabel *stream.Record // of the old topic; nil: the entry is that of the text
		now     *stream.Record // that stands where the entry's record stood
		skipped string
	}{
		"the text, a forget":          {nil, forwarded(at(3, forget), "t/1/3", "t/0/9"), "cannot_unlearn"},
		"the text, a relabel":         {nil, forwarded(at(3, `{"id":"x","label":"b"}`), "t/1/3", "t/0/9"), "cannot_unlearn"},
		"a relabel, a forget":         {at(4, `{"id":"x","label":"b"}`), forwarded(at(4, forget), "t/1/3", "t/0/9"), ""},
		"a relabel, a relabel":        {at(4, `{"id":"x","label":"b"}`), forwarded(at(4, `{"id":"y","label":"b"}`), "t/1/3", "t/0/9"), ""},
		"a relabel, none of training": {at(4, `{"id":"x","label":"b"}`), forwarded(at(4, `no object`), "t/1/3", "t/0/9"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			batch := newBatch(t, "", mapView{"x": learned(t, old, "a")})
			if test.relabel != nil {
				apply(t, batch, []*stream.Record{old}, test.relabel)
			}
			apply(t, batch, []*stream.Record{old, test.now}, forwarded(at(10, forget), "t/1/3", "t/0/5"))
			if got := reasonsOf(batch); got != test.skipped {
				t.Errorf("skipped for %q, want %q", got, test.skipped)
			}
		})
	}
}

// TestForwardedInAnotherTopic: a record that was forwarded in a topic which is gone acts on nothing
// in the next one of its name, where another document stands at the offset that it names.
func TestForwardedInAnotherTopic(t *testing.T) {
	old := at(3, `{"id":"x","label":"a","text":"old words"}`)
	here := stream.TopicID{1}
	for name, c := range map[string]struct {
		said, reads stream.TopicID
		skipped     string
	}{
		"this topic":              {here, here, ""},
		"another topic":           {stream.TopicID{2}, here, "superseded"},
		"the record does not say": {stream.TopicID{}, here, ""},
		"the brokers have no ids": {here, stream.TopicID{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(t, "", mapView{"x": learned(t, old, "a")})
			b.topic = c.reads
			rec := at(10, `{"id":"x","label":null}`)
			rec.Headers = []stream.Header{{Key: wire.ForwardedTo, Value: []byte("t/1/3")}, {Key: wire.ForwardedFrom, Value: []byte("t/0/5")}}
			if c.said != (stream.TopicID{}) {
				rec.Headers = append(rec.Headers, stream.Header{Key: wire.ForwardedTopic, Value: []byte(c.said.String())})
			}
			apply(t, b, []*stream.Record{old, rec}, rec)
			if got := reasonsOf(b); got != c.skipped {
				t.Errorf("skipped for %q, want %q", got, c.skipped)
			}
		})
	}
}

// TestAtOnce: requests are in the order of the records, for one partition each, and not too large.
func TestAtOnce(t *testing.T) {
	record := func(partition, size int) forward {
		return forward{record: &stream.Record{Value: make([]byte, size)}, to: worker.Holder{Partition: partition}}
	}
	left := []forward{record(0, 10), record(0, 10), record(0, forwardBytes), record(0, 2*forwardBytes), record(1, 10)}
	var got []int
	for len(left) > 0 {
		n := atOnce(left)
		got = append(got, n)
		left = left[n:]
	}
	if want := []int{2, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("records at once: %v, want %v", got, want)
	}
}
