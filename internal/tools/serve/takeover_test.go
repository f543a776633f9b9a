package serve

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"
	"bayestream/internal/tools/broker"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/modelfile"
)

// trained writes a model file as train does, with a document of each label.
func trained(t *testing.T, path string, labels ...string) {
	t.Helper()
	state := fold.Offline(spec.Default())
	trainer, err := modelfile.NewTrainer(state, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range labels {
		rec := &dataset.Record{Label: label, Weight: 1}
		rec.Input.Segments = []model.Segment{{Text: []byte("no " + label)}}
		if err := trainer.Learn(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := trainer.Flush(); err != nil {
		t.Fatal(err)
	}
	s := storetest.Open(t, path)
	storetest.Checkpoint(t, s, state)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// failed starts serve, which must refuse to, and returns the error.
func failed(t *testing.T, model string, change func(*Options)) error {
	t.Helper()
	o := optionsOf(model)
	o.Said = func(line string) { t.Errorf("it says %q", line) }
	change(&o)
	err := Run(t.Context(), o)
	if err == nil {
		t.Fatal("it has started")
	}
	return err
}

// TestFirstStartThatFails leaves everything as it was, and the next one takes the counts.
func TestFirstStartThatFails(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	typo := filepath.Join(t.TempDir(), "typo.yaml")
	filetest.Write(t, typo, "text: {felds: [a]}\n")
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
		input  bool
	}{
		"a spec with a typo": {func(o *Options) { o.Spec = typo }, "felds", true},
		"another counting":   {func(o *Options) { o.Preset.Preset = "mail" }, "--preset=mail counts differently", true},
		"a port in use":      {func(o *Options) { o.Kafka = taken.Addr().String() }, "with --kafka", false},
	} {
		t.Run(name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "m.db")
			trained(t, model, "power")
			before := filetest.Read(t, model)
			err := failed(t, model, c.change)
			if !strings.Contains(err.Error(), c.want) || errors.As(err, new(*InputError)) != c.input {
				t.Errorf("it ends with %v, want %q, the fault of the input %v", err, c.want, c.input)
			}
			files, err := filepath.Glob(filepath.Dir(model) + "/*")
			if err != nil || len(files) != 1 || !bytes.Equal(filetest.Read(t, model), before) {
				t.Errorf("it leaves %v, %v", files, err)
			}
			start(t, model).stop()
			if got := classes(t, model); got != "power 1 water 0" {
				t.Errorf("the model has %s", got)
			}
		})
	}
}

// A file that holds no model is refused, and nothing is made beside it.
func TestNoModelFile(t *testing.T) {
	model := filepath.Join(t.TempDir(), "tickets.csv")
	filetest.Write(t, model, "id;text;label\n")
	if err := failed(t, model, func(*Options) {}); !errors.As(err, new(*InputError)) {
		t.Errorf("it ends with %v", err)
	}
	if _, err := os.Stat(model + ".topics"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the topics: %v", err)
	}
}

// TestTakeOverIsFinished: a kill leaves the folder of the topics, with and without the counts.
func TestTakeOverIsFinished(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	trained(t, model, "power")
	if err := os.Mkdir(model+".topics", 0o700); err != nil {
		t.Fatal(err)
	}
	r := start(t, model)
	r.label(`{"id":"T-1","text":"no water","label":"water"}`, "counted")
	r.stop()
	aside, err := filepath.Glob(model + ".before-serve-*")
	if err != nil || len(aside) != 1 {
		t.Fatal(aside, err)
	}
	if err := os.Rename(aside[0], model); err != nil { // it was killed before the file was moved
		t.Fatal(err)
	}
	start(t, model).stop()
	if got := classes(t, model); got != "power 1 water 1" {
		t.Errorf("the model has %s", got)
	}
}

// TestStopWhileCountsAreTaken: who stops a start has handed in nothing wrong.
func TestStopWhileCountsAreTaken(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	trained(t, model, "power")
	b, err := broker.Start(broker.Options{Dir: t.TempDir(), Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := &pipeline{options: optionsOf(model)}
	if p.client, err = stream.Dial(stream.Config{Brokers: b.Addrs, ClientID: "test"}); err != nil {
		t.Fatal(err)
	}
	defer p.client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = p.takeOver(ctx, true)
	if !errors.Is(err, context.Canceled) || errors.As(err, new(*InputError)) || p.hasBegun {
		t.Errorf("it ends with %v, begun: %v", err, p.hasBegun)
	}
}

// TestAnotherModelBesideTopics: the counts of another file are neither added nor moved away.
func TestAnotherModelBesideTopics(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	r := start(t, model)
	r.label(`{"id":"T-1","text":"no water","label":"water"}`, "counted")
	r.stop()
	if err := os.Remove(model); err != nil {
		t.Fatal(err)
	}
	trained(t, model, "power")
	before := filetest.Read(t, model)
	err := failed(t, model, func(*Options) {})
	if !errors.As(err, new(*InputError)) || !strings.Contains(err.Error(), "another model") {
		t.Errorf("it ends with %v", err)
	}
	if !bytes.Equal(filetest.Read(t, model), before) {
		t.Error("the file has changed")
	}
}
