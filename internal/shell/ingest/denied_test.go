package ingest

import (
	"fmt"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// TestDeniedRef: a ref into a topic that the brokers do not let ingest read refuses its record. Any
// other topic that they refuse stops the partition.
func TestDeniedRef(t *testing.T) {
	b := newBatch(t, "", mapView{})
	o := b.open(at(10, `{"id":"x","label":"b","ref":{"topic":"texts","partition":0,"offset":7}}`))
	if o.isDenied(fmt.Errorf("read again: %w", &stream.RightError{Operation: "Read", Resource: "Topic", Name: "t"})) {
		t.Error("the training topic is refused like that of a ref")
	}
	if o.isDenied(fmt.Errorf("read again: %w", stream.ErrRetriable)) {
		t.Error("trouble with the brokers refuses a record")
	}
	if !o.isDenied(fmt.Errorf("read again: %w", &stream.RightError{Operation: "Read", Resource: "Topic", Name: "texts"})) {
		t.Fatal("the record is not refused")
	}
	if _, err := b.add(o, nil); err != nil || len(b.dead) != 1 || b.skipped[0].Reason != string(wire.RefDenied) {
		t.Errorf("%v, %d dead letters, skipped %v", err, len(b.dead), b.skipped)
	}
}
