package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/modeltest"
)

// loop is an ingester over topics in memory: partition 0 of "training" and the model log "model".
type loop struct {
	t *testing.T
	*ingester
	memory *kafkatest.Memory
	host   *kafkatest.Host
	stop   context.CancelFunc
	ended  chan error // of partition
}

// startLoop starts the replica. It must run in a bubble of synctest, and end with l.end.
func startLoop(t *testing.T, change func(*config.Ingest)) *loop {
	t.Helper()
	c := config.Default[config.Ingest]()
	c.ModelTopic = "model"
	if change != nil {
		change(&c)
	}
	memory := kafkatest.NewMemory()
	memory.CreateTopic("training", 1)
	memory.CreateTopic("model", 1)
	ctx, stop := context.WithCancel(t.Context())
	l := &loop{t: t, memory: memory, host: &kafkatest.Host{}, stop: stop, ended: make(chan error, 1)}
	log := slog.New(slog.DiscardHandler)
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() }}
	l.ingester = &ingester{
		config: c, broker: memory, host: l.host, metrics: httpapi.NewMetrics(httpapi.Ingest), log: log,
		replica: modellog.New(memory, "model", fold.New(true), observe, log), sums: newSums(0),
	}
	l.metrics.ObserveState(l.replica.Read)
	go l.sums.run(ctx)
	go func() {
		if err := l.replica.Follow(ctx); err != nil {
			t.Errorf("Follow: %v", err)
		}
	}()
	var err error
	if l.key, err = config.ReadTermsKey(c.TermsKeyFile); err != nil {
		t.Fatal(err)
	}
	own, err := Spec(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.agree(ctx, own); err != nil {
		t.Fatal(err)
	}
	l.counting = l.spec.Counting()
	l.decoder = wire.NewDecoder(wire.SchemaOf(l.spec))
	return l
}

// specFile writes a spec.
func specFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// logID returns the id of the model log.
func (l *loop) logID() (id fold.LogID) {
	l.replica.Read(func(s *fold.State) { id = s.Log() })
	return id
}

// learn starts the work on the partition.
func (l *loop) learn() {
	ctx, stop := context.WithCancel(l.t.Context())
	follow := l.stop
	l.stop = func() { stop(); <-l.ended; follow() }
	go func() {
		defer close(l.ended)
		l.ended <- l.partition(ctx, stream.Assignment{Topic: "training"})
	}()
}

// end stops the partition, then the replica, and waits for both.
func (l *loop) end() {
	l.stop()
	synctest.Wait()
}

// train appends training records.
func (l *loop) train(values ...string) {
	l.t.Helper()
	var records []stream.Record
	for _, v := range values {
		records = append(records, stream.Record{Value: []byte(v)})
	}
	if _, err := l.memory.Produce(l.t.Context(), "training", 0, records); err != nil {
		l.t.Fatal(err)
	}
}

// wantCounted waits until the training topic is counted up to an offset, and checks the documents
// that are in the counts then.
func (l *loop) wantCounted(watermark, documents int64) {
	l.t.Helper()
	time.Sleep(time.Minute)
	synctest.Wait()
	l.replica.Read(func(s *fold.State) {
		p, _ := s.Progress(fold.Source{Topic: "training"})
		if got := s.Model().Classes().Total(); p.Watermark != watermark || got != documents {
			l.t.Errorf("%d documents are counted up to offset %d, want %d up to %d", got, p.Watermark, documents, watermark)
		}
	})
}

// document is a training record with an id.
func document(id int, label string) string {
	return fmt.Sprintf(`{"id":"d%d","label":%q,"text":"word%d"}`, id, label, id)
}

// TestModelTopicTakesLess lowers max.message.bytes of the model topic below what a text of the spec
// may take: no record becomes a dead letter for it, and counting goes on when the limit is raised
// again.
func TestModelTopicTakesLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.host.LogBytes = 4 << 10
		l.train(document(1, "a"))
		const says = "raise the topic's max.message.bytes"
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		err := l.partition(ctx, stream.Assignment{Topic: "training"})
		if err == nil || !strings.Contains(err.Error(), says) || len(l.host.Dead) != 0 {
			t.Errorf("the work ended with %v and %d dead letters, want %q and none", err, len(l.host.Dead), says)
		}
		l.wantTrouble(says)
		l.host.LogBytes = 4 << 20
		l.learn()
		l.wantCounted(1, 1)
	})
}

