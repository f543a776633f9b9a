package ingest

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestTopicIsReplacedBehindTheFirstFetch: the first records come from a topic that is deleted
// before this worker has compared it. They are not counted as those of the next one.
func TestTopicIsReplacedBehindTheFirstFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
		l.train(document(1, "a"))
		var fetched, replaced atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic == "training" && r.Kind == "fetch" {
				fetched.Store(true)
			}
			if r.Topic == "training" && r.Kind == "id" && fetched.Load() && replaced.CompareAndSwap(false, true) {
				l.memory.CreateTopic("training", 1)
				l.train(others(3)...)
			}
			return nil
		})
		l.learn()
		defer l.end()
		l.wantProgress(0, 0, 3, 3)
	})
}

// TestTwoWorkersSeeTwoTopics: before the first delta of a worker that sees the topic which was
// created again, the log gets the delta of another one that has read the topic before. The records
// after it are not those of this topic.
func TestTwoWorkersSeeTwoTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
		before, err := l.memory.TopicID(t.Context(), "training", 0)
		if err != nil {
			t.Fatal(err)
		}
		l.memory.CreateTopic("training", 1)
		var d *fold.Delta
		l.replica.Read(func(s *fold.State) {
			d = &fold.Delta{
				Ranges:   []fold.Range{{Source: fold.Source{Topic: "training"}, End: 1, FromStart: true, Anchor: &fold.Anchor{Epoch: 1, Checksum: 1, TopicID: before}, Skipped: []fold.Skipped{{Offset: 0, Reason: "not_json"}}}},
				Counting: l.counting,
				Log:      s.Log(),
				Counts:   model.NewBuilder(s.Spec()).Delta(),
			}
		})
		value, err := codec.EncodeDelta(d)
		if err != nil {
			t.Fatal(err)
		}
		var isFirst atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic != "model" || r.Kind != "produce" || !isFirst.CompareAndSwap(false, true) {
				return nil
			}
			_, err := l.memory.Produce(t.Context(), "model", 0, []stream.Record{{Value: value}})
			return err
		})
		l.train(others(3)...)
		l.learn()
		defer l.end()
		l.wantProgress(1, 0, 3, 3)
	})
}

// TestModelLogLosesRecordsBeforeTheNextGeneration: the worker has seen that the topic was created
// again, and has begun nothing yet when the model log loses a record. It compares the topic once
// more: it is not the one that is counted.
func TestModelLogLosesRecordsBeforeTheNextGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
		defer l.end()
		l.train(document(1, "a"))
		l.learn()
		l.wantCounted(1, 1)
		l.memory.CreateTopic("training", 1)
		l.wantProgress(0, 0, 1, 1)
		log := l.memory.Records("model", 0)
		if _, err := l.memory.Produce(t.Context(), "model", 0, []stream.Record{{Value: log[0].Value}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		l.memory.Elect("model", 0, int64(len(log)))
		synctest.Wait()
		l.train(others(2)...)
		l.wantProgress(1, 0, 2, 3)
	})
}

// TestTopicWithoutAReadableRecord: the first delta has no record that can be read, and says of
// which topic it is. A worker that starts later knows whether the topic was created again, even if
// the batch can be read by then.
func TestTopicWithoutAReadableRecord(t *testing.T) {
	for name, again := range map[string]bool{"created again": true, "the same": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, func(c *config.Ingest) { c.OnSourceChange = "continue" })
				l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
					if r.Topic == "training" && r.Kind == "fetch" && r.Offset == 0 {
						return &stream.BatchError{Topic: r.Topic, Next: 1, Err: errors.New("damaged")}
					}
					return nil
				})
				l.train("a batch that is damaged")
				l.learn()
				l.wantCounted(1, 0)
				l.end()
				l.memory.Intercept(nil)
				if again {
					l.memory.CreateTopic("training", 1)
				}
				l.train(others(2)...)
				l = startAgain(l)
				defer l.end()
				l.learn()
				if again {
					l.wantProgress(1, 0, 2, 2)
				} else {
					l.wantProgress(0, 0, 3, 2)
				}
			})
		})
	}
}

// TestTextsOfAnotherTopicAreForgotten: once another worker has counted the partition, perhaps in a
// topic that was created again, texts that this worker has read before are not answered from its
// memory.
func TestTextsOfAnotherTopicAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		p := l.newPartition(stream.Assignment{Topic: "training"})
		if err := p.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := p.findWatermark(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.reader.recent.keep(&stream.Fetched{Records: []stream.Record{{Topic: "training", Value: []byte("of the topic before")}}})
		l.train(document(1, "a"))
		l.learn()
		defer l.end()
		l.wantCounted(1, 1)
		if err := p.findWatermark(t.Context()); err != nil {
			t.Fatal(err)
		}
		rec, err := p.reader.recent.at(t.Context(), place{"training", 0, 0})
		if err != nil || rec == nil || string(rec.Value) != document(1, "a") {
			t.Errorf("the text at offset 0 is %v (%v), want that of the topic as it is", rec, err)
		}
	})
}
