package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/cli"
)

// run runs a verb and returns what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := toolbox(t.Context(), cli.Process{Args: args, LookupEnv: os.LookupEnv, Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard})
	return out.String(), err
}

// wrong reports whether a verb ended with the exit code of wrong input.
func wrong(err error) bool {
	var coded interface{ ExitCode() int }
	return errors.As(err, &coded) && coded.ExitCode() == cli.Wrong
}

// Counts enter a log that is there: copy makes a new one.
func TestImportNeedsTheLog(t *testing.T) {
	brokers, lines, topic := kafka(t), write(t, "a.jsonl", `{"text":"you won a prize","label":"spam"}`), kafkatest.Topic(t, 1, nil)+"-model"
	trained := filepath.Join(t.TempDir(), "trained.db")
	mustRun(t, "train", "--model="+trained, lines)
	args := []string{"import", "--model=" + trained, brokers, "--model-topic=" + topic}
	if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), "bayestream copy "+trained+" topic:"+topic+" creates it") {
		t.Errorf("a topic that is missing: %v", err)
	}
	mustRun(t, "copy", brokers, trained, "topic:"+topic)
	t.Cleanup(func() { kafkatest.DeleteTopic(t, topic) })
	if out := mustRun(t, args...); !strings.HasPrefix(out, "0 of 1 chunks") {
		t.Errorf("import of what is there says %q", out)
	}
	info, err := kafkatest.Dial(t).Topic(t.Context(), topic)
	if err != nil || info.Partitions != 1 || info.Config["retention.ms"] != "-1" || info.Config["cleanup.policy"] != "delete" {
		t.Errorf("the topic has %+v, %v", info, err)
	}
}

// A model trained on files enters a log once; a worker's file is equal to the log, and verify finds
// a count that is not.
func TestModelEntersALog(t *testing.T) {
	brokers, topic := strings.Join(kafkatest.Start(t), ","), kafkatest.Topic(t, 1, nil)
	dir := t.TempDir()
	lines, trained, worker := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "trained.db"), filepath.Join(dir, "worker.db")
	text := `{"text":"you won a prize","label":"spam"}` + "\n" + `{"text":"lunch","label":"ham"}` + "\n"
	filetest.Write(t, lines, text)
	if _, err := run(t, "train", "--model="+trained, lines); err != nil {
		t.Fatal(err)
	}
	for i, want := range []modellog.Imported{{Spec: true, Chunks: 1, New: 1}, {Chunks: 1}} {
		out, err := run(t, "import", "--json", "--model="+trained, "--brokers="+brokers, "--model-topic="+topic)
		var got modellog.Imported
		if err = errors.Join(err, json.Unmarshal([]byte(out), &got)); err != nil {
			t.Fatal(err)
		}
		if got.Source = ""; got != want {
			t.Errorf("import %d: %+v, want %+v", i+1, got, want)
		}
	}

	state := fold.New(true)
	client := kafkatest.Dial(t)
	if err := modellog.Replay(t.Context(), client, topic, state, -1, nil); err != nil {
		t.Fatal(err)
	}
	file, err := store.Open(worker, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Write(store.Collect(state)), file.Close()); err != nil {
		t.Fatal(err)
	}
	verify := []string{"verify", "--model=" + worker, "--brokers=" + brokers, "--model-topic=" + topic}
	if out, err := run(t, verify...); err != nil || !strings.Contains(out, "it equals the first 2 records of the model log "+topic) {
		t.Errorf("verify: %q, %v", out, err)
	}
	if _, err := run(t, "import", "--model="+worker, "--brokers="+brokers, "--model-topic="+topic); !wrong(err) || !strings.Contains(err.Error(), "follows a model log") {
		t.Errorf("import of a file that follows a log: %v", err)
	}
	other := kafkatest.Topic(t, 1, nil)
	var difference *modellog.DifferenceError
	if _, err := run(t, append(verify[:3:3], "--model-topic="+other)...); !errors.As(err, &difference) || wrong(err) {
		t.Errorf("verify against another log: %v", err)
	}
	if _, err := run(t, "train", "--model="+filepath.Join(dir, "pairs.db"), "--ngrams=2", lines); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, "import", "--model="+filepath.Join(dir, "pairs.db"), "--brokers="+brokers, "--model-topic="+topic); !wrong(err) || !strings.Contains(err.Error(), "counts differently") {
		t.Errorf("import of a model that counts otherwise: %v", err)
	}
}
