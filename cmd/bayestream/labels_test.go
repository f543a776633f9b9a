package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
)

// decisionRecords returns decisions in a mode: one with a label, one without, and a null document.
func decisionRecords(t *testing.T, mode string) []stream.Record {
	t.Helper()
	e, err := wire.NewEmitter(mode, "", wire.Form{})
	if mode == wire.EmitEnrich {
		e, err = wire.NewEnricher(wire.SchemaOf(spec.Default()), "bayestream", wire.Form{})
	}
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.Local)
	first := &model.Decision{
		Label: "spam", Labelled: true, Status: "ok", Classes: []model.ClassScore{{Name: "ham", Posterior: 0.25}, {Name: "spam", Posterior: 0.75}},
		Evidence: []model.Evidence{{Term: "prize", As: []string{"Prizes"}, Weight: 3.25}, {Term: "lunch", Weight: -1}}, ModelInfo: model.ModelInfo{Name: "sms"},
	}
	out := make([]stream.Record, 3)
	in := stream.Record{Topic: "documents", Offset: 4, Time: at, Key: []byte("m7"), Value: []byte(`{"id":"m7","text":"a prize","status":"new"}`)}
	e.Append(nil, &out[0], &in, "m7", first)
	in.Key, in.Value, in.Offset = nil, []byte("{}"), 5
	e.Append(nil, &out[1], &in, "documents/0/5", &model.Decision{Status: "empty", ModelInfo: model.ModelInfo{Name: "sms"}})
	e.Append(nil, &out[2], &in, "", nil)
	return out
}

// TestLabels writes decisions of each mode as JSON Lines.
func TestLabels(t *testing.T) {
	brokers := kafka(t)
	for mode, want := range map[string][]string{
		wire.EmitEvent:       {`{"id":"m7","label":"spam","runner_up":null,"status":"ok",`, `{"id":"documents/0/5","label":null,"runner_up":null,"status":"empty",`},
		wire.EmitEnrich:      {`{"id":"m7","label":"spam","runner_up":null,"status":"ok",`, `{"id":"documents/0/5","label":null,"runner_up":null,"status":"empty",`},
		wire.EmitCloudEvents: {`{"id":"m7","label":"spam","runner_up":null,"status":"ok",`, `{"id":"documents/0/5","label":null,"runner_up":null,"status":"empty",`},
		wire.EmitHeaders: {
			`{"id":"m7","label":"spam","status":"ok","confidence":0.75,"model":"sms@0","source":"documents/0/4","document":{"id":"m7","text":"a prize","status":"new"}}`,
			`{"id":"documents/0/5","label":null,"status":"empty","confidence":null,"model":"sms@0","source":"documents/0/5","document":{}}`,
		},
	} {
		topic := kafkatest.Topic(t, 1, nil)
		kafkatest.Produce(t, topic, 0, decisionRecords(t, mode)...)
		lines := strings.Split(mustRun(t, "labels", brokers, "--topic="+topic, "--from=start", "--once"), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], want[0]) || !strings.HasPrefix(lines[1], want[1]) {
			t.Errorf("%s:\n%s", mode, strings.Join(lines, "\n"))
		}
		if out := mustRun(t, "labels", brokers, "--topic="+topic, "--from=start", "--count=1"); strings.Count(out, "\n") != 1 {
			t.Errorf("%s: --count=1 writes\n%s", mode, out)
		}
		if out := mustRun(t, "labels", brokers, "--topic="+topic, "--once"); out != "" {
			t.Errorf("%s: from the end there is %s", mode, out)
		}
	}
	for args, why := range map[string]string{"--from=soon": "neither start nor end nor a time", "--from=12": "neither start nor end nor a time", "--count=-1": "want 0 or more"} {
		if _, err := run(t, "labels", brokers, args); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("labels %s: %v, want %q", args, err, why)
		}
	}
}

// TestLabelsOfSeveralTopics shows what classify --route divides, and stops all when it has enough.
func TestLabelsOfSeveralTopics(t *testing.T) {
	brokers := kafka(t)
	first, second := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 2, nil)
	kafkatest.Produce(t, first, 0, decisionRecords(t, wire.EmitEvent)...)
	kafkatest.Produce(t, second, 1, decisionRecords(t, wire.EmitHeaders)...)
	topics := "--topic=" + first + "," + second
	if out := mustRun(t, "labels", brokers, topics, "--from=start", "--once"); strings.Count(out, "\n") != 4 || strings.Count(out, `"id":"m7"`) != 3 {
		t.Errorf("both topics:\n%s", out)
	}
	if out := mustRun(t, "labels", brokers, topics, "--from=start", "--count=3"); strings.Count(out, "\n") != 3 {
		t.Errorf("three decisions:\n%s", out)
	}
}

// TestLabelTable fits the table to the terminal: 80 columns, and more.
func TestLabelTable(t *testing.T) {
	for columns, want := range map[int]string{
		80: `TIME      ID             LABEL      POSTERIOR  STATUS  WORDS THAT DECIDED
10:00:00  m7             spam       0.7500     ok      Prizes +3.3  lunch -1.0
10:00:00  documents/0/5  none yet              empty
`,
		120: `TIME      ID                     LABEL            POSTERIOR  STATUS  WORDS THAT DECIDED
10:00:00  m7                     spam             0.7500     ok      Prizes +3.3  lunch -1.0
10:00:00  documents/0/5          none yet                    empty
`,
	} {
		var b strings.Builder
		l := &labelTable{size: func() int { return columns }}
		records := decisionRecords(t, wire.EmitEvent)
		for i := range records[:2] {
			if err := l.show(&b, &records[i], "bayestream"); err != nil {
				t.Fatal(err)
			}
		}
		if b.String() != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, b.String(), want)
		}
		for line := range strings.Lines(b.String()) {
			if n := table.Width(strings.TrimSuffix(line, "\n")); n >= columns {
				t.Errorf("a line has %d columns of %d: %s", n, columns, line)
			}
		}
	}
}

// TestLabelsOnceFromTheEnd: what shows nothing says what would show something.
func TestLabelsOnceFromTheEnd(t *testing.T) {
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, stream.Record{Value: []byte(`{"id":"a","text":"x","label":"y"}`)})
	var said bytes.Buffer
	p := cli.Process{Args: []string{"labels", kafka(t), "--topic=" + topic, "--once"}, LookupEnv: os.LookupEnv, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said}
	if err := toolbox(t.Context(), p); err != nil || !strings.Contains(said.String(), "--from=start") {
		t.Errorf("it says %q, %v", said.String(), err)
	}
}
