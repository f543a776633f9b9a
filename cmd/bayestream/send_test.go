package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// write writes a file into a folder of the test and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// kafka returns the flag that names the brokers, with a model topic of its own that does not exist.
func kafka(t *testing.T) string {
	t.Helper()
	return "--brokers=" + strings.Join(kafkatest.Start(t), ",")
}

// inTopic returns the records of a topic, and fails if one with a key is in another partition than
// Kafka's own.
func inTopic(t *testing.T, topic string, partitions int) []stream.Record {
	t.Helper()
	var all []stream.Record
	for p := range partitions {
		for _, r := range kafkatest.ReadAll(t, topic, p) {
			if want := stream.Murmur2Partition(r.Key, partitions); r.Key != nil && want != p {
				t.Errorf("key %s is in partition %d, want %d", r.Key, p, want)
			}
			all = append(all, r)
		}
	}
	return all
}

// values returns the values of records, sorted.
func values(records []stream.Record) []string {
	var out []string
	for _, r := range records {
		out = append(out, string(r.Key)+" "+string(r.Value))
	}
	slices.Sort(out)
	return out
}

// TestSend sends each kind of file, and compares what is in the topic.
func TestSend(t *testing.T) {
	brokers := kafka(t)
	logged, _ := logOfTwo(t)
	iris := write(t, "iris.yaml", "numbers: [{fields: [petal]}]\ncategories: [{field: site}]\n")
	apart := write(t, "apart.yaml", "text: {fields: [subject, body], apart: true}\n")
	places := write(t, "places.yaml", "records: {label: {field: team}, id: {field: key}, weight: {field: copies}}\n")
	nested := write(t, "nested.yaml", "text: {field: payload.body}\n")
	for name, c := range map[string]struct {
		file, text string
		args       []string
		want       []string
	}{
		"JSON Lines as they are": {
			"a.jsonl", `{"id":"a","text":"you won","label":"spam","more":[1]}` + "\n" + `{"id":7,"label":null}` + "\n" + `{"id":"b","label":"ham","ref":{"topic":"documents","partition":0,"offset":4}}`,
			nil, []string{`7 {"id":7,"label":null}`, `a {"id":"a","text":"you won","label":"spam","more":[1]}`, `b {"id":"b","label":"ham","ref":{"topic":"documents","partition":0,"offset":4}}`},
		},
		"labels alone": {
			"a.jsonl", `{"id":"a","label":"ham"}` + "\n" + `{"id":7,"label":null}` + "\n" + `{"id":"b","body":"x","label":"ham","weight":2}`,
			[]string{"--text-field=body"}, []string{`7 {"id":7,"label":null}`, `a {"id":"a","label":"ham"}`, `b {"id":"b","label":"ham","text":"x","weight":2}`},
		},
		"documents": {"d.jsonl", `{"id":"d","text":"you won"}` + "\n" + `{"text":"none"}`, []string{"--documents"}, []string{` {"text":"none"}`, `d {"id":"d","text":"you won"}`}},
		"CSV": {
			"t.csv", "id,body,team\n1,\"a, <b>\",net\n,no id,db\n", []string{"--text-field=body", "--label-field=team"},
			[]string{` {"label":"db","text":"no id"}`, `1 {"id":"1","label":"net","text":"a, <b>"}`},
		},
		"CSV of labels alone": {
			"t.csv", "Ticket;Queue\n1;net\n2;db\n", []string{"--id-field=Ticket", "--label-field=Queue"},
			[]string{`1 {"id":"1","label":"net"}`, `2 {"id":"2","label":"db"}`},
		},
		"CSV of documents, all columns": {
			"t.csv", "id,text,label,paid by,none\n1,hello,x,Ann,\n", []string{"--documents"},
			[]string{`1 {"id":"1","label":"x","paid by":"Ann","text":"hello"}`},
		},
		"CSV without a category": {
			"i.csv", "id,petal,label\nx,-0.25,setosa\n", []string{"--spec=" + iris},
			[]string{`x {"id":"x","label":"setosa","numbers":{"petal":-0.25}}`},
		},
		"numbers": {"i.csv", "id,petal,site,label\nx,-0.25,FR,setosa\ny,,DE,virginica\n", []string{"--spec=" + iris}, []string{
			`x {"categories":{"site":"FR"},"id":"x","label":"setosa","numbers":{"petal":-0.25}}`, `y {"categories":{"site":"DE"},"id":"y","label":"virginica"}`,
		}},
		"a path":    {"p.txt", "hello\n", []string{"--spec=" + nested, "--label=ham"}, []string{` {"label":"ham","payload":{"body":"hello"}}`}},
		"two texts": {"t.csv", "subject,body,label\nhi,lunch?,ham\n", []string{"--spec=" + apart}, []string{` {"body":"lunch?","label":"ham","subject":"hi"}`}},
		"other places": {
			"o.jsonl", `{"key":"o","text":"x","team":"ham","copies":3}` + "\n" + `{"id":"p","text":"y","label":null,"team":"spam"}`,
			[]string{"--spec=" + places}, []string{` {"id":"p","text":"y","label":null,"team":"spam"}`, `o {"key":"o","text":"x","team":"ham","copies":3}`},
		},
		"to other places": {
			"o.jsonl", `{"id":"o","text":"x","label":7}`, []string{"--spec=" + places, "--label-field=label", "--id-field=id", "--label-type=any"},
			[]string{`o {"key":"o","team":"7","text":"x"}`},
		},
		"a label for all":       {"l.jsonl", `{"id":"l","text":"x"}`, []string{"--label=ham"}, []string{`l {"id":"l","label":"ham","text":"x"}`}},
		"before there is a log": {"s.jsonl", `{"id":"s","text":"x","label":"ham"}`, []string{"--model-topic=none"}, []string{`s {"id":"s","text":"x","label":"ham"}`}},
	} {
		topic := kafkatest.Topic(t, 3, nil)
		args := append([]string{"send", brokers, logged[1], "--topic=" + topic, "--json"}, c.args...)
		out, err := run(t, append(args, write(t, c.file, c.text))...)
		var said sent
		if err = errors.Join(err, json.Unmarshal([]byte(out), &said)); err != nil || said.Records != int64(len(c.want)) || said.Topic != topic {
			t.Errorf("%s: %s, %v", name, out, err)
		}
		if got := values(inTopic(t, topic, 3)); !slices.Equal(got, c.want) {
			t.Errorf("%s: the topic holds\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestSendMails sends mails as they are, with the label in a header.
func TestSendMails(t *testing.T) {
	brokers, topic := kafka(t), kafkatest.Topic(t, 1, nil)
	mails, folder := write(t, "mail.yaml", "format: mail\nrecords: {label: {header: class}}\n"), filepath.Dir(filepath.Dir(write(t, "spam/1.eml", "Subject: prize\n\nyou won\n")))
	args := []string{"send", brokers, "--topic=" + topic, "--spec=" + mails, folder}
	if out := mustRun(t, args...); out != "1 record sent to "+topic+"/0/0\n" {
		t.Errorf("it says %q", out)
	}
	got := inTopic(t, topic, 1)
	if len(got) != 1 || string(got[0].Value) != "Subject: prize\n\nyou won\n" || len(got[0].Headers) != 1 || got[0].Headers[0].Key != "class" || string(got[0].Headers[0].Value) != "spam" {
		t.Errorf("the topic holds %+v", got)
	}
}

// TestSendRefuses sends nothing of what the workers could not use, and names its place.
func TestSendRefuses(t *testing.T) {
	brokers, topic := kafka(t), kafkatest.Topic(t, 1, nil)
	logged, _ := logOfTwo(t)
	for name, c := range map[string]struct {
		file, text, why string
		args            []string
	}{
		"no label":       {"a.jsonl", `{"text":"x"}`, "a.jsonl:1: no label", nil},
		"a mail":         {"a.eml", "Subject: x\n\ny\n", "a spec with format: mail", []string{"--label=spam"}},
		"both":           {"a.jsonl", `{"text":"x"}`, "sends records without a label", []string{"--documents", "--label=x"}},
		"a missing file": {"a.jsonl", "", "does not exist", []string{"nowhere.jsonl"}},
	} {
		_, err := run(t, append([]string{"send", brokers, logged[1], "--topic=" + topic, write(t, c.file, c.text)}, c.args...)...)
		if !wrong(err) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
	if got := inTopic(t, topic, 1); len(got) > 0 {
		t.Errorf("it sent %d records", len(got))
	}
	bad := write(t, "bad.jsonl", `{"text":"x"}`+"\n"+`{"id":"ok","text":"x","label":"ham"}`)
	if out := mustRun(t, "send", brokers, logged[1], "--topic="+topic, "--on-bad=skip", "--json", bad); !strings.Contains(out, `"records":1,"skipped":1,"partitions":[{"partition":0,"records":1,"first":0,"last":0}]`) {
		t.Errorf("with --on-bad=skip: %s", out)
	}
}

// A field that is looked for by the paths of a later spec is found: the spec in force counts, not
// the first of the log.
func TestSendReadsByTheSpecInForce(t *testing.T) {
	brokers, topic, log := kafka(t), kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	for _, text := range []string{"text: {}\n", "text: {}\nfrom: {training: {text: [body]}}\n"} {
		s, err := spec.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		value, err := codec.EncodeSpec(s, modellog.NewID())
		if err != nil {
			t.Fatal(err)
		}
		kafkatest.Produce(t, log, 0, stream.Record{Value: value})
	}
	mustRun(t, "send", brokers, "--model-topic="+log, "--topic="+topic, write(t, "a.jsonl", `{"id":"a","body":"you won","label":"spam"}`))
	if got := values(inTopic(t, topic, 1)); !slices.Equal(got, []string{`a {"id":"a","body":"you won","label":"spam"}`}) {
		t.Errorf("the topic holds %q", got)
	}
	if _, err := run(t, "send", brokers, "--model-topic="+topic, "--topic="+topic, write(t, "a.jsonl", "{}")); err == nil {
		t.Error("a topic that is no model log has a spec")
	}
}

// A label without a document goes to the topic as it is: where its fields are not those of the
// spec, ingest could not read it.
func TestSendOfLabelsElsewhere(t *testing.T) {
	brokers, topic := kafka(t), kafkatest.Topic(t, 1, nil)
	places := write(t, "places.yaml", "records: {label: {field: team}}\n")
	file := write(t, "a.jsonl", `{"id":"a","label":null}`)
	_, err := run(t, "send", brokers, "--topic="+topic, "--spec="+places, "--label-field=label", file)
	if !wrong(err) || !strings.Contains(err.Error(), "the fields that the spec names in records") || len(inTopic(t, topic, 1)) != 0 {
		t.Errorf("got %v", err)
	}
}
