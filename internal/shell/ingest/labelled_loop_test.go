package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/kafkatest"
)

// decisions are where documents were labelled, by their ids.
type decisions struct {
	places map[string]worker.Labelled
	err    error // why a topic may not be read
}

func (d *decisions) Reach(context.Context) error { return nil }

func (d *decisions) Place(id string) (*worker.Labelled, error) {
	if at, known := d.places[id]; known {
		return &at, nil
	}
	return nil, d.err
}

// startLabelled starts a loop whose documents n1 to n4 were labelled and not learned. Nothing is
// read of a partition of the training topic before it is learned.
func startLabelled(t *testing.T, spec string) (*loop, *decisions) {
	t.Helper()
	l := startLoop(t, func(c *config.Ingest) { c.Spec = specFile(t, spec) })
	l.memory.CreateTopic("training", 2)
	l.memory.CreateTopic("documents", 1)
	known := &decisions{places: map[string]worker.Labelled{}}
	for n := range 4 {
		id := fmt.Sprint("n", n+1)
		text := stream.Record{Value: fmt.Appendf(nil, `{"id":%q,"text":"the text of %s"}`, id, id), Time: time.Now()}
		if _, err := l.memory.Produce(t.Context(), "documents", 0, []stream.Record{text}); err != nil {
			t.Fatal(err)
		}
		known.places[id] = worker.Labelled{Ref: wire.Ref{Topic: "documents", Offset: int64(n)}, Time: text.Time}
	}
	l.index = known
	return l, known
}

// recount deletes the model log, and waits until everything is counted again.
func (l *loop) recount() {
	l.t.Helper()
	l.memory.CreateTopic("model", 1)
	l.settle()
	l.settle()
}

// repeats returns how many records of a partition were written again with their documents.
func (l *loop) repeats(partition int) (n int) {
	for _, r := range l.memory.Records("training", partition) {
		if strings.Contains(string(r.Value), `"ref"`) {
			n++
		}
	}
	return n
}

// TestLabelledIsLearned: an id and a label are enough for a document that was only labelled. What
// was said of it since is in force after every recount from the start, however often the record is
// written again for it.
func TestLabelledIsLearned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, known := startLabelled(t, "")
		defer l.end()
		l.learnBoth()
		l.write(0, `{"id":"n1","label":"a"}`, `{"id":"n2","label":"a"}`, `{"id":"n3","label":"a","weight":3}`, `{"id":"n4","label":"a"}`)
		l.settle()
		l.wantLedgers("n1=a n2=a n3=a n4=a", "")
		l.write(0, `{"id":"n1","label":null}`, `{"id":"n2","label":"b"}`, `{"id":"n4","label":"c","text":"another text"}`)
		l.settle()
		const want = "n2=b n3=a n4=c"
		l.wantLedgers(want, "")
		for n := 2; n < 4; n++ {
			l.recount()
			l.wantLedgers(want, "")
			if got := l.repeats(0); got != 4*n {
				t.Errorf("%d records are written again, want %d", got, 4*n)
			}
		}
		known.places = nil // who counts the topic needs to know no labels
		l.recount()
		l.wantLedgers(want, "")
		l.replica.Read(func(s *fold.State) {
			if n := s.Model().Classes().Total(); n != 5 {
				t.Errorf("%d documents are counted, want one, three times one, and one", n)
			}
		})
	})
}

// TestLabelledSaidAgain: of what is said of one document before the first is counted, the last is
// in force.
func TestLabelledSaidAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "")
		defer l.end()
		l.write(0, `{"id":"n1","label":"a"}`, `{"id":"n1","label":"b"}`, `{"id":"n2","label":"a"}`, `{"id":"n2","label":null}`,
			`{"id":"n3","label":"a"}`, `{"id":"n3","label":"c","text":"another text"}`, `{"id":"nobody","label":"a"}`)
		l.learnBoth()
		for range 2 {
			l.settle()
			l.wantLedgers("n1=b n3=c", "")
			if len(l.host.Dead) == 0 || wire.DeadReason(&l.host.Dead[0]) != string(wire.UnknownID) {
				t.Errorf("%d dead letters, want that of the id that nobody knows", len(l.host.Dead))
			}
			l.recount()
		}
	})
}

// TestForwardedIsNotLearned: what was forwarded to the partition that knew its document is not
// learned in its own one, after that document was forgotten.
func TestForwardedIsNotLearned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "")
		defer l.end()
		l.learnBoth()
		l.write(1, `{"id":"n1","label":"a","text":"the text of n1"}`)
		l.settle()
		l.write(0, `{"id":"n1","label":"b"}`)
		l.settle()
		l.wantLedgers("", "n1=b")
		l.write(1, `{"id":"n1","label":null}`)
		l.settle()
		l.recount()
		l.wantLedgers("", "")
		if n := l.skipped(0)[wire.SkipSuperseded]; n != 2 {
			t.Errorf("%d records of partition 0 are superseded, want the mark and what is written again", n)
		}
	})
}

