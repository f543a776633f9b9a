package worker

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// The first dead letter of a reason is logged at once, with the place of its record and nothing of
// what it held; the others as a number. After a time without any, the next one is a first one
// again.
func TestDeadLettersAreLogged(t *testing.T) {
	var log bytes.Buffer
	w := &Worker{notices: notices{log: slog.New(slog.NewTextHandler(&log, nil))}}
	dead := func(reason wire.Reason, offset int64) {
		rec := &stream.Record{Topic: "training", Partition: 3, Offset: offset, Value: []byte("secret")}
		letter := wire.DeadLetter(rec, "ingest", wire.Rejectf(reason, "%q", "secret"), 0)
		w.NoteDeadLetter(&letter)
	}
	logged := func(want ...string) {
		t.Helper()
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		log.Reset()
		if len(lines) != len(want) {
			t.Fatalf("got %q, want %q", lines, want)
		}
		for i, line := range lines {
			if !strings.HasSuffix(line, want[i]) || strings.Contains(line, "secret") {
				t.Errorf("got %q, want %q", line, want[i])
			}
		}
	}
	const sentence = `level=WARN msg="a record went to the dead-letter topic" `
	for offset := range int64(5) {
		dead(wire.NotJSON, offset)
	}
	dead(wire.NoText, 7)
	logged(sentence+"reason=not_json topic=training partition=3 offset=0", sentence+"reason=no_text topic=training partition=3 offset=7")
	w.notices.flush()
	logged(sentence + "reason=not_json more=4")
	dead(wire.NotJSON, 8)
	dead(wire.NoText, 9)
	logged(sentence + "reason=no_text topic=training partition=3 offset=9")
	w.notices.flush()
	logged(sentence + "reason=not_json more=1")
	w.notices.flush()
	dead(wire.NotJSON, 10)
	logged(sentence + "reason=not_json topic=training partition=3 offset=10")
}

// A field that no record had is logged once, and stands among the checks of /readyz without making
// the worker unready; when a record has it, it is gone from there.
func TestFieldsThatNoRecordHad(t *testing.T) {
	var log bytes.Buffer
	w := &Worker{log: slog.New(slog.NewTextHandler(&log, nil)), Client: &stream.Client{}, Replica: modellog.New(nil, "model", fold.New(false), modellog.Observer{}, slog.Default())}
	known := map[string]bool{}
	for i, c := range []struct{ unread, logs []string }{{nil, nil}, {[]string{"amount", "text"}, []string{"field=amount", "field=text"}}, {[]string{"text"}, nil}} {
		w.noteUnread(c.unread, known)
		if got := strings.Count(log.String(), "\n"); got != len(c.logs) {
			t.Errorf("step %d: %d lines are logged, want %d:\n%s", i, got, len(c.logs), log.String())
		}
		for _, want := range c.logs {
			if !strings.Contains(log.String(), `level=WARN msg="no record so far had a field that the spec reads: `) || !strings.Contains(log.String(), want) {
				t.Errorf("step %d: want %s in\n%s", i, want, log.String())
			}
		}
		log.Reset()
		var got []string
		for _, check := range w.ready().Checks {
			if field, ok := strings.CutPrefix(check.Name, "field "); ok && check.OK && check.Detail == unreadField {
				got = append(got, field)
			}
		}
		if !slices.Equal(got, c.unread) {
			t.Errorf("step %d: /readyz warns of %q, want %q", i, got, c.unread)
		}
	}
}
