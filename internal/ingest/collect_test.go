package ingest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"bayestream/internal/config"
	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
	"bayestream/internal/worker"
)

// slow is a broker on a busy machine.
type slow struct{ text []byte }

func (s slow) Read(_ context.Context, topic string, partition int32, offset int64) (*stream.Record, error) {
	time.Sleep(20 * time.Millisecond)
	return &stream.Record{Topic: topic, Partition: int(partition), Offset: offset, Value: s.text}, nil
}

// TestDeltaIsClosedInTime counts a backlog of documents that replace others, whose texts take long to read
// again: what is counted in a second goes into a delta, instead of nothing until all of it is.
func TestDeltaIsClosedInTime(t *testing.T) {
	s := spec.Default()
	decoder, err := wire.NewDecoder(worker.Schema(config.Worker{IDField: "id"}, s, "label", ""))
	if err != nil {
		t.Fatal(err)
	}
	extract, err := model.NewExtractor(s)
	if err != nil {
		t.Fatal(err)
	}
	old := []byte(`{"id":"x","label":"a","text":"old words"}`)
	b := &batch{
		decoder: decoder, extract: extract, builder: model.NewBuilder(s), texts: slow{old}, admitted: model.NewAdmission(s),
		source: fold.Source{Topic: "t"},
		ledger: func(string) (fold.Learned, bool) {
			return fold.Learned{Label: "a", Weight: 1, Topic: "t", Sum: sum(old)}, true
		},
		classes:  func(string) (bool, int) { return true, 2 },
		onScored: func(string, *model.Features) {},
	}
	b.begin(0)
	var records []stream.Record
	for i := range 1000 {
		records = append(records, stream.Record{Topic: "t", Offset: int64(i), Value: fmt.Appendf(nil, `{"id":"d%d","label":"b","text":"new words"}`, i)})
	}
	p := &partition{ingester: &ingester{config: config.Ingest{MaxRecords: len(records)}}, batch: b}
	begun := time.Now()
	n, err := p.collect(t.Context(), records)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); n < 2 || n >= len(records)/2 || took > 5*time.Second {
		t.Errorf("%d of %d records were taken into the delta in %v, want those of about a second", n, len(records), took)
	}
	if b.learned != n || b.end != int64(n) {
		t.Errorf("the delta holds %d records up to offset %d, want %d", b.learned, b.end, n)
	}
}