// TestMarkIsFirst: a record whose document is forgotten while the record is forwarded is not learned
// in its own partition either.
func TestMarkIsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "")
		defer l.end()
		l.learnBoth()
		l.write(1, `{"id":"n1","label":"a","text":"the text of n1"}`)
		l.settle()
		var once sync.Once
		l.memory.Intercept(func(r kafkatest.MemoryRequest) (err error) {
			if r.Kind == "produce" && r.Topic == "training" && r.Partition == 1 && len(r.Records[0].Headers) > 0 {
				once.Do(func() {
					l.write(1, `{"id":"n1","label":null}`)
					err = stream.ErrUnknownTopic
				})
			}
			return err
		})
		l.write(0, `{"id":"n1","label":"b"}`)
		l.settle()
		l.wantLedgers("", "")
		if n := l.repeats(0); n != 1 {
			t.Errorf("%d records are written again, want the one whose document nobody knew any more", n)
		}
	})
}

// TestLabelledElsewhere: a record waits until the other partitions are counted up to its time. One
// of them may know the document, and then it is not learned a second time.
func TestLabelledElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "")
		defer l.end()
		l.write(1, document(1, "a"), `{"id":"n1","label":"a","text":"the text of n1"}`, `{"id":"n3","label":"a"}`)
		time.Sleep(time.Second)
		l.write(0, document(2, "a"), `{"id":"n1","label":"b"}`, `{"id":"n2","label":"b"}`)
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		go func() {
			defer stop()
			time.Sleep(time.Minute)
			l.wantLedgers("d2=a", "")
			if err := l.host.Reported(); err == nil || !strings.Contains(err.Error(), "until partition 1 is counted") {
				t.Errorf("trouble: %v", err)
			}
		}()
		if err := l.partition(ctx, stream.Assignment{Topic: "training"}); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		l.learnBoth()
		l.settle()
		l.wantLedgers("d2=a n2=b", "d1=a n1=b n3=a")
		if l.repeats(0) != 1 || l.repeats(1) != 1 || len(l.host.Dead) != 0 {
			t.Errorf("%d and %d records are written again, %d dead letters", l.repeats(0), l.repeats(1), len(l.host.Dead))
		}
	})
}

// TestWaitOfWhatWasDeleted: a partition waits for an older record of another one, and its own is
// deleted meanwhile. What the topic has behind it is older than both, so that the other one waits for
// this partition: it goes on.
func TestWaitOfWhatWasDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "")
		defer l.end()
		l.write(0, `{"id":"n1","label":"a"}`)
		time.Sleep(time.Second)
		l.write(1, `{"id":"n2","label":"b"}`)
		l.learnFirst(1, time.Minute)
		time.Sleep(10 * time.Second)
		old := stream.Record{Value: []byte(`{"id":"n3","label":"a"}`), Time: time.Now().Add(-time.Hour)}
		if _, err := l.memory.Produce(t.Context(), "training", 1, []stream.Record{old}); err != nil {
			t.Fatal(err)
		}
		l.memory.Truncate("training", 1, 1)
		l.settle()
		l.settle()
		l.wantLedgers("n1=a", "n3=a") // what was deleted is lost
		if err := l.host.Reported(); err != nil {
			t.Errorf("trouble: %v", err)
		}
	})
}

