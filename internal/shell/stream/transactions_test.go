package stream_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// drain reads from an offset until another, in at most twenty requests.
func drain(t *testing.T, topic string, from, until int64, committed bool) []stream.Record {
	t.Helper()
	client, ctx := kafkatest.Dial(t), deadline(t)
	var records []stream.Record
	for range 20 {
		got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: from, Committed: committed})
		if err != nil {
			t.Fatal(err)
		}
		records, from = append(records, got.Records...), got.Next
		if from >= until {
			return records
		}
	}
	t.Fatalf("still at %d after 20 requests, want %d", from, until)
	return nil
}

func TestTransactions(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, numbered("plain", 2)...) // 0, 1
	aborted := kafkatest.Begin(t)
	aborted.Produce(topic, 0, numbered("aborted", 3)...) // 2, 3, 4
	committed := kafkatest.Begin(t)
	committed.Produce(topic, 0, numbered("committed", 2)...) // 5, 6
	aborted.Produce(topic, 0, numbered("aborted more", 1)...)
	aborted.Abort() // 8: the marker
	committed.Commit()
	kafkatest.Produce(t, topic, 0, numbered("plain again", 1)...) // 10

	want := []string{"plain-0", "plain-1", "committed-0", "committed-1", "plain again-0"}
	if got := values(drain(t, topic, 0, 11, true)); !slices.Equal(got, want) {
		t.Errorf("committed: %q, want %q", got, want)
	}
	records := drain(t, topic, 0, 11, false)
	if len(records) != 9 {
		t.Errorf("uncommitted: %q, want 9 and no markers", values(records))
	}
	for _, r := range records {
		if r.Offset == 8 || r.Offset == 9 {
			t.Errorf("the marker at %d is delivered as %q", r.Offset, r.Value)
		}
	}
	// From within the aborted transaction, and from the markers on.
	for _, from := range []int64{3, 7} {
		got := values(drain(t, topic, from, 11, true))
		if slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, "aborted") }) || got[len(got)-1] != "plain again-0" {
			t.Errorf("committed from %d: %q", from, got)
		}
	}
	for _, committed := range []bool{true, false} {
		got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 8, Committed: committed})
		if err != nil || !slices.Equal(values(got.Records), []string{"plain again-0"}) || got.Next != 11 {
			t.Errorf("from the markers on: %q, next %d, %v", values(got.Records), got.Next, err)
		}
	}
}

func TestOpenTransaction(t *testing.T) {
	t.Parallel()
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, numbered("plain", 2)...)
	open := kafkatest.Begin(t)
	open.Produce(topic, 0, numbered("open", 1)...)
	kafkatest.Produce(t, topic, 0, numbered("behind", 1)...)

	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Committed: true})
	if err != nil || got.Next != 2 || got.LastStable != 2 || got.HighWatermark != 4 {
		t.Errorf("before an open transaction: next %d, last stable %d, high watermark %d, %v, want 2, 2, 4", got.Next, got.LastStable, got.HighWatermark, err)
	}
	start := time.Now()
	got, err = client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 2, Committed: true})
	if took := time.Since(start); err != nil || len(got.Records) != 0 || got.Next != 2 || took < 400*time.Millisecond {
		t.Errorf("at an open transaction: %q, next %d, %v after %s, want to wait", values(got.Records), got.Next, err, took)
	}
	if got, err = client.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: 2}); err != nil || len(got.Records) != 2 {
		t.Errorf("uncommitted: %q, %v, want both", values(got.Records), err)
	}
	if got := values(kafkatest.ReadAll(t, topic, 0)); !slices.Equal(got, []string{"plain-0", "plain-1"}) {
		t.Errorf("ReadAll at an open transaction: %q", got)
	}
	open.Commit()
	if got := values(drain(t, topic, 2, 5, true)); !slices.Equal(got, []string{"open-0", "behind-0"}) {
		t.Errorf("after the commit: %q", got)
	}
}

// TestNothingButAborted: a reader gets past a stretch of which nothing is left.
func TestNothingButAborted(t *testing.T) {
	client, ctx := kafkatest.Dial(t), deadline(t)
	topic := kafkatest.Topic(t, 1, nil)
	tx := kafkatest.Begin(t)
	tx.Produce(topic, 0, numbered("aborted", 50)...)
	tx.Abort()
	start := time.Now()
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: topic, Committed: true, MaxWait: 50 * time.Second})
	if err != nil || len(got.Records) != 0 || got.Next != 51 || got.LeaderEpoch != -1 || time.Since(start) > 40*time.Second {
		t.Errorf("%q, next %d, epoch %d, %v after %s, want none, 51, -1 at once", values(got.Records), got.Next, got.LeaderEpoch, err, time.Since(start))
	}
}
