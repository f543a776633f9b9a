package classify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
)

// loop is a classifier over topics in memory: partition 0 of "documents" and of "labels", and the
// model log "model".
type loop struct {
	records string // of the spec
	t       *testing.T
	*classifier
	memory *kafkatest.Memory
	host   *kafkatest.Host
	stop   context.CancelFunc
	ended  chan error // of partition

	stopPartition context.CancelFunc
}

// startLoop starts the replica. It must run in a bubble of synctest, and end with l.end.
func startLoop(t *testing.T, change func(*config.Classify)) *loop {
	t.Helper()
	c := config.Default[config.Classify]()
	c.DocumentsTopic = "documents"
	c.LabelsTopic = "labels"
	c.DeadTopic = "dead"
	if change != nil {
		change(&c)
	}
	memory := kafkatest.NewMemory()
	for _, topic := range []string{"documents", "labels", "dead", "model"} {
		memory.CreateTopic(topic, 1)
	}
	ctx, stop := context.WithCancel(t.Context())
	l := &loop{t: t, memory: memory, host: &kafkatest.Host{}, stop: stop, ended: make(chan error, 1)}
	log := slog.New(slog.DiscardHandler)
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() }}
	l.classifier = &classifier{
		config: c, routes: newRoutes(&c), broker: memory, host: l.host, metrics: httpapi.NewMetrics(httpapi.Classify), log: log, lanes: newLanes(2), memory: budget.New(64 << 20),
		replica:  modellog.New(memory, "model", fold.New(false), observe, log),
		takeOver: func(ctx context.Context, a stream.Assignment) (output, int64, error) { return memory.TakeOver(ctx, a) },
	}
	l.scratches.New = func() any { return &scratch{} }
	l.once.Store(c.Delivery == exactlyOnce)
	l.metrics.ExactlyOnce(c.Delivery == exactlyOnce)
	go func() {
		if err := l.replica.Follow(ctx); err != nil {
			t.Errorf("Follow: %v", err)
		}
	}()
	return l
}

// classify starts the work on the partition, whose group has committed an offset or -1.
func (l *loop) classify(committed int64) {
	ctx, stop := context.WithCancel(l.t.Context())
	follow := l.stop
	l.stop = func() { stop(); <-l.ended; follow() }
	l.stopPartition = stop
	go func() {
		defer close(l.ended)
		l.ended <- l.partition(ctx, stream.Assignment{Topic: "documents", Offset: committed})
	}()
}

// end stops the partition, then the replica, and waits for both.
func (l *loop) end() {
	l.stop()
	synctest.Wait()
}

// append appends values to a topic.
func (l *loop) append(topic string, values ...[]byte) {
	l.t.Helper()
	var records []stream.Record
	for _, v := range values {
		records = append(records, stream.Record{Value: v})
	}
	if _, err := l.memory.Produce(l.t.Context(), topic, 0, records); err != nil {
		l.t.Fatal(err)
	}
}

// documents appends n documents with the ids of their offsets, from first on.
func (l *loop) documents(first, n int) {
	var values [][]byte
	for i := range n {
		values = append(values, fmt.Appendf(nil, `{"id":"d%d","text":"word"}`, first+i))
	}
	l.append("documents", values...)
}

// model appends the spec of a name, behind which may be more lines, and one document of each class,
// to the model log.
func (l *loop) model(name string, classes ...string) {
	l.t.Helper()
	s := modeltest.Spec(l.t, "name: "+name+"\n"+l.records)
	first, err := codec.EncodeSpec(s, fold.LogID{})
	if err != nil {
		l.t.Fatal(err)
	}
	b := model.NewBuilder(s)
	for _, class := range classes {
		b.Observe(class, 1, &model.Features{})
	}
	second, err := codec.EncodeDelta(&fold.Delta{Ranges: []fold.Range{{Source: fold.Source{Topic: "t"}, End: 1}},
		Counting: s.Counting(),
		Counts:   b.Delta()})
	if err != nil {
		l.t.Fatal(err)
	}
	l.append("model", first)
	l.append("model", second)
}

// wantDead checks the reasons of the dead letters so far.
func (l *loop) wantDead(reasons ...string) {
	l.t.Helper()
	var got []string
	for _, rec := range l.memory.Records("dead", 0) {
		got = append(got, wire.DeadReason(&rec))
	}
	if !slices.Equal(got, reasons) {
		l.t.Errorf("dead letters %q, want %q", got, reasons)
	}
}

// wantLabels waits, and checks the answers so far: their ids, in order, and the models that they
// name.
func (l *loop) wantLabels(ids, models string) {
	l.t.Helper()
	time.Sleep(time.Minute)
	synctest.Wait()
	var gotIDs, gotModels []string
	for _, rec := range l.memory.Records("labels", 0) {
		d, err := wire.ParseDecision(rec.Value)
		if err != nil {
			l.t.Fatal(err)
		}
		gotIDs = append(gotIDs, d.ID)
		gotModels = append(gotModels, d.Decision.ModelInfo.Name)
	}
	if got := strings.Join(gotIDs, " "); got != ids {
		l.t.Errorf("answers to %q, want %q", got, ids)
	}
	if got := strings.Join(gotModels, " "); got != models {
		l.t.Errorf("answers by %q, want %q", got, models)
	}
}

