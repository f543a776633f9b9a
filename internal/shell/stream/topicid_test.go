package stream_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// TestTopicID asks for the id of a topic, deletes the topic and creates it again under its name.
func TestTopicID(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	client := kafkatest.Dial(t)
	topic := kafkatest.Topic(t, 2, nil)
	first, err := client.TopicID(ctx, topic, 1)
	if err != nil || first == (stream.TopicID{}) {
		t.Fatalf("the id is %s: %v", first, err)
	}
	again, err := client.TopicID(ctx, topic, 0)
	if err != nil || again != first {
		t.Errorf("the id is %s the second time, want %s: %v", again, first, err)
	}
	kafkatest.Recreate(t, topic, 2)
	second, err := client.TopicID(ctx, topic, 1)
	if err != nil || second == first || second == (stream.TopicID{}) {
		t.Errorf("after the topic was created again its id is %s, before it was %s: %v", second, first, err)
	}
	if _, err := client.TopicID(ctx, topic+"-none", 0); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("the id of a topic that does not exist: %v", err)
	}
}

var recreations = flag.Int("recreations", 5, "how often TestRecordsComeBehindTheID creates a topic again")

// identified is the topic that a record is of, as its value says, and the id that the topic had
// behind it.
type identified struct {
	topic int
	id    stream.TopicID
}

// TestRecordsComeBehindTheID creates a topic again and again under a reader. A record of a new
// topic never comes with the id of one before: brokers tell the id of a topic before they serve its
// records. What ingest and classify promise about topics that are created again rests on that.
func TestRecordsComeBehindTheID(t *testing.T) {
	t.Parallel()
	ctx := deadline(t)
	client := kafkatest.Dial(t)
	topic := kafkatest.Topic(t, 1, nil)
	var seen []identified
	met := make(chan int, 1) // the topic of the last record that was read
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for !closed(stop) {
			records := identify(ctx, client, topic)
			seen = append(seen, records...)
			if len(records) > 0 {
				select {
				case <-met:
				default:
				}
				met <- records[len(records)-1].topic
			}
		}
	}()
	order := map[stream.TopicID]int{}
	for i := range *recreations {
		id, err := client.TopicID(ctx, topic, 0)
		if err != nil {
			t.Fatal(err)
		}
		order[id] = i
		kafkatest.Produce(t, topic, 0, stream.Record{Value: fmt.Append(nil, i)})
		for read := -1; read != i; {
			select {
			case read = <-met:
			case <-ctx.Done():
				t.Fatalf("the reader met no record of topic %d: %v", i, ctx.Err())
			}
		}
		kafkatest.Recreate(t, topic, 1)
	}
	close(stop)
	<-ended
	for _, s := range seen {
		if last, known := order[s.id]; known && last < s.topic {
			t.Errorf("a record of topic %d came with the id of topic %d", s.topic, last)
		}
	}
	t.Logf("%d records of %d topics", len(seen), *recreations)
}

// closed tells whether a channel is closed that carries nothing.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// identify fetches once from the start of a topic, which may be gone.
func identify(ctx context.Context, client *stream.Client, topic string) []identified {
	soon, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	got, err := client.Fetch(soon, stream.FetchRequest{Topic: topic, MaxWait: 5 * time.Millisecond, Identify: true})
	if err != nil {
		return nil
	}
	var records []identified
	for _, r := range got.Records {
		n, err := strconv.Atoi(string(r.Value))
		if err == nil {
			records = append(records, identified{n, got.TopicID})
		}
	}
	return records
}

// TestTopicIDOfOldBrokers asks brokers that give topics no ids.
func TestTopicIDOfOldBrokers(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.MaxVersions(kversion.V2_7_0()), kfake.SeedTopics(1, "topic"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	id, err := client.TopicID(deadline(t), "topic", 0)
	if err != nil || id != (stream.TopicID{}) {
		t.Errorf("the id is %s: %v, want none", id, err)
	}
	if _, err := client.ProduceRetry(deadline(t), "topic", 0, []stream.Record{{Value: []byte("a")}}); err != nil {
		t.Fatal(err)
	}
	got, err := client.Fetch(deadline(t), stream.FetchRequest{Topic: "topic", Identify: true})
	if err != nil || len(got.Records) != 1 || got.TopicID != (stream.TopicID{}) {
		t.Errorf("a fetch brings %d records of topic %s: %v, want one of none", len(got.Records), got.TopicID, err)
	}
}
