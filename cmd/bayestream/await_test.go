package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/cli"
)

// learner runs ingest on topics of its own, and returns the flags that name them.
func learner(t *testing.T, spec ...string) (training string, flags []string) {
	t.Helper()
	c := learning(t)
	for _, text := range spec {
		c.Spec = write(t, "spec.yaml", text)
	}
	learn(t, c)
	return c.TrainingTopic, []string{"--brokers=" + strings.Join(c.Kafka.Brokers, ","), "--model-topic=" + c.ModelTopic}
}

// learning returns the settings of an ingest on topics of its own, without HTTP.
func learning(t *testing.T) config.Ingest {
	t.Helper()
	c := config.Default[config.Ingest]()
	c.Kafka.Brokers = kafkatest.Start(t)
	c.TrainingTopic, c.DeadTopic = kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 1, nil)
	c.ModelTopic = kafkatest.Topic(t, 1, map[string]string{"retention.ms": "-1", "retention.bytes": "-1"})
	c.Group, c.State, c.HTTP, c.AllowWeakTopic = c.ModelTopic, filepath.Join(t.TempDir(), "ingest.db"), "", true
	return c
}

// learn runs an ingest until the test ends.
func learn(t *testing.T, c config.Ingest) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- ingest.Run(ctx, c, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestWaitUntilLearned: send and labels wait for what becomes of their records, and say so.
func TestWaitUntilLearned(t *testing.T) {
	training, flags := learner(t)
	send := func(lines string) (s sent, err error) {
		t.Helper()
		out, err := run(t, append([]string{"send", "--wait", "--json", "--topic=" + training, write(t, "a.jsonl", lines)}, flags...)...)
		if wrong := json.Unmarshal([]byte(out), &s); wrong != nil {
			t.Fatal(wrong, out)
		}
		return s, err
	}
	s, err := send(`{"id":"a","text":"no light","label":"power"}` + "\n" + `{"id":"b","text":"no water","label":"water"}` + "\n" + `{"id":"g","text":"no gas","label":"gas"}`)
	if err != nil || *s.Learned != 3 || s.Refused != nil {
		t.Errorf("two records: %+v, %v", s, err)
	}
	s, err = send(`{"id":"c","text":"dark","label":"power"}` + "\n" + `{"id":"none","label":"water"}`)
	if err == nil || wrong(err) || *s.Learned != 1 || s.Refused["unknown_id"] != 1 || !strings.Contains(err.Error(), "not learned: 1 unknown_id") {
		t.Errorf("a relabel of nothing: %+v, %v", s, err)
	}
	other := 1 - stream.Murmur2Partition([]byte("far"), 2)
	kafkatest.Produce(t, training, other, stream.Record{Key: []byte("far"), Value: []byte(`{"id":"far","text":"wet","label":"power"}`)})
	s, err = send(`{"id":"far","label":"water"}`)
	if err != nil || *s.Learned != 0 || s.Forwarded != 1 || s.Refused != nil {
		t.Errorf("a relabel of what another partition has: %+v, %v", s, err)
	}
	for _, c := range []struct{ args, want, why string }{
		{"a water", "a is water now, says ", ""},
		{"far water", "far is water now, says ", ""}, // which ingest forwards
		{"--forget b", "b is forgotten now, says ", ""},
		{"a watre", "", `no document has the label "watre" yet; did you mean "water"? (--new makes it a label)`},
		{"a powr", "", `no document has the label "powr" yet; did you mean "power"?`},
		{"a gsa", "", `no document has the label "gsa" yet; did you mean "gas"?`},
		{"a fire", "", `no document has the label "fire" yet (--new makes it a label)`},
		{"--new a fire", "a is fire now, says ", ""},
		{"none water", "none is to be water, says ", "nothing was learned: unknown_id; no ledger and no decision"},
		{"--forget none", "none is to be forgotten, says ", "nothing was learned: unknown_id"},
	} {
		out, err := run(t, append(append([]string{"labels", "--wait=1m", "--training-topic=" + training}, flags...), strings.Fields(c.args)...)...)
		if !strings.HasPrefix(out, c.want) || (err == nil) != (c.why == "") || err != nil && (wrong(err) || !strings.HasPrefix(err.Error(), c.why)) {
			t.Errorf("labels %s: %q, %v", c.args, out, err)
		}
	}
}

// TestExplainsWaiting: a verb that waits in silence says after some seconds for what.
func TestExplainsWaiting(t *testing.T) {
	brokers, topic, model := kafka(t), kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	lines := write(t, "a.jsonl", `{"id":"a","text":"no light","label":"power"}`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"labels", brokers, "--topic=" + topic, "--model-topic=" + model}, "no decision yet: The topic training does not exist yet. Next: bayestream ingest --create-topics"},
		{[]string{"send", brokers, "--wait", "--topic=" + topic, "--model-topic=" + model, lines}, "not learned yet: 1 record of " + topic + " waits, and "},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		passed := make(chan time.Time, 1)
		passed <- time.Time{}
		said := &watched{sign: "\n", see: cancel}
		p := cli.Process{Args: c.args, LookupEnv: os.LookupEnv, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: said,
			After: func(time.Duration) <-chan time.Time { return passed }}
		_ = toolbox(ctx, p)
		if got := said.text.String(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.args[0], got)
		}
	}
	if _, err := run(t, "send", "--documents", "--wait", lines); !wrong(err) || !strings.Contains(err.Error(), "--wait is for training records") {
		t.Errorf("--documents --wait: %v", err)
	}
}

// TestWaitForAnotherTopic: nothing was learned of a topic that was created again and that ingest has
// not gone on with, however far the one before it was counted.
func TestWaitForAnotherTopic(t *testing.T) {
	training, flags := learner(t)
	lines := write(t, "a.jsonl", `{"id":"a","text":"no light","label":"power"}`)
	send := append([]string{"send", "--wait", "--topic=" + training, lines}, flags...)
	mustRun(t, send...)
	kafkatest.Recreate(t, training, 2)
	ctx, cancel := context.WithCancel(t.Context())
	passed := make(chan time.Time, 1)
	passed <- time.Time{}
	said := &watched{sign: "\n", see: cancel}
	err := toolbox(ctx, cli.Process{Args: send, LookupEnv: os.LookupEnv, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: said,
		After: func(time.Duration) <-chan time.Time { return passed }})
	if got := said.text.String(); err == nil || !strings.HasPrefix(got, "not learned yet: the topic "+training+" was created again") {
		t.Errorf("send --wait: %v, %q", err, got)
	}
	out, err := run(t, append([]string{"labels", "--wait=500ms", "--training-topic=" + training, "--new", "a", "water"}, flags...)...)
	if err == nil || !strings.HasPrefix(out, "a is to be water, says ") || !strings.Contains(err.Error(), "not learned yet") {
		t.Errorf("labels: %q, %v", out, err)
	}
}
