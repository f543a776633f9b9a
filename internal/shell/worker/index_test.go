package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// labelsTopics are topics in memory, as an index asks for them.
type labelsTopics struct{ *kafkatest.Memory }

func (m labelsTopics) FindTopic(ctx context.Context, name string) (stream.TopicInfo, bool, error) {
	info, err := m.Topic(ctx, name)
	if errors.Is(err, stream.ErrUnknownTopic) {
		return info, false, nil
	}
	return info, err == nil, err
}

func decisionOn(id, source string) stream.Record {
	return stream.Record{Value: []byte("{}"), Headers: []stream.Header{
		{Key: "bayestream-source", Value: []byte(source)}, {Key: "bayestream-id", Value: []byte(id)}}}
}

func (m labelsTopics) write(t *testing.T, topic string, records ...stream.Record) {
	t.Helper()
	if _, err := m.Produce(t.Context(), topic, 0, records); err != nil {
		t.Fatal(err)
	}
}

// TestIndex finds documents in all topics of the labels, also in one that is made later, by their
// last decisions. It says "unknown" behind the ends of the topics alone.
func TestIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := labelsTopics{kafkatest.NewMemory()}
		m.CreateTopic("labels", 1)
		m.write(t, "labels", decisionOn("a", "documents/0/1"), stream.Record{Value: []byte("no decision")})
		x := NewIndex(m, []string{"labels", "spam"}, slog.New(slog.DiscardHandler))
		if _, err := x.Find(t.Context(), "b"); !errors.Is(err, httpapi.ErrNotReady) {
			t.Errorf("before anything is read: %v, want %v", err, httpapi.ErrNotReady)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			x.Follow(ctx)
		}()
		m.CreateTopic("spam", 1)
		m.write(t, "spam", decisionOn("c", "documents/0/3"))
		m.write(t, "labels", decisionOn("b", "documents/0/2"), decisionOn("a", "documents/0/9"))
		for id, want := range map[string]string{"a": "documents/0/9", "b": "documents/0/2", "c": "documents/0/3", "d": "<nil>"} {
			got, err := x.Find(t.Context(), id)
			if err != nil || fmt.Sprint(got) != want {
				t.Errorf("%s is at %v, %v; want %s", id, got, err, want)
			}
		}
		stop()
		<-ended
	})
}

// following returns an index that follows topics until the end of the test.
func following(t *testing.T, m labelsTopics, topics ...string) (x *Index, end func()) {
	x = NewIndex(m, topics, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.Follow(ctx)
	}()
	return x, func() { stop(); <-ended }
}

// TestIndexOfATopicThatMayNotBeRead: who asks for an id is told at once why it is not found.
func TestIndexOfATopicThatMayNotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := labelsTopics{kafkatest.NewMemory()}
		m.CreateTopic("labels", 1)
		m.CreateTopic("spam", 1)
		m.write(t, "labels", decisionOn("a", "documents/0/1"))
		m.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Topic == "spam" && r.Kind == "fetch" {
				return &stream.RightError{Operation: "Read", Resource: "Topic", Name: "spam"}
			}
			return nil
		})
		x, end := following(t, m, "labels", "spam")
		defer end()
		if err := x.Reach(t.Context()); err != nil {
			t.Fatal(err)
		}
		if at, err := x.Place("a"); at == nil || err != nil {
			t.Errorf("a is at %v, %v", at, err)
		}
		if at, err := x.Place("b"); at != nil || !isDenied(err) {
			t.Errorf("b is at %v, %v; want the right that is missing", at, err)
		}
	})
}

// TestIndexOfATopicThatIsCreatedAgain: "unknown" is said behind the end of the topic as it is now,
// also if it is shorter than the one before.
func TestIndexOfATopicThatIsCreatedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := labelsTopics{kafkatest.NewMemory()}
		m.CreateTopic("labels", 1)
		m.write(t, "labels", decisionOn("a", "documents/0/1"), decisionOn("b", "documents/0/2"))
		x, end := following(t, m, "labels")
		defer end()
		if err := x.Reach(t.Context()); err != nil {
			t.Fatal(err)
		}
		m.CreateTopic("labels", 1)
		m.write(t, "labels", decisionOn("c", "documents/0/3"))
		time.Sleep(time.Second)
		synctest.Wait()
		if x.reached("labels", 0, 1) {
			t.Error("the end of the new topic is reached before it is read")
		}
		if err := x.Reach(t.Context()); err != nil {
			t.Fatal(err)
		}
		if at, err := x.Place("c"); err != nil || fmt.Sprint(at) != "documents/0/3" {
			t.Errorf("c is at %v, %v", at, err)
		}
	})
}

// failsOnce are topics of which the first request for offsets fails.
type failsOnce struct {
	labelsTopics
	failed bool
	from   int64 // at which the first fetch began
}

func (f *failsOnce) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	if !f.failed {
		f.failed = true
		return 0, 0, errors.New("the leader is away")
	}
	return 500_000, 900_000, nil
}

func (f *failsOnce) Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	f.from = request.Offset
	<-ctx.Done()
	return stream.Fetched{}, ctx.Err()
}

// TestIndexBeginsNearTheEnd, also if the leader of the partition is away at first.
func TestIndexBeginsNearTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &failsOnce{labelsTopics: labelsTopics{kafkatest.NewMemory()}}
		m.CreateTopic("labels", 1)
		x := NewIndex(m, []string{"labels"}, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		x.Follow(ctx)
		if want := int64(900_000 - indexRecords); m.from != want {
			t.Errorf("it reads from offset %d, want %d", m.from, want)
		}
	})
}

// TestIndexForgetsTheOldest: the memory of an index is bounded, whatever comes again and again.
func TestIndexForgetsTheOldest(t *testing.T) {
	x := NewIndex(nil, nil, nil)
	put := func(id string, i int) {
		x.places.Put(id, Labelled{Ref: wire.Ref{Topic: "documents", Offset: int64(i)}})
	}
	const n = indexBytes/(indexedBytes+8) + 1000
	for i := range n {
		put(fmt.Sprintf("id%06d", i), i)
		put("again", i)
	}
	if x.places.held > indexBytes || len(x.places.at) != x.places.list.Len() {
		t.Errorf("%d places, %d bytes, a list of %d", len(x.places.at), x.places.held, x.places.list.Len())
	}
	if at, _ := x.Place("id000000"); at != nil {
		t.Error("the oldest is still there")
	}
	for id, want := range map[string]int{"again": n - 1, fmt.Sprintf("id%06d", n-1): n - 1} {
		if at, _ := x.Place(id); at == nil || at.Offset != int64(want) {
			t.Errorf("%s is at %v, want offset %d", id, at, want)
		}
	}
}
