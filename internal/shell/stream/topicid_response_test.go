package stream

import (
	"bytes"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// sampleMetadata returns a response to a request for the id of the topic documents, without its
// header.
func sampleMetadata(version int16) []byte {
	r := kmsg.NewPtrMetadataResponse()
	r.Version = version
	name := "documents"
	r.Brokers = []kmsg.MetadataResponseBroker{{Host: "localhost", Port: 9092}}
	r.Topics = []kmsg.MetadataResponseTopic{{Topic: &name, TopicID: [16]byte{1, 2, 3}, Partitions: []kmsg.MetadataResponseTopicPartition{{Leader: 1}}}}
	return r.AppendTo(nil)
}

func TestTopicIDResponse(t *testing.T) {
	for version := int16(topicIDOldest); version <= topicIDNewest; version++ {
		for _, header := range []string{"\x00", "\x01\x07\x03abc"} {
			raw := append([]byte(header), sampleMetadata(version)...)
			if id, err := topicIDResponse(raw).id("documents"); err != nil || id != (TopicID{1, 2, 3}) {
				t.Errorf("version %d: the id is %s: %v", version, id, err)
			}
			if id, err := topicIDResponse(raw).id("others"); err == nil {
				t.Errorf("version %d: another topic has the id %s", version, id)
			}
			end := bytes.Index(raw, []byte{1, 2, 3}) + len(TopicID{})
			for n := range end {
				if _, err := topicIDResponse(raw[:n]).id("documents"); err == nil {
					t.Fatalf("version %d: %d bytes of %d are enough", version, n, end)
				}
			}
		}
	}
}

func FuzzTopicIDResponse(f *testing.F) {
	for version := int16(topicIDOldest); version <= topicIDNewest; version++ {
		f.Add(append([]byte{0}, sampleMetadata(version)...))
	}
	f.Add([]byte("\xff\xff\xff\xff\xff\x0f\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		id, err := topicIDResponse(raw).id("documents")
		if err == nil && !bytes.Contains(raw, id[:]) {
			t.Fatalf("the id %s is not in the response", id)
		}
	})
}