// bothDeliveries runs a test in a bubble of its own for each value of --delivery.
func bothDeliveries(t *testing.T, test func(t *testing.T, delivery string)) {
	for _, delivery := range []string{exactlyOnce, "at-least-once"} {
		t.Run(delivery, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, delivery) })
		})
	}
}

func TestLoop(t *testing.T) {
	bothDeliveries(t, func(t *testing.T, delivery string) {
		l := startLoop(t, func(c *config.Classify) {
			c.Delivery = delivery
			c.MaxRecords = 2
		})
		defer l.end()
		l.documents(0, 3)
		l.classify(-1)
		l.wantLabels("", "") // there is no model
		l.model("one", "a")
		l.wantLabels("d0 d1 d2", "one one one")
		l.append("documents", []byte(`[]`), []byte(`{"id":"d4","text":"word"}`))
		l.memory.Skip("documents", 0, 2) // a marker of a transaction
		l.documents(7, 1)
		l.wantLabels("d0 d1 d2 d4 d7", "one one one one one")
		l.wantDead(string(wire.NotJSON))
		if l.host.Trouble != nil {
			t.Errorf("trouble: %v", l.host.Trouble)
		}
	})
}

// TestLoopBegins starts at the group's offset, or where --from says.
func TestLoopBegins(t *testing.T) {
	for _, c := range []struct {
		from      string
		committed int64
		want      string
	}{
		// another topic: from its start
		{"start", -1, "d0 d1 d2 d3"}, {"end", -1, "d3"}, {"start", 2, "d2 d3"}, {"end", 2, "d2 d3"}, {"start", 9, "d0 d1 d2 d3"}, {"end", 9, "d0 d1 d2 d3"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(settings *config.Classify) { settings.From = c.from })
			defer l.end()
			l.model("m", "a")
			l.documents(0, 3)
			l.classify(c.committed)
			time.Sleep(time.Second)
			l.documents(3, 1)
			l.wantLabels(c.want, strings.TrimSpace(strings.Repeat("m ", len(strings.Fields(c.want)))))
		})
	}
}

// TestLogIsReplacedUnderALoop deletes the model log and creates it again with another model. No
// document is answered by an empty model or by a part of the new one.
func TestLogIsReplacedUnderALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.model("one", "a")
		l.documents(0, 1)
		l.classify(-1)
		l.wantLabels("d0", "one")
		l.memory.CreateTopic("model", 1)
		time.Sleep(10 * time.Second) // the replica finds out
		l.documents(1, 2)
		l.wantLabels("d0", "one")
		l.model("two", "b")
		l.wantLabels("d0 d1 d2", "one two two")
	})
}

// TestLoopPassesOver passes over documents that were deleted, and over a batch that cannot be read.
func TestLoopPassesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.model("m", "a")
		l.documents(0, 6)
		l.memory.Truncate("documents", 0, 2)
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "fetch" && r.Topic == "documents" && r.Offset == 2 {
				return &stream.BatchError{Topic: "documents", Offset: 2, Next: 4, Err: errors.New("damaged")}
			}
			return nil
		})
		l.classify(0)
		l.wantLabels("d4 d5", "m m")
		l.wantDead(string(wire.BadBatch))
	})
}

// TestLoopAnswersTooLarge: the labels topic takes batches of one answer, and not that of d2. Order
// is kept, and d2 is a dead letter.
func TestLoopAnswersTooLarge(t *testing.T) {
	bothDeliveries(t, func(t *testing.T, delivery string) {
		l := startLoop(t, func(c *config.Classify) { c.Delivery = delivery })
		defer l.end()
		l.model("m", "a")
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "produce" && r.Topic == "labels" && (len(r.Records) > 1 || strings.Contains(string(r.Records[0].Value), `"d2"`)) {
				return fmt.Errorf("produce: %w", stream.ErrRecordTooLarge)
			}
			return nil
		})
		l.documents(0, 5)
		l.classify(-1)
		l.wantLabels("d0 d1 d3 d4", "m m m m")
		l.wantDead(string(wire.TooLarge))
		if dead := l.memory.Records("dead", 0); len(dead) == 1 && !strings.Contains(string(dead[0].Value), `"d2"`) {
			t.Errorf("the dead letter is %s", dead[0].Value)
		}
	})
}

