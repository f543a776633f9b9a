package kafka

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Read returns the committed records of each partition of a topic, as far as it reaches now.
func (c *Client) Read(ctx context.Context, topic string, partitions int) ([][]*kgo.Record, error) {
	first, end, err := c.Offsets(ctx, topic, partitions)
	if err != nil {
		return nil, err
	}
	from, open := map[int32]kgo.Offset{}, 0
	for p := range partitions {
		if first[p] < end[p] {
			from[int32(p)] = kgo.NewOffset().At(first[p])
			open++
		}
	}
	records := make([][]*kgo.Record, partitions)
	if open == 0 {
		return records, nil
	}
	reader, err := kgo.NewClient(
		kgo.SeedBrokers(c.brokers...), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}),
	)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for open > 0 {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", topic, err)
		}
		fetches.EachRecord(func(rec *kgo.Record) {
			p := rec.Partition
			if rec.Offset < end[p] && !rec.Attrs.IsControl() {
				records[p] = append(records[p], rec)
			}
			if rec.Offset == end[p]-1 {
				open--
			}
		})
	}
	return records, nil
}

// Tail follows a topic in the background.
type Tail struct {
	client *kgo.Client
	done   sync.WaitGroup
	header string
	topic  string // the first of them

	mu       sync.Mutex
	seen     map[string][]bool // by topic and partition of the source, then offset
	distinct int
	read     map[int32]int64 // records, by partition
}

// Follow reads the committed records of topics from their start until Close. It tells them apart by
// a header that has the place of another record, as topic/partition/offset.
func (c *Client) Follow(header string, topics ...string) (*Tail, error) {
	reader, err := kgo.NewClient(
		kgo.SeedBrokers(c.brokers...), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeTopics(topics...),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.MetadataMinAge(100*time.Millisecond),
		kgo.MetadataMaxAge(5*time.Second),
	)
	if err != nil {
		return nil, err
	}
	t := &Tail{client: reader, header: header, topic: topics[0], seen: map[string][]bool{}, read: map[int32]int64{}}
	t.done.Go(func() {
		for {
			fetches := reader.PollFetches(context.Background())
			if fetches.IsClientClosed() {
				return
			}
			fetches.EachRecord(t.note)
		}
	})
	return t, nil
}

func (t *Tail) note(rec *kgo.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read[rec.Partition]++
	value, _ := Header(rec, t.header)
	slash := strings.LastIndexByte(value, '/')
	offset, err := strconv.Atoi(value[slash+1:])
	if slash < 0 || err != nil {
		return
	}
	source := value[:slash]
	besides := rec.Value == nil && rec.Topic != t.topic // the answer to a null document goes to each topic
	if besides {
		source += " in " + rec.Topic
	}
	if missing := offset + 1 - len(t.seen[source]); missing > 0 {
		t.seen[source] = append(t.seen[source], make([]bool, missing)...)
	}
	if !t.seen[source][offset] {
		t.seen[source][offset] = true
		if besides {
			t.read[rec.Partition]--
			return
		}
		t.distinct++
	}
}

// Distinct returns how many places the header had.
func (t *Tail) Distinct() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.distinct
}

// Records returns how many records there were.
func (t *Tail) Records() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, read := range t.read {
		n += int(read)
	}
	return n
}

// Read returns how many records a partition brought.
func (t *Tail) Read(partition int) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.read[int32(partition)]
}

// Close stops reading.
func (t *Tail) Close() {
	t.client.Close()
	t.done.Wait()
}

// Header returns the last header of a name.
func Header(rec *kgo.Record, name string) (value string, ok bool) {
	for _, h := range rec.Headers {
		if h.Key == name {
			value, ok = string(h.Value), true
		}
	}
	return value, ok
}
