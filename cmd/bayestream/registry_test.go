package main

import (
	"strings"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// TestVerbsReadARegistry: what reads documents of a topic reads them by their schemas.
func TestVerbsReadARegistry(t *testing.T) {
	registry := srfake.New()
	t.Cleanup(registry.Close)
	registry.SeedSchema("note", 1, 1, sr.Schema{Schema: `{"type":"record","name":"Note","fields":[
		{"name":"id","type":"string"},{"name":"body","type":"string"},{"name":"label","type":"string"}]}`})
	t.Setenv("BAYESTREAM_SCHEMA_REGISTRY", registry.URL())
	brokers, training := kafka(t), kafkatest.Topic(t, 1, nil)
	var records []stream.Record
	for i := range 20 {
		word, label := "a prize for you now", "spam"
		if i%2 == 0 {
			word, label = "we meet on a friday", "ham"
		}
		value := "\x00\x00\x00\x00\x01"
		for _, text := range []string{"m" + string(rune('a'+i)), word, label} {
			value += string(rune(2*len(text))) + text
		}
		records = append(records, stream.Record{Value: []byte(value)})
	}
	kafkatest.Produce(t, training, 0, records...)
	spec := mustRun(t, "init", brokers, training)
	if !strings.Contains(spec, "field: body") {
		t.Errorf("init says\n%s", spec)
	}
	if out := mustRun(t, "labels", brokers, "--wait=0s", "--training-topic="+training, training+"/0/2", "spam"); !strings.HasPrefix(out, "mc is to be spam") {
		t.Errorf("labels says %q", out)
	}
}
