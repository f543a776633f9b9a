package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/bench/labelled"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/demo"
	"bayestream/internal/tools/demo/news"
	"bayestream/internal/tools/lab/dataset"
)

// write makes a file of n news items.
func write(t *testing.T, n int) string {
	t.Helper()
	g := news.New(7)
	var out []byte
	for range n {
		x := g.Next()
		out = append(labelled.AppendTraining(out, x.ID, x.Label, x.Text), '\n')
	}
	path := filepath.Join(t.TempDir(), "news.jsonl")
	filetest.Write(t, path, out)
	return path
}

// texts opens a file as the demo reads it.
func texts(t *testing.T, path string) dataset.Reader {
	t.Helper()
	s := modeltest.Spec(t, "")
	reader, err := dataset.Open(dataset.Options{Spec: s}, nil, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	return reader
}

// Once through, every record is learned and labelled, and the last line says so.
func TestOnce(t *testing.T) {
	const records = 350
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	o := demo.Options{Data: texts(t, write(t, records)), Bad: &dataset.OnBad{}, Spec: spec.Default(), Addr: "127.0.0.1:0", State: t.TempDir(), Once: true}
	if err := demo.Run(ctx, o, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	var s demo.Summary
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	if s.Learned != records || s.Labelled != records || s.DeadLetters != 0 || s.State != o.State {
		t.Errorf("got %+v, want %d learned and labelled", s, records)
	}
	if s.Accuracy < 0.4 || s.Accuracy != float64(s.Correct)/records {
		t.Errorf("got %d right, accuracy %v: the stream was not learned from", s.Correct, s.Accuracy)
	}
}

// The dead letters of the records that were learned last count, too.
func TestDeadLettersOfTheLastBlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "three.jsonl")
	var lines []byte
	for _, label := range []string{"a", "b", "c"} {
		lines = append(labelled.AppendTraining(lines, label, label, "a text"), '\n')
	}
	filetest.Write(t, path, lines)
	file := filepath.Join(t.TempDir(), "two.yaml")
	filetest.Write(t, file, "limits: {classes: 2}")
	var stdout bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	o := demo.Options{Data: texts(t, path), Bad: &dataset.OnBad{}, Spec: spec.Default(), SpecFile: file, Addr: "127.0.0.1:0", State: t.TempDir(), Once: true}
	if err := demo.Run(ctx, o, &stdout, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	var got demo.Summary
	if err := json.Unmarshal([]byte(all[len(all)-1]), &got); err != nil || got.Learned != 2 || got.DeadLetters != 1 {
		t.Errorf("%v: %s, want 2 learned and a dead letter", err, stdout.String())
	}
}

// A record that cannot be used ends the demo with the place of the record.
func TestBadData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.jsonl")
	filetest.Write(t, path, "{\"text\":\"a\",\"label\":\"b\"}\n{\"text\":\"a\",\"label\":1}\n")
	err := demo.Run(context.Background(), demo.Options{Data: texts(t, path), Bad: &dataset.OnBad{}, Spec: spec.Default(), Addr: "127.0.0.1:0", State: t.TempDir(), Once: true}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "bad.jsonl:2") {
		t.Fatalf("got %v, want an error that names bad.jsonl:2", err)
	}
}

// Of a file that is sorted by class the demo says so, and shuffled it learns from it.
func TestSortedFile(t *testing.T) {
	s := news.New(7)
	var classes [2][]byte
	for range 400 {
		x := s.Next()
		class := &classes[0]
		if x.Label == "sports" {
			class = &classes[1]
		}
		*class = append(labelled.AppendTraining(*class, x.ID, x.Label, x.Text), '\n')
	}
	path := filepath.Join(t.TempDir(), "sorted.jsonl")
	filetest.Write(t, path, append(classes[0], classes[1]...))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	run := func(shuffle uint64) (s demo.Summary, notes string) {
		var stdout, stderr bytes.Buffer
		o := demo.Options{Data: texts(t, path), Bad: &dataset.OnBad{}, Spec: spec.Default(), Addr: "127.0.0.1:0", State: t.TempDir(), Once: true, Shuffle: shuffle}
		if err := demo.Run(ctx, o, &stdout, &stderr); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
			t.Fatalf("%v: %s", err, stdout.String())
		}
		return s, stderr.String()
	}
	const warning = "the documents come class after class: the label changes once"
	if s, notes := run(0); s.Learned != 400 || !strings.Contains(notes, warning) {
		t.Errorf("sorted: %d learned, and it says\n%s", s.Learned, notes)
	}
	if s, notes := run(1); s.Learned != 400 || s.Accuracy < 0.5 || strings.Contains(notes, "class after class") {
		t.Errorf("shuffled: %d learned, accuracy %v, and it says\n%s", s.Learned, s.Accuracy, notes)
	}
}

// What an earlier demo skipped is not counted again.
func TestAnotherDemo(t *testing.T) {
	state := t.TempDir()
	file := filepath.Join(state, "two.yaml")
	filetest.Write(t, file, "limits: {classes: 2}")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for i, want := range []demo.Summary{{Learned: 2, DeadLetters: 1}, {Learned: 2, LearnedBefore: 2}} {
		path := filepath.Join(t.TempDir(), "three.jsonl")
		var lines []byte
		for _, label := range []string{"a", "b", "c"}[:3-i] {
			lines = append(labelled.AppendTraining(lines, inOnePartition(strconv.Itoa(i)+label), label, "a text"), '\n')
		}
		filetest.Write(t, path, lines)
		var stdout bytes.Buffer
		o := demo.Options{Data: texts(t, path), Bad: &dataset.OnBad{}, Spec: spec.Default(), SpecFile: file, Addr: "127.0.0.1:0", State: state, Once: true}
		if err := demo.Run(ctx, o, &stdout, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		var got demo.Summary
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || got.Learned != want.Learned || got.DeadLetters != want.DeadLetters || got.LearnedBefore != want.LearnedBefore {
			t.Errorf("demo %d: %v: %s, want %+v", i, err, stdout.String(), want)
		}
	}
}

// inOnePartition returns an id that begins so and gives its record the partition 0 of the demo's
// four. Records of several partitions have no order: any of the three classes could be the one too
// many.
func inOnePartition(prefix string) string {
	for i := 0; ; i++ {
		id := prefix + strconv.Itoa(i)
		if stream.Murmur2Partition([]byte(id), 4) == 0 {
			return id
		}
	}
}
