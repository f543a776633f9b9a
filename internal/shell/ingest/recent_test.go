package ingest

import (
	"context"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// counter is a broker that counts requests, and has every record.
type counter struct{ requests int }

func (c *counter) Fetch(_ context.Context, r stream.FetchRequest) (stream.Fetched, error) {
	c.requests++
	rec := stream.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Value: []byte("from the broker")}
	return stream.Fetched{Records: []stream.Record{rec}}, nil
}

// fetched returns n records from an offset on, every second offset, with values of a size.
func fetched(from int64, n, size int) *stream.Fetched {
	f := &stream.Fetched{LogStart: -1} // as a broker that does not say
	for i := range n {
		f.Records = append(f.Records, stream.Record{Topic: "t", Partition: 1, Offset: from + 2*int64(i), Value: make([]byte, size)})
	}
	return f
}

func TestRecentTexts(t *testing.T) {
	broker := &counter{}
	r := &recent{broker: broker, source: fold.Source{Topic: "t", Partition: 1}}
	r.keep(fetched(0, 0, 0))
	r.keep(fetched(10, 5, 100))
	r.keep(fetched(30, 5, 100))
	for _, c := range []struct {
		topic     string
		partition int32
		offset    int64
		kept      bool
	}{
		{"t", 1, 10, true}, {"t", 1, 18, true}, {"t", 1, 30, true}, {"t", 1, 38, true},
		{"t", 1, 11, false}, {"t", 1, 9, false}, {"t", 1, 20, false}, {"t", 1, 40, false},
		{"t", 0, 10, false}, {"other", 1, 10, false},
	} {
		before := broker.requests
		rec, err := r.at(t.Context(), place{c.topic, c.partition, c.offset})
		if err != nil || rec == nil || rec.Offset != c.offset || rec.Topic != c.topic {
			t.Fatalf("%s/%d/%d: %+v, %v", c.topic, c.partition, c.offset, rec, err)
		}
		if kept := broker.requests == before; kept != c.kept {
			t.Errorf("%s/%d/%d was kept: %v, want %v", c.topic, c.partition, c.offset, kept, c.kept)
		}
	}
	r.keep(&stream.Fetched{LogStart: 18}) // what is before was deleted: only a broker may answer for it
	for offset, kept := range map[int64]bool{16: false, 18: true} {
		before := broker.requests
		if _, err := r.at(t.Context(), place{"t", 1, offset}); err != nil || (broker.requests == before) != kept {
			t.Errorf("offset %d was kept: %v, %v; want %v, for the log starts at 18", offset, broker.requests == before, err, kept)
		}
	}
}

// TestRecentTextsAreBounded fetches more than is kept, the last time at once: the fetch that is
// being counted is kept whole.
func TestRecentTextsAreBounded(t *testing.T) {
	broker := &counter{}
	r := &recent{broker: broker, source: fold.Source{Topic: "t", Partition: 1}}
	for i := range 20 {
		r.keep(fetched(int64(100*i), 10, recentBytes/50)) // a fifth
		size := 0
		for _, f := range r.fetches {
			size += sizeInMemory(f)
		}
		if size != r.size || size > recentBytes || i > 5 && size < recentBytes/2 {
			t.Fatalf("after %d fetches %d bytes are kept, %d by its own count, want up to %d", i+1, size, r.size, recentBytes)
		}
	}
	large := fetched(5000, 20, recentBytes/10)
	r.keep(large)
	for _, offset := range []int64{5000, 5038} {
		if rec, err := r.at(t.Context(), place{"t", 1, offset}); err != nil || rec.Offset != offset || broker.requests != 0 {
			t.Errorf("offset %d of a large fetch is not kept: %v", offset, err)
		}
	}
	if len(r.fetches) != 1 {
		t.Errorf("%d fetches are kept beside one that is larger than all may be, want none", len(r.fetches)-1)
	}
}
