package ingest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/kafkatest"
)

// others returns n training records of another topic, all of the class new.
func others(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"id":"n%d","label":"new","text":"other%d"}`, i, i))
	}
	return all
}

// wantProgress waits, and compares how far the partition is counted.
func (l *loop) wantProgress(generation uint32, begin, watermark, documents int64) {
	l.t.Helper()
	l.wantCounted(watermark, documents)
	l.replica.Read(func(s *fold.State) {
		p, _ := s.Progress(fold.Source{Topic: "training"})
		if p.Generation != generation || p.Begin != begin {
			l.t.Errorf("generation %d is counted from offset %d, want generation %d from %d", p.Generation, p.Begin, generation, begin)
		}
	})
}

// wantTrouble checks what is reported of the partition.
func (l *loop) wantTrouble(want ...string) {
	l.t.Helper()
	for _, w := range want {
		if got := fmt.Sprint(l.host.Reported()); !strings.Contains(got, w) {
			l.t.Errorf("reported is %q, want %q in it", got, w)
		}
	}
}

// TestTrainingTopicIsCreatedAgain replaces a topic of four records by another one that is shorter,
// as long or longer, with and without ids of topics, while the partition is worked on or while it
// is not.
func TestTrainingTopicIsCreatedAgain(t *testing.T) {
	for _, policy := range []string{"stop", "continue", "recount"} {
		for _, n := range []int{0, 2, 4, 9} {
			for _, ids := range []bool{true, false} {
				for _, isRunning := range []bool{true, false} {
					if n == 0 && !ids || n > 4 && !ids && isRunning { // see TestTopicWithoutIDIsCreatedAgainUnseen
						continue
					}
					t.Run(fmt.Sprintf("%s, %d records, ids %v, running %v", policy, n, ids, isRunning), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) { createdAgain(t, policy, n, ids, isRunning) })
					})
				}
			}
		}
	}
}

func createdAgain(t *testing.T, policy string, n int, ids, isRunning bool) {
	l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = policy })
	if !ids {
		l.memory.HideIDs()
	}
	l.train(document(1, "a"), document(2, "b"), "no document", document(3, "a"))
	l.learn()
	l.wantCounted(4, 3)
	if !isRunning {
		l.end()
	}
	l.memory.CreateTopic("training", 1)
	l.train(others(n)...)
	if !isRunning {
		l = startAgain(l)
		l.learn()
	}
	defer l.end()
	switch {
	case policy == "stop":
		l.wantProgress(0, 0, 4, 3)
		l.wantTrouble("partition training/0 is not the one that was counted up to offset 4", "--on-source-change")
		l.train(others(20)...)
		l.wantProgress(0, 0, 4, 3)
		l.wantTrouble("is not the one that was counted")
		l.wantLag(float64(n + 20))
		return
	case policy == "recount": // the model is empty, and counts the new topic from its start; so it is a second time
		l.wantProgress(0, 0, int64(n), int64(n))
		l.memory.CreateTopic("training", 1)
		l.train(others(n + 2)...)
		l.wantProgress(0, 0, int64(n+2), int64(n+2))
	case n == 0:
		l.wantProgress(0, 0, 4, 3)
		l.train(others(2)...)
		l.wantProgress(1, 0, 2, 5)
	default:
		l.wantProgress(1, 0, int64(n), int64(3+n))
		l.train(document(4, "a"))
		l.wantProgress(1, 0, int64(n)+1, int64(4+n))
	}
	if trouble := l.host.Reported(); trouble != nil {
		t.Errorf("reported: %v", trouble)
	}
}

// TestHaltEndsWithADecision: a partition that stands still goes on when another worker has begun
// the next generation.
func TestHaltEndsWithADecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		l.train(document(1, "a"))
		l.learn()
		l.wantCounted(1, 1)
		l.memory.CreateTopic("training", 1)
		l.train(others(3)...)
		l.wantProgress(0, 0, 1, 1)
		other := startAgain(l)
		other.config.OnSourceChange = "continue"
		other.learn()
		other.wantProgress(1, 0, 3, 4)
		other.end()
		l.train(document(2, "a"))
		l.wantProgress(1, 0, 4, 5)
		if trouble := l.host.Reported(); trouble != nil {
			t.Errorf("reported: %v", trouble)
		}
		l.end()
	})
}

// TestUncleanElection loses counted records of the topic, whose offsets others take. The records
// before them are counted once; with --on-source-change continue those behind them are counted, and
// what was lost stays counted.
func TestUncleanElection(t *testing.T) {
	for _, isRunning := range []bool{true, false} {
		for _, n := range []int{0, 1, 2, 5} {
			for policy, want := range map[string]int64{"stop": 4, "continue": int64(4 + n)} {
				t.Run(fmt.Sprintf("%s, %d records, running %v", policy, n, isRunning), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = policy })
						l.train(document(1, "a"), document(2, "a"), document(3, "b"), document(4, "b"))
						l.learn()
						l.wantCounted(4, 4)
						if !isRunning {
							l.end()
						}
						l.memory.Elect("training", 0, 2)
						l.train(others(n)...)
						if !isRunning {
							l = startAgain(l)
							l.learn()
						}
						defer l.end()
						switch {
						case policy == "stop" || n == 0:
							l.wantProgress(0, 0, 4, want)
						default:
							l.wantProgress(1, 2, int64(2+n), want)
						}
						if policy == "stop" {
							l.wantTrouble("is not the one that was counted")
						}
					})
				})
			}
		}
	}
}

// TestRetentionPassesTheAnchor deletes the record that the anchor says: what is left cannot tell
// another topic, and counting goes on.
func TestRetentionPassesTheAnchor(t *testing.T) {
	for _, ids := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, nil)
			if !ids {
				l.memory.HideIDs()
			}
			l.train(document(1, "a"), document(2, "b"))
			l.learn()
			l.wantCounted(2, 2)
			l.memory.Truncate("training", 0, 2)
			l.train(document(3, "a"))
			l.wantCounted(3, 3)
			l.end()
			l.memory.Truncate("training", 0, 3)
			l = startAgain(l)
			defer l.end()
			l.learn()
			l.train(document(4, "a"))
			l.wantProgress(0, 0, 4, 4)
			if trouble := l.host.Reported(); trouble != nil {
				t.Errorf("reported: %v", trouble)
			}
		})
	}
}

// TestTopicIsCreatedAgainUnseen replaces the topic by a longer one between two requests: nothing
// fails, the offsets grow and the leader epoch stays. The topic is compared within a minute.
func TestTopicIsCreatedAgainUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.train(document(1, "a"), document(2, "b"))
		l.learn()
		l.wantCounted(2, 2)
		l.memory.Replace("training", 0, 1, stream.Record{Value: []byte(`{"label":"a","text":"another"}`)})
		time.Sleep(worker.CompareEvery)
		synctest.Wait()
		l.wantTrouble("another record is at offset 1")
	})
}

// createBetween replaces the training topic by one of n records just before a request of a kind
// about a topic.
func (l *loop) createBetween(kind, topic string, n int) {
	var done atomic.Bool
	l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
		if r.Kind == kind && r.Topic == topic && !done.Swap(true) {
			l.memory.CreateTopic("training", 1)
			l.train(others(n)...)
		}
		return nil
	})
}

// TestTopicIsEmptyForAMoment replaces a topic without an id by one that begins with the same
// records. They come between a fetch, whose offset is out of range, and the comparison.
func TestTopicIsEmptyForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.memory.HideIDs()
		l.train(append(others(2), "no document")...)
		l.learn()
		l.wantCounted(3, 2)
		var isFilled atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "offsets" && r.Topic == "training" && !isFilled.Swap(true) {
				l.train(append(append(others(2), "no document"), document(4, "a"))...)
			}
			return nil
		})
		l.memory.CreateTopic("training", 1)
		l.wantCounted(4, 3)
		if trouble := l.host.Reported(); trouble != nil {
			t.Errorf("reported: %v", trouble)
		}
	})
}

// TestTopicIsCreatedAgainBetweenRequests replaces the topic by a longer one between any two
// requests of a step. No request fails, and the leader epoch stays. What was fetched of the topic
// before counts as that, and never as another one.
func TestTopicIsCreatedAgainBetweenRequests(t *testing.T) {
	const before, more, after = 10, 5, 30
	for name, c := range map[string]struct {
		kind, topic string
		old         int64 // records of the topic before that are counted
	}{
		"before the fetch":              {"fetch", "training", before + more},
		"between the fetch and the id":  {"id", "training", before},
		"between the id and the append": {"produce", "model", before + more},
	} {
		for policy, want := range map[string]fold.Progress{
			"stop":     {Watermark: c.old},
			"continue": {Watermark: after, Generation: 1},
			"recount":  {Watermark: after},
		} {
			t.Run(name+", "+policy, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = policy })
					defer l.end()
					for i := range before {
						l.train(document(i, "a"))
					}
					l.learn()
					l.wantCounted(before, before)
					time.Sleep(time.Second) // the topic was just compared
					l.createBetween(c.kind, c.topic, after)
					var values []string
					for i := range more {
						values = append(values, document(before+i, "a"))
					}
					l.train(values...)
					documents := map[string]int64{"stop": c.old, "continue": c.old + after, "recount": after}[policy]
					l.wantProgress(want.Generation, 0, want.Watermark, documents)
				})
			})
		}
	}
}

// TestTopicWithoutIDIsCreatedAgainUnseen replaces a topic without an id by a longer one between two
// fetches: five of the nine records are counted as those of the topic before. It is found within a
// minute, and they do not count twice.
func TestTopicWithoutIDIsCreatedAgainUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
		defer l.end()
		l.memory.HideIDs()
		l.train(document(1, "a"), document(2, "b"), document(3, "a"), document(4, "b"))
		l.learn()
		l.wantCounted(4, 4)
		time.Sleep(time.Second) // the topic was just compared
		l.createBetween("fetch", "training", 9)
		l.wantCounted(9, 4+5)
		l.train(document(5, "a"))
		l.wantProgress(1, 9, 10, 4+5+1)
	})
}

// TestDeadLettersOfAnotherTopic: an offset of the next generation has a dead letter of its own.
func TestDeadLettersOfAnotherTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
		defer l.end()
		l.train("no document")
		l.learn()
		l.wantCounted(1, 0)
		l.memory.CreateTopic("training", 1)
		l.train("another one", document(1, "a"))
		l.wantProgress(1, 0, 2, 1)
		if n := len(l.host.Dead); n != 2 {
			t.Errorf("%d dead letters, want one of each topic", n)
		}
	})
}

// TestAnchorsAreWritten compares the anchor of a delta with the last record, and counts how often
// the topic is compared.
func TestAnchorsAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.MaxRecords = 2 })
		defer l.end()
		l.train(document(1, "a"), document(2, "b"), "no document")
		l.learn()
		l.wantCounted(3, 2)
		id, err := l.memory.TopicID(context.Background(), "training", 0)
		if err != nil {
			t.Fatal(err)
		}
		last := l.memory.Records("training", 0)[2]
		l.replica.Read(func(s *fold.State) {
			p, _ := s.Progress(fold.Source{Topic: "training"})
			if p.Anchor.Offset != 2 || p.Anchor.Checksum != last.Checksum() || p.Anchor.TopicID != id || p.Anchor.Epoch < 0 {
				t.Errorf("the anchor is %+v, want that of %+v in topic %s", p.Anchor, last, id)
			}
		})
		var compared atomic.Int64
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "id" {
				compared.Add(1)
			}
			return nil
		})
		time.Sleep(10 * worker.CompareEvery)
		if n := compared.Load(); n < 9 || n > 11 {
			t.Errorf("the topic was compared %d times in ten minutes, want about once a minute", n)
		}
	})
}

// TestIDsOfAnotherTopic: an id of the generation before is not known in the next one, where its
// text is gone. It is neither replaced nor forgotten.
func TestIDsOfAnotherTopic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
		defer l.end()
		l.train(document(1, "a"), document(2, "a"))
		l.learn()
		l.wantCounted(2, 2)
		l.memory.CreateTopic("training", 1)
		l.train(document(9, "b"), document(1, "b"), `{"id":"d2","label":null}`, document(1, "a"))
		l.wantProgress(1, 0, 4, 4)
		if n := len(l.host.Dead); n != 0 {
			t.Errorf("%d dead letters", n)
		}
	})
}
