package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestCorrect corrects and forgets by id and by place. The record has the document's id as its key.
func TestCorrect(t *testing.T) {
	brokers, training, documents := kafka(t), kafkatest.Topic(t, 3, nil), kafkatest.Topic(t, 2, nil)
	kafkatest.Produce(t, documents, 1, stream.Record{Value: []byte(`{"id":"d1","text":"x"}`)}, stream.Record{Value: []byte(`{"text":"x"}`)})
	for _, c := range []struct {
		args []string
		said string
	}{
		{[]string{"m7", "ham"}, "m7 is to be ham, says "},
		{[]string{"--forget", "m8"}, "m8 is to be forgotten, says "},
		{[]string{documents + "/1/0", "spam"}, "d1 is to be spam, says "},
		{[]string{documents + "/1/1", "spam"}, documents + "/1/1 is to be spam, says "},
		{[]string{documents + "/1/9", "--forget"}, documents + "/1/9 is to be forgotten, says "},
		{[]string{"a/b/c", "it's \"7\""}, `a/b/c is to be it's "7", says `},
	} {
		if out := mustRun(t, append([]string{"labels", brokers, "--wait=0s", "--training-topic=" + training}, c.args...)...); !strings.HasPrefix(out, c.said+training+"/") {
			t.Errorf("labels %q says %q", c.args, out)
		}
	}
	want := []string{
		`m7 {"id":"m7","label":"ham"}`, `m8 {"id":"m8","label":null}`,
		`d1 {"id":"d1","label":"spam","ref":{"offset":0,"partition":1,"topic":"` + documents + `"}}`,
		documents + `/1/1 {"id":"` + documents + `/1/1","label":"spam","ref":{"offset":1,"partition":1,"topic":"` + documents + `"}}`,
		documents + `/1/9 {"id":"` + documents + `/1/9","label":null}`, `a/b/c {"id":"a/b/c","label":"it's \"7\""}`,
	}
	slices.Sort(want)
	if got := values(inTopic(t, training, 3)); !slices.Equal(got, want) {
		t.Errorf("the topic holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for args, why := range map[string]string{
		"m7": "the label is missing", "--forget": "which document?", "--once m7 ham": "are for following", "--why=x m7 ham": "only with --rename",
		"--rename m7": "wants two names", "--rename --model=m.db a b": "give one of them",
		"--forget m7 ham": "leave one of them out", documents + "/1/9 ham": "holds no record", documents + "/7/0 ham": "no such partition",
	} {
		if _, err := run(t, append([]string{"labels", brokers, "--wait=0s", "--training-topic=" + training}, strings.Fields(args)...)...); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("labels %s: %v, want %q", args, err, why)
		}
	}
}

// TestCorrectWhole corrects where the whole value of a record is its document: by its id, in the
// partition that has learned it, and by the place of a decision.
func TestCorrectWhole(t *testing.T) {
	const mail = "Subject: offer\r\n\r\nyou won a prize\r\n"
	for format, text := range map[string]string{"mail": mail, "text": "you won a prize"} {
		training, flags := learner(t, "format: "+format)
		documents := kafkatest.Topic(t, 1, nil)
		labelled := func(key, label string) stream.Record {
			return stream.Record{Key: []byte(key), Value: []byte(text), Headers: []stream.Header{{Key: "label", Value: []byte(label)}}}
		}
		other := 1 - stream.Murmur2Partition([]byte("far"), 2)
		kafkatest.Produce(t, training, other, labelled("far", "spam"))
		kafkatest.Produce(t, documents, 0, stream.Record{Key: []byte("new"), Value: []byte(text)})
		for log := append([]string{"log"}, flags...); !strings.Contains(mustRun(t, log...), "spam +1"); {
			time.Sleep(10 * time.Millisecond)
		}
		for _, c := range []struct{ args, want, why string }{
			{"--new far ham", "far is ham now, says " + training, ""},
			{"--new " + documents + "/0/0 spam", "new is spam now, says ", ""},
			{"new ham", "new is ham now, says ", ""},
			{"none ham", "", `no ledger has the document "none": name the source`},
			{documents + "/0/9 ham", "", "does not hold the record"},
			{"--forget new", "new is forgotten now, says ", ""},
		} {
			out, err := run(t, append(append([]string{"labels", "--wait=1m", "--training-topic=" + training}, flags...), strings.Fields(c.args)...)...)
			if !strings.HasPrefix(out, c.want) || (err == nil) != (c.why == "") || err != nil && (!wrong(err) || !strings.Contains(err.Error(), c.why)) {
				t.Errorf("%s: labels %s: %q, %v", format, c.args, out, err)
			}
		}
		for p := range 2 {
			for _, r := range kafkatest.ReadAll(t, training, p) {
				if string(r.Key) == "far" && p != other {
					t.Errorf("%s: partition %d has the document as another one", format, p)
				}
			}
		}
	}
}
