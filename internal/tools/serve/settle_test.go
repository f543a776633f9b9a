package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/broker"
)

// TestServeBehindAKill: a kill leaves the transaction of a decision open, or ended without the offset
// of the group. Each document has one decision all the same, and those that follow are seen.
func TestServeBehindAKill(t *testing.T) {
	for name, cut := range map[string]struct{ commits, losesOffset bool }{
		"open":               {},
		"without the offset": {true, true},
		"ended":              {commits: true},
	} {
		t.Run(name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "m.db")
			r := start(t, model)
			r.ask("POST", "/v1/classify", `{"id":"q1","text":"dark"}`, nil)
			r.wantDecided(0)
			r.stop()
			kafka := filepath.Join(model+".topics", "kafka")
			image := killed(t, kafka, cut.commits, cut.losesOffset)
			if err := os.RemoveAll(kafka); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(kafka, os.DirFS(image)); err != nil {
				t.Fatal(err)
			}
			r = start(t, model)
			r.ask("POST", "/v1/classify", `{"id":"q3","text":"light"}`, nil)
			r.wantDecided(0, 1, 2)
			r.stop()
		})
	}
}

// killed returns a copy of the folder of a broker as a kill leaves it: while a transaction with the
// decision of another document is open, or behind its end.
func killed(t *testing.T, dir string, commits, losesOffset bool) (image string) {
	t.Helper()
	b, err := broker.Start(broker.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	client, err := stream.Dial(stream.Config{Brokers: b.Addrs})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := t.Context()
	document := stream.Record{Key: []byte("q2"), Value: []byte(`{"id":"q2","text":"wet"}`)}
	if _, err := client.Produce(ctx, documents, 0, []stream.Record{document}); err != nil {
		t.Fatal(err)
	}
	producer, _, err := client.TakeOver(ctx, stream.Alone(config.Default[config.Classify]().Group, documents, 0))
	if err != nil {
		t.Fatal(err)
	}
	decision := stream.Record{Key: []byte("q2"), Value: []byte(`{"id":"q2"}`),
		Headers: []stream.Header{{Key: "bayestream-source", Value: []byte("documents/0/1")}}}
	if err := producer.Produce(ctx, labels, 0, []stream.Record{decision}); err != nil {
		t.Fatal(err)
	}
	offsets := filepath.Join(dir, "groups.log")
	before, err := os.ReadFile(offsets)
	if err == nil && commits {
		err = producer.Commit(ctx, 2)
	}
	image = t.TempDir()
	if err == nil {
		err = os.CopyFS(image, os.DirFS(dir))
	}
	if err == nil && losesOffset {
		err = os.WriteFile(filepath.Join(image, "groups.log"), before, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// wantDecided waits until readers of committed records see decisions of as many documents, and
// compares their offsets.
func (r *running) wantDecided(want ...int64) {
	r.t.Helper()
	address, _ := strings.CutPrefix(r.said[len(r.said)-2], "kafka    ")
	client, err := stream.Dial(stream.Config{Brokers: []string{address}})
	if err != nil {
		r.t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	var got []int64
	err = client.EachOf(ctx, stream.Tail{Topic: labels, From: []int64{0}}, func(rec *stream.Record) error {
		_, source := wire.ReadSource(rec)
		got = append(got, source.Offset)
		if len(got) == len(want) {
			return stream.ErrStop
		}
		return nil
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		r.t.Errorf("the decisions that are seen are of the documents %v, want %v: %v", got, want, err)
	}
}
