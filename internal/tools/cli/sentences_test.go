package cli_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"bayestream/internal/tools/cli"
)

// A warning is one line that a person can read, whatever is in the error.
func TestSentences(t *testing.T) {
	var out bytes.Buffer
	log := cli.Sentences(&out)
	log.Info("not for a person who waits")
	log.Warn("a request to Kafka fails and is retried", slog.String("request", "metadata"), slog.Any("error", errors.New("dial\n\x1b[31m: refused")))
	log.With("topic", "training").WithGroup("g").Error("it failed", "partition", 3)
	log.Warn("no token", "error", errors.New("get https://u:p@h/token"))
	log.Warn("nothing beside it")
	want := "warning: a request to Kafka fails and is retried (request: metadata): dial\\n\\x1b[31m: refused\n" +
		"warning: it failed (topic: training, partition: 3)\nwarning: no token: get https://******@h/token\nwarning: nothing beside it\n"
	if out.String() != want {
		t.Errorf("it writes\n%s\nwant\n%s", out.String(), want)
	}
}

// Two loggers of one handler do not share what they add.
func TestSentencesApart(t *testing.T) {
	var out bytes.Buffer
	base := cli.Sentences(&out).With("a", 1)
	first, second := base.With("b", 2), base.With("c", 3)
	first.Warn("first")
	second.Warn("second")
	if want := "warning: first (a: 1, b: 2)\nwarning: second (a: 1, c: 3)\n"; out.String() != want {
		t.Errorf("it writes\n%s\nwant\n%s", out.String(), want)
	}
}
