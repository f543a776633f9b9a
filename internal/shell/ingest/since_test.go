package ingest

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// TestRepeats: what was written again is a record of this partition of this topic, behind the record
// that it repeats. Whatever else has its headers and a document does not act.
func TestRepeats(t *testing.T) {
	here := stream.TopicID{1}
	for name, c := range map[string]struct {
		from  string
		topic stream.TopicID
		acts  bool
	}{
		"this partition":           {"t/1/4", here, true},
		"it does not say which":    {"t/1/4", stream.TopicID{}, true},
		"a topic before this one":  {"t/1/4", stream.TopicID{2}, false},
		"another partition":        {"t/0/4", here, false},
		"another topic":            {"u/1/4", here, false},
		"itself":                   {"t/1/10", here, false},
		"a record behind it":       {"t/1/11", here, false},
		"a place that is no place": {"somewhere", here, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(t, "", mapView{})
			b.topic = here
			rec := at(10, `{"id":"x","label":"a","ref":{"topic":"texts","partition":0,"offset":7}}`)
			rec.Headers = []stream.Header{{Key: wire.ForwardedTo, Value: []byte("texts/0/7")}, {Key: wire.ForwardedFrom, Value: []byte(c.from)}}
			if c.topic != (stream.TopicID{}) {
				rec.Headers = append(rec.Headers, stream.Header{Key: wire.ForwardedTopic, Value: []byte(c.topic.String())})
			}
			if o := b.open(rec); o.refused != nil || o.repeats != c.acts || o.outdated == c.acts {
				t.Errorf("it is a repeat: %v, superseded: %v, refused: %v; want a repeat: %v", o.repeats, o.outdated, o.refused, c.acts)
			}
		})
	}
}

// TestJudge: what stands between a record that was written again and the one that it repeats decides,
// at the place where it was said first.
func TestJudge(t *testing.T) {
	const (
		relabel = `{"id":"x","label":"a"}`
		learn   = `{"id":"x","label":"a","ref":{"topic":"texts","partition":0,"offset":7}}`
	)
	here := stream.TopicID{1}
	between := func(value, from string, topic stream.TopicID) *stream.Record {
		rec := at(8, value)
		if from != "" {
			rec.Headers = []stream.Header{{Key: wire.ForwardedTo, Value: []byte("texts/0/7")}, {Key: wire.ForwardedFrom, Value: []byte(from)},
				{Key: wire.ForwardedTopic, Value: []byte(topic.String())}}
		}
		return rec
	}
	for name, c := range map[string]struct {
		rec  *stream.Record
		want judgement
	}{
		"another id":                        {between(`{"id":"y","label":null}`, "", here), acts},
		"no record":                         {between(`no record`, "", here), acts},
		"a forget":                          {between(`{"id":"x","label":null}`, "", here), isLate},
		"a relabel":                         {between(relabel, "", here), isLate},
		"a document":                        {between(`{"id":"x","label":"a","text":"words"}`, "", here), isLate},
		"a ref that is not allowed":         {between(`{"id":"x","label":"a","ref":{"topic":"u","partition":0,"offset":7}}`, "", here), isLate},
		"a copy":                            {between(learn, "t/1/4", here), isLate},
		"a copy that cannot be read":        {between(`no record`, "t/1/4", here), isLate},
		"a mark":                            {between(relabel, "t/1/4", here), isLate},
		"a repeat of an older record":       {between(learn, "t/1/3", here), acts},
		"a repeat of a later record":        {between(learn, "t/1/5", here), isLate},
		"forwarded from another partition":  {between(relabel, "t/0/1", here), isLate},
		"forwarded in another topic":        {between(relabel, "t/0/1", stream.TopicID{2}), acts},
		"written again in another topic":    {between(learn, "t/1/4", stream.TopicID{2}), acts},
		"it stood before what is repeated":  {at(4, relabel), acts},
		"it stands behind what is repeated": {at(10, relabel), acts},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatch(t, "", mapView{})
			b.topic = here
			found := map[int64]judgement{10: acts}
			b.judgeBy(c.rec, map[string][]repeat{"x": {{offset: 10, from: 4, first: -1}}}, found)
			if found[10] != c.want {
				t.Errorf("judged %d, want %d", found[10], c.want)
			}
		})
	}
}

// TestJudgedInAnotherTopic: the training topic is created again while what was said since is read.
// What the new topic says decides nothing, and only it is counted.
func TestJudgedInAnotherTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "a"), document(3, "a"))
		again := stream.Record{Value: []byte(document(2, "b")), Headers: []stream.Header{
			{Key: wire.ForwardedTo, Value: []byte("training/0/1")}, {Key: wire.ForwardedFrom, Value: []byte("training/0/1")}}}
		if _, err := l.memory.Produce(t.Context(), "training", 0, []stream.Record{again}); err != nil {
			t.Fatal(err)
		}
		var isJudged atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "fetch" && r.Topic == "training" && r.Offset == 2 && !isJudged.Swap(true) {
				l.memory.CreateTopic("training", 1)
				l.train(document(4, "a"), document(5, "a"), `{"id":"d2","label":null}`, document(6, "a"), document(7, "a"))
			}
			return nil
		})
		l.learn()
		l.wantCounted(5, 4)
		if !isJudged.Load() {
			t.Error("nothing was read again")
		}
	})
}
