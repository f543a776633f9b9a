package ingest

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
)

// counted returns the counts of a loop that has learned records.
func (l *loop) counted() (dump string) {
	l.t.Helper()
	l.replica.Read(func(s *fold.State) { dump = modeltest.Dump(s.Model()) })
	return dump
}

// alone returns the counts of a model that has learned nothing but these records, by the first spec.
func alone(t *testing.T, values ...string) (dump string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(values...)
		l.learn()
		l.wantCounted(int64(len(values)), int64(len(values)))
		dump = l.counted()
	})
	return dump
}

// TestPlacesChange changes where records have label, weight, id and time, while a delta that forgets
// is on its way. For label and weight that delta is stale, and its records are read by the later
// spec. The counts are, to the integer, those of a model that never saw what was forgotten. For id
// and time the later spec is refused, because documents are counted by the first.
func TestPlacesChange(t *testing.T) {
	const (
		a = `{"id":"a","label":"x","text":"one two","weight":1.0}`
		b = `{"id":"b","label":"y","text":"two three"}`
		c = `{"id":"c","label":"y","text":"three"}`
	)
	for name, test := range map[string]struct {
		spec    string
		waiting []string
		left    []string // what the model has learned then
		refused bool
		dead    int
	}{
		"label": {
			"records: {label: {field: team}}",
			[]string{`{"id":"a","label":null}`, `{"id":"b","team":null}`, `{"id":"c","team":"y","text":"three"}`}, []string{a, c}, false, 3, // two by the stale delta, which could not read them
		},
		"weight": {"records: {weight: {field: times}}", []string{`{"id":"a","label":null}`, `{"id":"c","label":"y","text":"three","weight":9,"times":1}`}, []string{b, c}, false, 0},
		"id":     {"records: {id: {from: key}}", []string{`{"id":"a","label":null}`, c}, []string{b, c}, true, 0},
		"time":   {"records: {time: {field: at}}", []string{`{"id":"a","label":null}`, c}, []string{b, c}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			want := alone(t, test.left...)
			later := modeltest.Spec(t, test.spec)
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, nil)
				defer l.end()
				l.train(a, b)
				l.learn()
				l.wantCounted(2, 2)
				l.change(later)
				l.train(test.waiting...)
				l.wantCounted(2+int64(len(test.waiting)), int64(len(test.left)))
				if got := l.counted(); got != want || len(l.host.Dead) != test.dead {
					t.Errorf("with %d dead letters it holds\n%s\nwant\n%s", len(l.host.Dead), got, want)
				}
				err := l.agree(t.Context(), later)
				isRefused := err != nil && strings.Contains(err.Error(), "records."+name+" is ") && strings.Contains(err.Error(), "bayestream cutover")
				if isRefused != test.refused || !test.refused && err != nil {
					t.Errorf("a worker with that spec: %v", err)
				}
			})
		})
	}
}

// change appends a spec to the model log before the next delta, which was built by the one before.
func (l *loop) change(later *spec.Spec) {
	value, err := codec.EncodeSpec(later, modellog.NewID())
	if err != nil {
		l.t.Fatal(err)
	}
	var once atomic.Bool
	l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
		if r.Kind != "produce" || r.Topic != "model" || !once.CompareAndSwap(false, true) {
			return nil
		}
		_, err := l.memory.Produce(l.t.Context(), "model", 0, []stream.Record{{Value: value}})
		return err
	})
}

// TestForwardedUnderALaterSpec: a relabel that was forwarded is known for one, although a later spec
// has the label elsewhere: the next one from the same partition acts on the document, too.
func TestForwardedUnderALaterSpec(t *testing.T) {
	old := at(3, `{"id":"x","label":"a","text":"old words"}`)
	forwarded := func(offset int64, from, value string) *stream.Record {
		rec := at(offset, value)
		rec.Headers = []stream.Header{{Key: wire.ForwardedTo, Value: []byte("t/1/3")}, {Key: wire.ForwardedFrom, Value: []byte(from)}}
		return rec
	}
	b := newBatch(t, "", mapView{"x": learned(t, old, "a")})
	first := forwarded(10, "t/0/5", `{"id":"x","label":"b","weight":2}`)
	apply(t, b, []*stream.Record{old}, first)
	decoder := wire.NewDecoder(wire.SchemaOf(modeltest.Spec(t, "records: {label: {field: team}, weight: {field: times}}")))
	b.decoder = decoder
	apply(t, b, []*stream.Record{old, first}, forwarded(11, "t/0/6", `{"id":"x","team":"c"}`))
	if got := ledgerOf(b); got != "x=b@3 x=c@3" || reasonsOf(b) != "" || len(b.dead) > 0 {
		t.Errorf("the ledger changes by %q, skipped for %q, %d dead letters", got, reasonsOf(b), len(b.dead))
	}
}
