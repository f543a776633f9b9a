package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// TestWhatANameTaught lists what a teacher taught, and has it forgotten: what a person has said
// since stays.
func TestWhatANameTaught(t *testing.T) {
	training, flags := learner(t)
	send := func(lines string) {
		t.Helper()
		mustRun(t, append([]string{"send", "--wait", "--topic=" + training, write(t, "a.jsonl", lines)}, flags...)...)
	}
	send(`{"id":"old","text":"no gas","label":"gas","by":"llm"}`)
	send(`{"id":"a","text":"no light","label":"power","by":"llm"}
{"id":"b","text":"no water","label":"power","by":"llm"}
{"id":"c","text":"dark","label":"power","by":"anna"}
{"text":"rain","label":"water","by":"llm"}`)
	send(`{"id":"b","label":"water"}`)
	by := append([]string{"log", "--by=llm", "--json"}, flags...)
	var all []string
	from := int64(0)
	for line := range strings.Lines(mustRun(t, by...)) {
		var x struct {
			modellog.Taught
			Source string `json:"source"`
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil || !strings.HasPrefix(x.Source, training+"/") {
			t.Fatal(err, line)
		}
		all = append(all, x.ID+"="+x.Label)
		if x.ID == "old" {
			from = x.Offset + 1
		}
	}
	if got := len(all); got != 4 || all[0] != "old=gas" {
		t.Errorf("llm taught %q, want old, a, b and one without an id", all)
	}
	if out := mustRun(t, append([]string{"log", "--by=llm"}, flags...)...); !strings.Contains(out, "(no id) is water\n") || strings.Contains(out, "dark") {
		t.Errorf("the list is\n%s", out)
	}
	rollback := append([]string{"log", "--by=llm", fmt.Sprint("--rollback=", from), "--json"}, flags...)
	unteach := func(want untaught, more ...string) bool {
		t.Helper()
		var got untaught
		if err := json.Unmarshal([]byte(mustRun(t, append(rollback, more...)...)), &got); err != nil {
			t.Fatal(err)
		}
		return reflect.DeepEqual(got, want)
	}
	if want := (untaught{By: "llm", Taught: 3, Forgets: 1, Since: 1, NoID: 1, DryRun: true}); !unteach(want, "--dry-run") {
		t.Errorf("the dry run does not say %+v", want)
	}
	if want := (untaught{By: "llm", Taught: 3, Forgets: 1, Since: 1, NoID: 1}); !unteach(want) {
		t.Errorf("the rollback does not say %+v", want)
	}
	forgotten := untaught{By: "llm", Taught: 3, Since: 1, NoID: 1, Dropped: 1}
	for range 200 {
		if unteach(forgotten) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the document a is not forgotten")
}

// firsts are the first offsets of topics with one partition.
type firsts map[string]int64

func (f firsts) Offsets(_ context.Context, topic string, _ int) (first, end int64, err error) {
	if first, ok := f[topic]; ok {
		return first, 100, nil
	}
	return 0, 0, stream.ErrUnknownTopic
}

// TestWhatCannotBeForgotten counts the labels whose texts are gone, and those that are not in the
// ledger.
func TestWhatCannotBeForgotten(t *testing.T) {
	s := storetest.Learned(t, modeltest.Spec(t, ""), []storetest.Record{{ID: "a", Label: "x", Weight: 1}, {ID: "b", Label: "x", Weight: 1}})
	source := s.Sources()[0]
	var taught []modellog.Taught
	for i, id := range []string{"a", "b", "c"} {
		taught = append(taught, modellog.Taught{Source: source, Record: int64(i), ID: id, Label: "x"})
	}
	for name, c := range map[string]struct {
		topics firsts
		want   untaught
	}{
		"all are there":       {firsts{source.Topic: 0}, untaught{Forgets: 2, Dropped: 1}},
		"one text is deleted": {firsts{source.Topic: 1}, untaught{Forgets: 1, TextGone: 1, Dropped: 1}},
		"the topic is":        {firsts{}, untaught{TextGone: 2, Dropped: 1}},
	} {
		var out untaught
		if err := out.plan(t.Context(), c.topics, s, taught); err != nil {
			t.Fatal(err)
		}
		if n := len(out.records[source]); n != c.want.Forgets {
			t.Errorf("%s: %d records forget, want %d", name, n, c.want.Forgets)
		}
		for _, rec := range out.records[source] {
			rec.Topic, rec.Partition = source.Topic, int(source.Partition)
			if at, isSaid := wire.FirstOffset(&rec); !isSaid || taught[at].ID != string(rec.Key) {
				t.Errorf("%s: the forget of %s acts at offset %d", name, rec.Key, at)
			}
		}
		if out.records = nil; !reflect.DeepEqual(out, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, out, c.want)
		}
	}
}
