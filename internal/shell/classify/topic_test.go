package classify

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// names returns the ids of n documents, from first on, and as many names of the model m.
func names(first, n int) (ids, models []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint("d", first+i))
		models = append(models, "m")
	}
	return ids, models
}

// TestDocumentsTopicIsCreatedAgain replaces a documents topic of three records by another one that
// is shorter, as long or longer, with and without ids of topics, while the partition is worked on,
// and between: every document of the new topic gets its decision.
func TestDocumentsTopicIsCreatedAgain(t *testing.T) {
	for _, n := range []int{1, 3, 9} {
		for _, ids := range []bool{true, false} {
			for _, isRunning := range []bool{true, false} {
				t.Run(fmt.Sprintf("%d records, ids %v, running %v", n, ids, isRunning), func(t *testing.T) {
					bothDeliveries(t, func(t *testing.T, delivery string) { createdAgain(t, delivery, n, ids, isRunning) })
				})
			}
		}
	}
}

func createdAgain(t *testing.T, delivery string, n int, ids, isRunning bool) {
	l := startLoop(t, func(c *config.Classify) {
		c.Delivery = delivery
		c.From = "end"
	})
	defer func() { l.end() }()
	if !ids {
		l.memory.HideIDs()
	}
	l.model("m", "a")
	l.classify(0)
	l.documents(0, 3)
	l.wantLabels("d0 d1 d2", "m m m")
	committed := int64(3)
	if !isRunning { // the work on the partition ends with its topic, and begins again with another
		l.restart(func() { l.recreate(n) }, committed)
	} else {
		l.recreate(n)
	}
	want, models := names(10, n)
	l.wantLabels(strings.Join(append([]string{"d0 d1 d2"}, want...), " "), strings.Join(append([]string{"m m m"}, models...), " "))
	l.documents(50, 1)
	l.wantLabels(strings.Join(append(append([]string{"d0 d1 d2"}, want...), "d50"), " "), strings.Join(append([]string{"m m m m"}, models...), " "))
}

// TestDocumentsTopicIsCreatedAgainBetweenRequests replaces the documents topic by a longer one
// before a fetch, or behind one: no request fails, and the leader epoch stays. Every document of
// the new topic gets one decision.
func TestDocumentsTopicIsCreatedAgainBetweenRequests(t *testing.T) {
	for _, kind := range []string{"fetch", "id"} {
		t.Run("before "+kind, func(t *testing.T) {
			bothDeliveries(t, func(t *testing.T, delivery string) {
				l := startLoop(t, func(c *config.Classify) { c.Delivery = delivery })
				defer l.end()
				l.model("m", "a")
				l.classify(0)
				l.documents(0, 3)
				l.wantLabels("d0 d1 d2", "m m m")
				l.recreateBefore(kind, 1)
				l.documents(3, 1)
				want, models := names(10, 9)
				l.wantLabels("d0 d1 d2 "+strings.Join(want, " "), "m m m "+strings.Join(models, " "))
			})
		})
	}
}

// TestDocumentsTopicIsEmptyForAMoment replaces a topic without an id by one that begins with the
// same documents. They come between a fetch, whose offset is out of range, and the comparison.
func TestDocumentsTopicIsEmptyForAMoment(t *testing.T) {
	bothDeliveries(t, func(t *testing.T, delivery string) {
		l := startLoop(t, func(c *config.Classify) { c.Delivery = delivery })
		defer l.end()
		l.memory.HideIDs()
		l.model("m", "a")
		l.classify(0)
		l.documents(0, 3)
		l.wantLabels("d0 d1 d2", "m m m")
		var isFilled atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "offsets" && r.Topic == "documents" && !isFilled.Swap(true) {
				l.documents(0, 4)
			}
			return nil
		})
		l.memory.CreateTopic("documents", 1)
		l.wantLabels("d0 d1 d2 d3", "m m m m")
	})
}

// TestDocumentsTopicIsCreatedAgainBehindTheFirstFetch: what was fetched of the topic before is not
// answered.
func TestDocumentsTopicIsCreatedAgainBehindTheFirstFetch(t *testing.T) {
	bothDeliveries(t, func(t *testing.T, delivery string) {
		l := startLoop(t, func(c *config.Classify) { c.Delivery = delivery })
		defer l.end()
		l.model("m", "a")
		l.documents(0, 3)
		l.recreateBefore("id", 2) // the first question is before the fetch
		l.classify(0)
		want, models := names(10, 9)
		l.wantLabels(strings.Join(want, " "), strings.Join(models, " "))
	})
}

// recreateBefore replaces the documents topic by one of nine records before the n-th request of a
// kind about it.
func (l *loop) recreateBefore(kind string, n int64) {
	var requests atomic.Int64
	l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
		if r.Kind == kind && r.Topic == "documents" && requests.Add(1) == n {
			l.recreate(9)
		}
		return nil
	})
}

// recreate replaces the documents topic by one of n records.
func (l *loop) recreate(n int) {
	l.memory.CreateTopic("documents", 1)
	l.documents(10, n)
}

// restart ends the work on the partition, calls f and begins again at a committed offset, in the
// same worker.
func (l *loop) restart(f func(), committed int64) {
	l.t.Helper()
	l.stopPartition()
	<-l.ended
	f()
	l.ended = make(chan error, 1)
	l.classify(committed)
}

// TestDocumentsAreLost loses labelled documents to an unclean leader election: those that take
// their place are labelled, those before are not again.
func TestDocumentsAreLost(t *testing.T) {
	bothDeliveries(t, func(t *testing.T, delivery string) {
		l := startLoop(t, func(c *config.Classify) { c.Delivery = delivery })
		defer l.end()
		l.model("m", "a")
		l.classify(0)
		l.documents(0, 4)
		l.wantLabels("d0 d1 d2 d3", "m m m m")
		l.memory.Elect("documents", 0, 2)
		l.documents(10, 5)
		l.wantLabels("d0 d1 d2 d3 d10 d11 d12 d13 d14", "m m m m m m m m m")
	})
}

// TestDocumentsTopicIsComparedInTime replaces the last document unseen: no request fails, and the
// offsets stay.
func TestDocumentsTopicIsComparedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.memory.HideIDs()
		l.model("m", "a")
		l.classify(0)
		l.documents(0, 2)
		l.wantLabels("d0 d1", "m m")
		l.memory.Replace("documents", 0, 1, stream.Record{Value: []byte(`{"id":"other","text":"word"}`)})
		time.Sleep(time.Minute)
		l.wantLabels("d0 d1 d0 other", "m m m m")
	})
}