func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.MaxRecords = 3 })
		defer l.end()
		l.train(document(1, "a"), document(2, "b"), document(3, "a"), document(1, "b"), "no document", document(4, "a"), document(5, "a"))
		l.learn()
		l.wantCounted(7, 5)
		l.train(`{"id":"d5","label":null}`)
		l.memory.Skip("training", 0, 2) // a marker of a transaction: nothing to count
		l.wantCounted(10, 4)
		l.memory.Skip("training", 0, 2)
		l.wantCounted(10, 4)
		if n := len(l.memory.Records("model", 0)); n != 4 {
			t.Errorf("the model log has %d records, want the spec and three deltas", n)
		}
		if len(l.host.Dead) != 1 || l.host.Trouble != nil {
			t.Errorf("%d dead letters, trouble: %v", len(l.host.Dead), l.host.Trouble)
		}
	})
}

// TestLoopCountsAgainAfterAReset: the worker has looked for records after the watermark and found
// none when a reset sets the watermark back.
func TestLoopCountsAgainAfterAReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "b"))
		l.learn()
		l.wantCounted(2, 2)
		l.memory.Skip("training", 0, 1) // a marker of a transaction
		l.wantCounted(2, 2)
		if _, err := modellog.Command(t.Context(), l.memory, "model", fold.New(true), modellog.Reset("test")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		l.train(document(3, "a"))
		l.wantCounted(4, 3)
	})
}

// TestDeltaIsClosedInTime counts a backlog of documents that replace others, whose texts can only
// be read one by one, which takes long: what is counted in a second goes into a delta, instead of
// nothing until all of it is.
func TestDeltaIsClosedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		const each, n = 20 * time.Millisecond, 1000
		var first, second []string
		for i := range n {
			first = append(first, document(i, "a"))
			second = append(second, document(i, "b"))
		}
		l.train(first...)
		l.learn()
		l.wantCounted(n, n)
		l.end()

		again := startAgain(l) // has no texts in memory
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			switch {
			case r.Single:
				time.Sleep(each)
			case r.Topic == "training" && r.Kind == "fetch" && r.Offset < n:
				return stream.ErrRetriable
			}
			return nil
		})
		l.train(second...)
		before := len(l.memory.Records("model", 0))
		again.learn()
		again.wantCounted(2*n, n)
		again.end()
		const perDelta = int(deltaTime/each) + 1
		if got := len(l.memory.Records("model", 0)) - before; got < n/perDelta || got > n/perDelta+2 {
			t.Errorf("%d records went into %d deltas, want %d in each", n, got, perDelta)
		}
	})
}

// startAgain returns a loop over the same topics with another replica, as a restart does.
func startAgain(old *loop) *loop {
	l := *old
	ctx, stop := context.WithCancel(l.t.Context())
	in := &ingester{
		config: old.config, broker: old.memory, host: old.host, metrics: old.metrics, log: old.log,
		spec: old.spec, counting: old.counting, decoder: old.decoder, sums: newSums(0),
	}
	observe := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() }}
	in.replica = modellog.New(old.memory, "model", fold.New(true), observe, old.log)
	l.ingester = in
	l.stop = stop
	l.ended = make(chan error, 1)
	go in.sums.run(ctx)
	go func() {
		if err := in.replica.Follow(ctx); err != nil {
			l.t.Errorf("Follow: %v", err)
		}
	}()
	return &l
}

