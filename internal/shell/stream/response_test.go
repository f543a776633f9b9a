package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// encodeResponse encodes a Fetch response with franz-go, as a broker sends it.
func encodeResponse(version int16, r *kmsg.FetchResponse, id int32) []byte {
	r.SetVersion(version)
	body := r.AppendTo(nil)
	size := uint32(len(body) + 4)
	head := []byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size), byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}
	return append(head, body...)
}

func sampleResponse() *kmsg.FetchResponse {
	r := kmsg.NewPtrFetchResponse()
	r.ThrottleMillis = 3
	other := kmsg.NewFetchResponseTopic()
	other.Topic = "other"
	topic := kmsg.NewFetchResponseTopic()
	topic.Topic = "documents"
	for i := range int32(3) {
		p := kmsg.NewFetchResponseTopicPartition()
		p.Partition, p.HighWatermark, p.LastStableOffset, p.LogStartOffset = i, 100, 90, 10
		p.RecordBatches = []byte{byte(i), 1, 2}
		a := kmsg.NewFetchResponseTopicPartitionAbortedTransaction()
		a.ProducerID, a.FirstOffset = 77, 50
		p.AbortedTransactions = append(p.AbortedTransactions, a)
		topic.Partitions = append(topic.Partitions, p)
	}
	r.Topics = append(r.Topics, other, topic)
	return r
}

func TestFetchResponseVersions(t *testing.T) {
	for version := int16(fetchOldest); version <= fetchNewest; version++ {
		raw := encodeResponse(version, sampleResponse(), 42)
		f, err := readFetchResponse(bytes.NewReader(raw), version, 42, 1000, admitted)
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		got, err := f.partition("documents", 2)
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		if got.HighWatermark != 100 || (got.LogStartOffset == -1) != (version < 5) || !bytes.Equal(got.RecordBatches, []byte{2, 1, 2}) {
			t.Errorf("version %d: %+v", version, got)
		}
		if _, err := f.partition("documents", 3); err == nil || !strings.Contains(err.Error(), "documents/3") {
			t.Errorf("version %d: a partition that is not there: %v", version, err)
		}
	}
}

func TestFetchResponseErrors(t *testing.T) {
	r := sampleResponse()
	r.ErrorCode = 70
	f, err := readFetchResponse(bytes.NewReader(encodeResponse(11, r, 1)), 11, 1, 1000, admitted)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := f.partition("documents", 0); err != nil || p.ErrorCode != 70 {
		t.Errorf("an error of the whole response: code %d, %v, want 70", p.ErrorCode, err)
	}
	raw := encodeResponse(11, sampleResponse(), 1)
	if _, err := readFetchResponse(bytes.NewReader(raw), 11, 2, 1000, admitted); err == nil {
		t.Error("the answer to another request is taken")
	}
	if _, err := readFetchResponse(bytes.NewReader(raw), 11, 1, 20, admitted); !errors.Is(err, errBatchLimit) {
		t.Errorf("an answer beyond the limit: %v", err)
	}
	for n := range len(raw) {
		if _, err := readFetchResponse(bytes.NewReader(raw[:n]), 11, 1, 1000, admitted); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			t.Fatalf("an answer of %d bytes of %d: %v", n, len(raw), err)
		}
		body := max(n-8, 0)
		if _, err := (&fetchResponse{version: 11, body: raw[8 : 8+body]}).partition("documents", 2); n < len(raw) && err == nil && body < len(raw)-8 {
			t.Fatalf("a body of %d bytes of %d is taken for whole", body, len(raw)-8)
		}
	}
}
