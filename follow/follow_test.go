package follow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bayestream"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/storetest"
)

// Without a topic it is that of the workers.
func TestFollowTheUsualTopic(t *testing.T) {
	usual := config.Default[config.Ingest]().ModelTopic
	if _, err := Open(t.Context(), Config{Brokers: kafkatest.Fake(t).ListenAddrs()}); err == nil || !strings.Contains(err.Error(), usual) {
		t.Errorf("%v, want the name of the topic %s in it", err, usual)
	}
}

func TestFollow(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	topic := kafkatest.Topic(t, 1, nil)
	f, err := Open(ctx, Config{Brokers: kafkatest.Start(t), Topic: topic})
	must(t, err)
	if _, err := f.Classify(bayestream.Document{Text: "goal"}); !errors.Is(err, ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}

	state := fold.New(true)
	sp := spec.Default()
	var offset int64
	appendRecord := func(value []byte, err error) {
		t.Helper()
		must(t, err)
		offset = kafkatest.Produce(t, topic, 0, stream.Record{Value: value})
		record := &stream.Record{Offset: offset, Value: value}
		if _, outcome, err := storetest.FoldRecord(state, record, -1); err != nil || outcome != fold.Accepted && outcome != fold.Respecified {
			t.Fatal(outcome, err)
		}
		state.Settle()
	}
	appendRecord(codec.EncodeSpec(sp, fold.LogID{1}))
	w := storetest.NewWriter(t, sp)
	source := fold.Source{Topic: "training"}
	records := []storetest.Record{{Label: "sport", Text: "goal match", Weight: 1}, {Label: "politics", Text: "vote poll", Weight: 3}}
	for i := range records {
		appendRecord(codec.EncodeDelta(w.Delta(t, state, source, records, int64(i), int64(i+1))))
	}
	must(t, f.Wait(ctx, offset))
	d, err := f.Classify(bayestream.Document{Text: "Match"})
	must(t, err)
	if d.Label != "sport" || d.Offset != offset || d.Documents != 4 {
		t.Errorf("got %+v", d)
	}
	documents, at := f.Counts()
	if at != offset || documents["sport"] != 1 || documents["politics"] != 3 {
		t.Errorf("counted %v at %d", documents, at)
	}
	if behind, age := f.Lag(); behind != 0 || age > time.Minute {
		t.Errorf("lag %d, %s", behind, age)
	}
	must(t, f.Close())
	<-f.Done()
	if _, err := f.Classify(bayestream.Document{Text: "vote"}); err != nil || f.Err() != nil {
		t.Errorf("after Close: %v, %v", err, f.Err())
	}
}

func TestFollowNobody(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, Config{Brokers: []string{"127.0.0.1:1"}}); err == nil {
		t.Error("followed a broker that is not there")
	}
	if _, err := Open(ctx, Config{}); err == nil {
		t.Error("followed without brokers")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