// TestLogIsReplacedUnderABatch deletes the model log and creates it again while a delta is built:
// before the fetch, while a text is read, or right before the append. The epoch has ended, the
// batch is dropped, and everything is counted again from the start of the training topic.
func TestLogIsReplacedUnderABatch(t *testing.T) {
	for name, isMoment := range map[string]func(kafkatest.MemoryRequest) bool{
		"after the fetch": func(r kafkatest.MemoryRequest) bool {
			return r.Kind == "fetch" && r.Topic == "training" && r.Offset == 2
		},
		"while a text is read":   func(r kafkatest.MemoryRequest) bool { return r.Kind == "fetch" && r.Topic == "texts" },
		"before the append":      func(r kafkatest.MemoryRequest) bool { return r.Kind == "produce" && r.Topic == "model" },
		"before counting starts": func(r kafkatest.MemoryRequest) bool { return r.Kind == "offsets" && r.Topic == "training" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, func(c *config.Ingest) { c.RefTopics = []string{"texts"} })
				defer l.end()
				l.memory.CreateTopic("texts", 1)
				if _, err := l.memory.Produce(t.Context(), "texts", 0, []stream.Record{{Value: []byte(`{"text":"far away"}`)}}); err != nil {
					t.Fatal(err)
				}
				l.train(document(1, "a"), document(2, "b"))
				if !strings.Contains(name, "starts") {
					l.learn()
					l.wantCounted(2, 2)
				}
				var replaced atomic.Bool
				l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
					if isMoment(r) && replaced.CompareAndSwap(false, true) {
						l.memory.CreateTopic("model", 1)
						time.Sleep(10 * time.Second) // the replica finds out
					}
					return nil
				})
				if strings.Contains(name, "starts") {
					l.learn()
				}
				time.Sleep(time.Second)
				l.train(document(3, "a"), `{"label":"b","ref":{"topic":"texts","partition":0,"offset":0}}`)
				l.wantCounted(4, 4)
				l.end()
				if !replaced.Load() {
					t.Fatal("the log was never replaced")
				}
				s := fold.New(true)
				if err := modellog.Replay(t.Context(), l.memory, "model", s, -1, nil); err != nil {
					t.Fatal(err)
				}
				if p, _ := s.Progress(fold.Source{Topic: "training"}); p.Begin != 0 || !p.FromStart || p.Watermark != 4 {
					t.Errorf("the new log counts %+v, want all records from the start", p)
				}
			})
		})
	}
}

// TestLogIsReplacedBeforeAnAppend replaces the model log while the dead letters of a batch are
// written, and another worker gives the new log its spec at once. In that log the partition has no
// watermark: a delta in the middle of the topic would be taken for its beginning.
func TestLogIsReplacedBeforeAnAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "b"))
		l.learn()
		l.wantCounted(2, 2)
		first := l.memory.Records("model", 0)[:1]
		l.host.During = func() {
			l.host.During = nil
			l.memory.CreateTopic("model", 1)
			if _, err := l.memory.Produce(t.Context(), "model", 0, first); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Second) // the replica finds out
		}
		l.train("no document", document(3, "a"))
		l.wantCounted(4, 3)
	})
}

// TestLoopKeepsItsSettings lets the paths of the fields grow: records are read by the new ones, and
// by the settings as before.
func TestLoopKeepsItsSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.Spec = specFile(t, "records: {label: {type: any}}") })
		defer l.end()
		l.train(`{"id":"a","text":"word","label":5}`)
		l.learn()
		l.wantCounted(1, 1)
		grown := modeltest.Spec(t, "text: {}\nrecords: {label: {type: any}}\nfrom: {training: {text: [body]}}")
		if _, err := l.propose(t.Context(), grown); err != nil {
			t.Fatal(err)
		}
		l.train(`{"id":"b","body":"word","label":true}`)
		l.wantCounted(2, 2)
	})
}

// TestLoopIsOvertaken lets another worker count the same records first: the delta is stale, and
// nothing counts twice.
func TestLoopIsOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "b"), document(3, "b"))
		var once atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "produce" && r.Topic == "model" && once.CompareAndSwap(false, true) {
				return l.overtake()
			}
			return nil
		})
		l.learn()
		l.wantCounted(3, 3)
		if n := len(l.memory.Records("model", 0)); n != 4 {
			t.Errorf("the model log has %d records, want the spec, the other delta, the stale one and that of the rest", n)
		}
	})
}

// overtake appends the delta of another worker, which has counted the first record.
func (l *loop) overtake() error { return l.other(fold.Source{Topic: "training"}, "a") }

// other appends the delta of another worker, with the first record of a source, which is of a class.
func (l *loop) other(source fold.Source, class string) error {
	b := model.NewBuilder(l.spec)
	b.Observe(class, 1, &model.Features{})
	value, err := codec.EncodeDelta(&fold.Delta{
		Ranges: []fold.Range{{Source: source, End: 1, FromStart: true}}, Counting: l.counting, Log: l.logID(), Counts: b.Delta(),
	})
	if err != nil {
		return err
	}
	_, err = l.memory.Produce(l.t.Context(), "model", 0, []stream.Record{{Value: value}})
	return err
}