// TestLabelledIsGone: a record whose document cannot be read, is another one by now, or may not be
// asked for is a dead letter, and the partition goes on.
func TestLabelledIsGone(t *testing.T) {
	denied := &stream.RightError{Operation: "Read", Resource: "Topic", Name: "documents"}
	for name, c := range map[string]struct {
		change func(*loop, *decisions)
		says   string
	}{
		"no right to read it": {func(l *loop, _ *decisions) {
			l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
				if r.Topic == "documents" {
					return denied
				}
				return nil
			})
		}, "documents/0/0, which cannot be read"},
		"no right to read the labels": {func(_ *loop, d *decisions) { *d = decisions{err: denied} }, "do not allow Read"},
		"it was deleted":              {func(l *loop, _ *decisions) { l.memory.Truncate("documents", 0, 1) }, "does not hold it any more"},
		"its topic is gone":           {func(_ *loop, d *decisions) { d.move("n1", "gone", 0) }, "--ref-topics"},
		"another id":                  {func(_ *loop, d *decisions) { d.move("n1", "documents", 1) }, "does not hold it any more"},
		"its topic was created again": {func(l *loop, d *decisions) {
			time.Sleep(time.Second)
			l.memory.CreateTopic("documents", 1)
			_, _ = l.memory.Produce(t.Context(), "documents", 0, []stream.Record{{Value: []byte(`{"id":"n1","text":"new"}`), Time: time.Now()}})
		}, "does not hold it any more"},
		"no right to write": {func(l *loop, _ *decisions) {
			l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
				if r.Kind == "produce" && r.Topic == "training" && len(r.Records[0].Headers) > 0 {
					return &stream.RightError{Operation: "Write", Resource: "Topic", Name: "training"}
				}
				return nil
			})
		}, "documents/0/0, and the record cannot be forwarded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, known := startLabelled(t, "")
				defer l.end()
				c.change(l, known)
				l.learnBoth()
				l.write(0, `{"id":"n1","label":"a"}`, document(1, "a"))
				l.settle()
				l.wantLedgers("d1=a", "")
				if len(l.host.Dead) != 1 || wire.DeadReason(&l.host.Dead[0]) != string(wire.UnknownID) || l.host.Reported() != nil {
					t.Fatalf("%d dead letters, trouble: %v", len(l.host.Dead), l.host.Reported())
				}
				if letter := fmt.Sprintf("%s", l.host.Dead[0].Headers); !strings.Contains(letter, c.says) {
					t.Errorf("the dead letter says %s, want %q", letter, c.says)
				}
			})
		})
	}
}

// move changes where a document was labelled.
func (d *decisions) move(id, topic string, offset int64) {
	at := d.places[id]
	at.Topic, at.Offset = topic, offset
	d.places[id] = at
}

// TestRepeatsWithoutThePast: where the records behind the one that is repeated were deleted, nobody
// knows whether the document was forgotten: it is not learned. What is left may say that it was.
func TestRepeatsWithoutThePast(t *testing.T) {
	for first, want := range map[int64]struct{ knows, dead string }{2: {"n2=a", ""}, 3: {"", "unknown_id unknown_id"}} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := startLabelled(t, "")
			defer l.end()
			l.write(0, `{"id":"n1","label":"a"}`, `{"id":"n2","label":"a"}`, `{"id":"n1","label":null}`)
			l.learnBoth()
			l.settle()
			l.wantLedgers("n2=a", "")
			l.memory.Truncate("training", 0, first)
			l.recount()
			l.wantLedgers(want.knows, "")
			var reasons []string
			for i := range l.host.Dead {
				reasons = append(reasons, wire.DeadReason(&l.host.Dead[i]))
			}
			if got := strings.Join(reasons, " "); got != want.dead {
				t.Errorf("from offset %d on: dead letters %q, want %q: of those whose past is gone", first, got, want.dead)
			}
		})
	}
}

// TestRepeatIsSentAgain: the dead letter of a record that was written again counts when it is sent
// again, unless something was said of its id meanwhile.
func TestRepeatIsSentAgain(t *testing.T) {
	for said, want := range map[string]string{"": "n1=a", `{"id":"n1","label":null}`: ""} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := startLabelled(t, "")
			defer l.end()
			denied := true
			l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
				if r.Kind == "fetch" && r.Topic == "documents" && denied && l.repeats(0) > 0 {
					return &stream.RightError{Operation: "Read", Resource: "Topic", Name: "documents"}
				}
				return nil
			})
			l.learnBoth()
			l.write(0, `{"id":"n1","label":"a"}`)
			l.settle()
			if len(l.host.Dead) != 1 {
				t.Fatalf("%d dead letters, want that of the record that was written again", len(l.host.Dead))
			}
			if said != "" {
				l.write(0, said)
			}
			denied = false
			letter, _ := wire.ReadLetter(&l.host.Dead[0])
			again := letter.Again()
			if _, err := l.memory.Produce(t.Context(), "training", 0, []stream.Record{again}); err != nil {
				t.Fatal(err)
			}
			l.settle()
			l.wantLedgers(want, "")
		})
	}
}

// TestRepeatBehindTheWindow: a count from the start does not learn again what has left a window of
// documents, whose text was deleted since.
func TestRepeatBehindTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := startLabelled(t, "limits: {window: {records: 3}}")
		defer l.end()
		l.write(0, `{"id":"n1","label":"a","text":"the text of n1"}`, `{"id":"n1","label":"b"}`)
		l.learnBoth()
		l.settle()
		l.wantLedgers("n1=b", "")
		l.write(0, document(2, "a"), document(3, "a"), document(4, "a"), document(5, "a"))
		l.settle()
		l.wantLedgers("d3=a d4=a d5=a", "")
		l.memory.Truncate("training", 0, 1)
		l.recount()
		l.wantLedgers("d3=a d4=a d5=a", "")
		if n := l.repeats(0); n != 1 {
			t.Errorf("%d records are written again, want that of the document that left", n)
		}
	})
}