// TestLoopShortens: d2 and d3 are too large for the topic with a decision, and d3 is by itself.
func TestLoopShortens(t *testing.T) {
	bothDeliveries(t, func(t *testing.T, delivery string) {
		l := startLoop(t, func(c *config.Classify) {
			c.Delivery = delivery
			c.Emit = wire.EmitEnrich
		})
		defer l.end()
		l.model("m", "a")
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind != "produce" || r.Topic != "labels" {
				return nil
			}
			value := string(r.Records[0].Value)
			if len(r.Records) > 1 || strings.Contains(value, `"d3"`) || strings.Contains(value, `"d2"`) && strings.Contains(value, "bayestream") {
				return fmt.Errorf("produce: %w", stream.ErrRecordTooLarge)
			}
			return nil
		})
		l.documents(0, 5)
		l.classify(-1)
		time.Sleep(time.Minute)
		synctest.Wait()
		var got []string
		for _, rec := range l.memory.Records("labels", 0) {
			value, decision, _ := strings.Cut(string(rec.Value), `,"bayestream":`)
			var headers []string
			for _, h := range rec.Headers {
				headers = append(headers, strings.TrimPrefix(h.Key, "bayestream-"))
			}
			got = append(got, fmt.Sprintf("%s %t %s", value, decision != "", strings.Join(headers, " ")))
		}
		want := []string{
			`{"id":"d0","text":"word" true source id`, `{"id":"d1","text":"word" true source id`,
			`{"id":"d2","text":"word"} false source id label status confidence model`, `{"id":"d4","text":"word" true source id`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		l.wantDead(string(wire.TooLarge))
	})
}

// TestLoopShortensManyClasses: where a topic does not take a decision with all classes, it gets one
// with fewer, and no document becomes a dead letter.
func TestLoopShortensManyClasses(t *testing.T) {
	var classes []string
	for i := range 40 {
		classes = append(classes, fmt.Sprintf("%s-%02d", strings.Repeat("class", 20), i))
	}
	for most, others := range map[int]int{5_000: 30, 2_000: 38} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(c *config.Classify) { c.Classes = 0 })
			defer l.end()
			l.model("m", classes...)
			l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
				for i := range r.Records {
					if r.Kind == "produce" && r.Topic == "labels" && r.Records[i].Size() > most {
						return fmt.Errorf("produce: %w", stream.ErrRecordTooLarge)
					}
				}
				return nil
			})
			l.documents(0, 3)
			l.classify(-1)
			l.wantLabels("d0 d1 d2", "m m m")
			l.wantDead()
			for _, rec := range l.memory.Records("labels", 0) {
				d, err := wire.ParseDecision(rec.Value)
				if err != nil || !d.Decision.Labelled || d.Decision.RunnerUp == "" || d.Others.Classes != others {
					t.Errorf("%v, want %d others: %s", err, others, rec.Value)
				}
			}
			if n := l.metric("bayestream_shortened_decisions_total"); n != 3 {
				t.Errorf("%v decisions were shortened, want 3", n)
			}
		})
	}
}

// TestLoopRoutes: each decision goes to the topic of its label, and a null document to all of them.
// Nothing is visible before the transaction ends.
func TestLoopRoutes(t *testing.T) {
	for _, c := range []struct {
		routes []string
		want   map[string]string // offsets of the documents, by topic
	}{
		{nil, map[string]string{"labels": "0 1 2"}},
		{[]string{"a=first"}, map[string]string{"first": "0 1 2", "labels": "1"}},
		{[]string{"b=first"}, map[string]string{"first": "1", "labels": "0 1 2"}},
		{[]string{"b=first", "*=second"}, map[string]string{"first": "1", "second": "0 1 2", "labels": ""}},
		{[]string{"a=first", "*=first"}, map[string]string{"first": "0 1 2", "labels": ""}},
		{[]string{"unsure", "empty=first", "a=second"}, map[string]string{"first": "0 1 2", "second": "1", "labels": "1"}},
		{[]string{"ok=first", "posterior<0.9=second"}, map[string]string{"first": "1", "second": "1", "labels": "0 1 2"}},
	} {
		bothDeliveries(t, func(t *testing.T, delivery string) {
			l := startLoop(t, func(settings *config.Classify) {
				settings.Delivery = delivery
				settings.Route = c.routes
			})
			defer l.end()
			l.memory.CreateTopic("first", 1)
			l.memory.CreateTopic("second", 1)
			l.model("m", "a")
			l.append("documents", []byte(`{"text":"word"}`), nil, []byte(`{"text":"word"}`))
			l.classify(-1)
			time.Sleep(time.Minute)
			synctest.Wait()
			for topic, want := range c.want {
				var got []string
				for _, rec := range l.memory.Records(topic, 0) {
					got = append(got, strings.TrimPrefix(string(rec.Headers[0].Value), "documents/0/"))
				}
				if got := strings.Join(got, " "); got != want {
					t.Errorf("%s of %q: answers to %q, want %q", topic, c.routes, got, want)
				}
			}
		})
	}
}

// TestLoopRoutesAtOnce: decisions of two topics are in one transaction. When one of them cannot be
// written, neither is there.
func TestLoopRoutesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(settings *config.Classify) { settings.Route = []string{"a=first"} })
		defer l.end()
		l.memory.CreateTopic("first", 1)
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "produce" && r.Topic == "labels" {
				return errors.New("refused")
			}
			return nil
		})
		l.model("m", "a")
		l.append("documents", []byte(`{"text":"word"}`), nil)
		l.classify(-1)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := l.memory.Records("first", 0); len(got) > 0 {
			t.Errorf("topic first has %d answers", len(got))
		}
	})
}