// TestLoopDropsWhatIsOvertaken lets another worker count the same records while the delta is built,
// so that it is built on two states. Such a delta must not get into the log: a void of the other
// one would make it count.
func TestLoopDropsWhatIsOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.host.During = func() {
			l.host.During = nil
			if err := l.overtake(); err != nil {
				t.Error(err)
			}
			time.Sleep(5 * time.Second) // it is folded
		}
		l.train("no document", document(2, "b"))
		l.learn()
		l.wantCounted(2, 2)
		if n := len(l.memory.Records("model", 0)); n != 3 {
			t.Errorf("the model log has %d records, want the spec, the other delta and that of the rest", n)
		}
	})
}

// TestLoopLosesRecords deletes records before they are counted.
func TestLoopLosesRecords(t *testing.T) {
	for accept, want := range map[bool]string{false: "start ingest with --accept-loss", true: ""} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(c *config.Ingest) { c.AcceptLoss = accept })
			defer l.end()
			l.train(document(1, "a"))
			l.learn()
			l.wantCounted(1, 1)
			l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
				if r.Kind == "fetch" && r.Topic == "training" && r.Offset == 1 {
					l.train(document(2, "a"), document(3, "a"), document(4, "b"))
					l.memory.Truncate("training", 0, 3)
					l.memory.Intercept(nil)
				}
				return nil
			})
			if accept {
				l.wantCounted(4, 2)
				return
			}
			time.Sleep(time.Minute)
			if err := <-l.ended; err == nil || !strings.Contains(err.Error(), "offset 1 to 2 were deleted") || !strings.Contains(err.Error(), want) {
				t.Errorf("ends with %v", err)
			}
			if !strings.Contains(fmt.Sprint(l.host.Trouble), want) {
				t.Errorf("reported %v", l.host.Trouble)
			}
		})
	}
}

// TestLoopPassesOverABadBatch cannot read a batch: a dead letter says so, and counting goes on
// behind it.
func TestLoopPassesOverABadBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "a"), document(3, "a"))
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "fetch" && r.Topic == "training" && r.Offset < 2 {
				return &stream.BatchError{Topic: "training", Offset: 0, Next: 2, Err: errors.New("damaged")}
			}
			return nil
		})
		l.learn()
		l.wantCounted(3, 1)
		if len(l.host.Dead) != 1 || wire.DeadReason(&l.host.Dead[0]) != string(wire.BadBatch) {
			t.Errorf("dead letters: %v", l.host.Dead)
		}
	})
}

// TestOtherLanguageIsTold: once, of however many deltas, and not where the spec suits the texts.
func TestOtherLanguageIsTold(t *testing.T) {
	text := "wir sind mit der Antwort von dem Kunden nicht zufrieden und haben das Paket noch nicht"
	var records []string
	for n := range 2*textsOfLanguage + 1 {
		records = append(records, fmt.Sprintf(`{"id":"d%d","text":%q,"label":"a"}`, n, text))
	}
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.MaxRecords = 20 })
		defer l.end()
		var told strings.Builder
		l.log = slog.New(slog.NewTextHandler(&told, nil))
		l.train(records...)
		l.learn()
		l.wantCounted(int64(len(records)), int64(len(records)))
		if n := strings.Count(told.String(), "text.language=german"); n != 1 {
			t.Errorf("told %d times, want once:\n%s", n, told.String())
		}
	})
}

// TestNewClassesAreTold: a class is told once, where it comes first, whether a new document or a
// later label brought it.
func TestNewClassesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.MaxRecords = 2 })
		defer l.end()
		var told strings.Builder
		l.log = slog.New(slog.NewTextHandler(&told, nil))
		l.train(document(1, "a"), document(2, "a"), document(3, "a"), `{"id":"d1","label":"b"}`, document(4, "b"), document(1, "c"))
		l.learn()
		l.wantCounted(6, 4)
		for _, class := range []string{"a", "b", "c"} {
			if n := strings.Count(told.String(), `msg="a class is new" class=`+class+" "); n != 1 {
				t.Errorf("class %s is told %d times as new, want once:\n%s", class, n, told.String())
			}
		}
	})
}
