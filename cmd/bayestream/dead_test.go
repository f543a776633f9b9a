package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// TestDead lists dead letters, shows one and sends them again: each once, and none whose key came
// again.
func TestDead(t *testing.T) {
	brokers, training, dead := kafka(t), kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 1, nil)
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	bury := func(offset int64, err error, headers ...stream.Header) {
		t.Helper()
		rec := kafkatest.ReadAll(t, training, 1)[offset]
		rec.Headers = append(rec.Headers, headers...)
		letter := wire.DeadLetter(&rec, "ingest", err, 0)
		letter.Partition = 0
		kafkatest.Produce(t, dead, 0, letter)
	}
	mine := stream.Header{Key: "mine", Value: []byte("1")}
	kafkatest.Produce(t, training, 1,
		stream.Record{Time: at, Key: []byte("a"), Value: []byte(`{"id":"a","text":"x"}`), Headers: []stream.Header{mine}},
		stream.Record{Time: at, Key: []byte("b"), Value: []byte(`{"id":"b","text":"x"}`)},
		stream.Record{Time: at, Value: []byte("no\x1b[2J object")},
		stream.Record{Time: at, Key: []byte("b"), Value: []byte(`{"id":"b","label":"ham","text":"x"}`)})
	bury(0, wire.Rejectf(wire.NoLabel, `field "label" is missing`))
	bury(1, wire.Rejectf(wire.NoLabel, `field "label" is missing`))
	bury(2, wire.Rejectf(wire.NotJSON, "it is not"))
	dial := []string{"dead", brokers, "--topic=" + dead}
	out := mustRun(t, dial...)
	for i, want := range []string{"RECORDS  REASON", "2        no_label          ingest", "1        not_json          ingest"} {
		if lines := strings.Split(out, "\n"); !strings.HasPrefix(lines[i], want) {
			t.Errorf("the list is\n%s\nwant in line %d: %s", out, i+1, want)
		}
	}
	if out := mustRun(t, append(dial, "--reason=no_label")...); strings.Count(out, "\n") != 2 || !strings.Contains(out, "     0/0  "+training+"/1/0  no label: field \"label\" is missing\n") {
		t.Errorf("one reason:\n%s", out)
	}
	if out := mustRun(t, append(dial, "--show=0/2")...); !strings.Contains(out, "reason   not_json\n") || strings.Contains(out, "\x1b") {
		t.Errorf("one letter: %q", out)
	}
	again := func(args ...string) (said deadAgain) {
		t.Helper()
		out := mustRun(t, append(append(dial, "--send-again", "--json"), args...)...)
		if err := json.Unmarshal([]byte(out), &said); err != nil {
			t.Fatal(err)
		}
		return said
	}
	openOnes := func(want string) {
		t.Helper()
		if out := mustRun(t, append(dial, "--open", "--reason=no_label")...); out != want {
			t.Errorf("open: %q, want %q", out, want)
		}
	}
	openOnes("     0/0  " + training + "/1/0  no label: field \"label\" is missing\n")
	if said := again("--reason=no_label", "--dry-run"); said != (deadAgain{Sent: 1, Superseded: 1}) {
		t.Errorf("a dry run: %+v", said)
	}
	if said := again("--reason=no_label"); said != (deadAgain{Sent: 1, Superseded: 1}) {
		t.Errorf("the first time: %+v", said)
	}
	if said := again("--reason=no_label"); said != (deadAgain{SentBefore: 1, Superseded: 1}) {
		t.Errorf("the second time: %+v", said)
	}
	openOnes("")
	if out := mustRun(t, append(dial, "--open")...); !strings.Contains(out, "1        not_json") || strings.Contains(out, "no_label") {
		t.Errorf("open, by reason:\n%s", out)
	}
	got := kafkatest.ReadAll(t, training, 1)
	sent := got[len(got)-1]
	if len(got) != 5 || string(sent.Key) != "a" || string(sent.Value) != `{"id":"a","text":"x"}` || len(sent.Headers) != 2 ||
		sent.Headers[0].Key != "mine" || sent.Headers[1].Key != wire.FirstPlace || string(sent.Headers[1].Value) != training+"/1/0" {
		t.Errorf("%d records, the last %+v", len(got), sent)
	}
	bury(4, wire.Rejectf(wire.NoLabel, "once more")) // it keeps its first place
	if said := again("--at=0/3"); said != (deadAgain{Sent: 1}) {
		t.Errorf("what failed again: %+v", said)
	}
	got = kafkatest.ReadAll(t, training, 1)
	if sent := got[len(got)-1]; len(sent.Headers) != 2 || string(sent.Headers[1].Value) != training+"/1/0" {
		t.Errorf("what was sent twice has the headers %+v", sent.Headers)
	}
}

// TestDeadRefuses names what is wrong with the flags.
func TestDeadRefuses(t *testing.T) {
	brokers, dead := kafka(t), kafkatest.Topic(t, 1, nil)
	if out := mustRun(t, "dead", brokers, "--topic="+dead); out != dead+" holds no dead letters\n" {
		t.Errorf("an empty topic: %q", out)
	}
	kafkatest.Produce(t, dead, 0, stream.Record{Value: []byte("x")})
	for args, why := range map[string]string{
		"--send-again": "needs --reason or --at", "--dry-run": "only with --send-again", "--show=0/0 --reason=x": "goes with no other choice", "--open --send-again --at=0/0": "leaves out what is not open", "--from=end": "nothing behind the end",
		"--show=1": "want PARTITION/OFFSET", "--show=0/7": "has no record at 0/7", "--show=3/0": "has no record at 3/0", "--show=0/0": "is no dead letter",
	} {
		if _, err := run(t, append([]string{"dead", brokers, "--topic=" + dead}, strings.Fields(args)...)...); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("dead %s: %v, want %q", args, err, why)
		}
	}
}
