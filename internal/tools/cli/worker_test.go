package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
)

// lines decodes a log.
func lines(t *testing.T, log *bytes.Buffer) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		out = append(out, fields)
	}
	return out
}

// quiet puts the default logger back, which a Worker sets.
func quiet(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
}

func TestWorkerHandsOverWhatItRead(t *testing.T) {
	quiet(t)
	var got config.Classify
	program := Worker("classify", func(_ context.Context, c config.Classify, log *slog.Logger) error {
		got = c
		slog.Warn("of a library")
		log.Debug("at work")
		return nil
	})
	p, stdout, stderr := process("--group=mine", "--log=debug")
	p.LookupEnv = func(name string) (string, bool) {
		value, set := map[string]string{"BAYESTREAM_SASL": "plain", "BAYESTREAM_SASL_USER": "u", "BAYESTREAM_SASL_PASSWORD": "hunter2"}[name]
		return value, set
	}
	if err := program(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got.Group != "mine" || got.LabelsTopic != "labels" || got.Kafka.Password.Reveal() != "hunter2" {
		t.Errorf("got %+v", got)
	}
	log := lines(t, stderr)
	if len(log) != 4 || log[0]["msg"] != "classify starts" || log[1]["msg"] != "of a library" || log[2]["msg"] != "at work" || log[3]["msg"] != "classify ended" {
		t.Fatalf("the log is\n%s", stderr)
	}
	settings, _ := log[0]["config"].(map[string]any)
	if settings["group"] != "mine" || settings["sasl-password"] != "******" || log[0]["version"] == nil {
		t.Errorf("the first line is %v", log[0])
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output has %q", stdout)
	}
}

func TestWorkerStartsNothingWithWrongSettings(t *testing.T) {
	program := Worker("ingest", func(context.Context, config.Ingest, *slog.Logger) error {
		t.Error("the worker runs")
		return nil
	})
	for _, arg := range []string{"--drain=x", "--help", "--version"} {
		p, _, stderr := process(arg)
		err := program(t.Context(), p)
		var usage *config.UsageError
		var answer config.Answer
		if !errors.As(err, &usage) && !errors.As(err, &answer) {
			t.Errorf("%s: got %v", arg, err)
		}
		if stderr.Len() > 0 {
			t.Errorf("%s: logged %s", arg, stderr)
		}
	}
}

func TestWorkerThatFailsSaysSoOnce(t *testing.T) {
	quiet(t)
	broken := errors.New("the model topic is gone")
	program := Worker("ingest", func(context.Context, config.Ingest, *slog.Logger) error { return broken })
	p, _, stderr := process()
	err := program(t.Context(), p)
	if !errors.Is(err, broken) || finish(p, "ingest", err) != Failed {
		t.Errorf("got %v", err)
	}
	log := lines(t, stderr)
	if last := log[len(log)-1]; last["level"] != "ERROR" || last["error"] != broken.Error() || strings.Count(stderr.String(), broken.Error()) != 1 {
		t.Errorf("the log is\n%s", stderr)
	}
}

func TestWorkerThatIsStoppedIsDone(t *testing.T) {
	quiet(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	program := Worker("ingest", func(ctx context.Context, _ config.Ingest, _ *slog.Logger) error {
		cancel(errors.New("enough"))
		<-ctx.Done()
		return fmt.Errorf("fetch: %w", ctx.Err())
	})
	p, _, stderr := process()
	if err := program(ctx, p); err != nil {
		t.Errorf("got %v", err)
	}
	log := lines(t, stderr)
	if len(log) != 3 || log[1]["cause"] != "enough" || log[2]["msg"] != "ingest ended" {
		t.Errorf("the log is\n%s", stderr)
	}
}

// A log line holds no character that a terminal obeys, and its values are what was logged.
func TestLogIsEscaped(t *testing.T) {
	var out bytes.Buffer
	const topic = "a\nb\x1b[2J\u202e\u009b\U000e0041"
	logger(&out, slog.LevelInfo).Info("refused", "topic", topic, "error", errors.New(topic))
	if got := out.String(); strings.Count(got, "\n") != 1 || escape.Text(strings.TrimSuffix(got, "\n")) != strings.TrimSuffix(got, "\n") {
		t.Errorf("the line is %q", got)
	}
	if got := lines(t, &out)[0]; got["topic"] != topic || got["error"] != topic {
		t.Errorf("got %q", got)
	}
	out.Reset()
	slog.New(slog.NewTextHandler(&out, nil)).Info("refused", "topic", topic, "error", errors.New(topic))
	if got := out.String(); strings.Count(got, "\n") != 1 || escape.Text(strings.TrimSuffix(got, "\n")) != strings.TrimSuffix(got, "\n") {
		t.Errorf("as text the line is %q", got)
	}
}
