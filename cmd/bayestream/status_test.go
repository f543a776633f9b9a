package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/status"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// pipelineIn returns a pipeline that learned 10,003 documents and has nothing to do.
func pipelineIn(change func(*status.Status)) *status.Status {
	none, labelled := new(int64), int64(3080)
	s := &status.Status{
		Topics: []status.Topic{
			{Role: "training", Name: "training", Partitions: 4, Records: 10_003, Waiting: none, Recent: 400},
			{Role: "documents", Name: "documents", Partitions: 4, Records: 3080, Waiting: none, Recent: 400},
			{Role: "model", Name: "bayestream-model", Partitions: 1, Records: 57},
			{Role: "dead letters", Name: "bayestream-dead-letters", Partitions: 1},
			{Role: "labels", Name: "labels", Partitions: 4, Records: 3120},
		},
		Learned: new(int64(10_003)), Classes: new(77), Labelled: &labelled,
		Workers: []status.Worker{
			{Name: "127.0.0.1:7431", Role: "ingest", Up: true, Ready: true},
			{Name: "127.0.0.1:7432", Role: "classify", Up: true, Ready: true},
		},
	}
	change(s)
	s.Judge()
	return s
}

func wait(t *status.Topic, n int64) { t.Waiting = &n }

// TestStatusPages: each state says the next step, on one screen.
func TestStatusPages(t *testing.T) {
	letters := status.Letters{Total: 12_000, Read: 10_003, Reasons: []status.Letter{{Reason: "no_label", Stage: "ingest", Records: 10_000,
		Message: `no label: field "Queue" is missing; the record has "Ticket ID", "Message", "Team"`}, {Reason: "not_json", Stage: "classify", Records: 3, Message: "not JSON"},
		{Reason: "a", Stage: "ingest", Records: 2}, {Reason: "b", Stage: "ingest", Records: 1}}}
	var out strings.Builder
	for _, c := range []struct {
		name   string
		isWell bool
		change func(s *status.Status)
	}{
		{"all is well", true, func(*status.Status) {}},
		{"nothing exists yet", false, func(s *status.Status) {
			*s = status.Status{Topics: []status.Topic{{Role: "training", Name: "training"}, {Role: "model", Name: "bayestream-model"}}, Workers: []status.Worker{{Name: "127.0.0.1:7431", Role: "ingest"}}}
		}},
		{"nothing was sent", false, func(s *status.Status) {
			s.Topics[0].Records, s.Topics[1].Records, *s.Learned, *s.Classes, *s.Labelled = 0, 0, 0, 0, 0
		}},
		{"no document was sent", true, func(s *status.Status) { s.Topics[1].Records, *s.Labelled = 0, 0 }},
		{"every record is a dead letter", false, func(s *status.Status) {
			s.Topics[0].Refused, *s.Learned, *s.Classes, s.Letters = 400, 0, 0, letters
		}},
		{"some are dead letters", true, func(s *status.Status) { s.Topics[0].Refused, s.Letters = 200, letters }},
		{"ingest does not run", false, func(s *status.Status) { wait(&s.Topics[0], 500); s.Workers[0].Up = false }},
		{"ingest stands still", false, func(s *status.Status) {
			still := true
			wait(&s.Topics[0], 500)
			s.Topics[0].Still = &still
		}},
		{"classify does not run", false, func(s *status.Status) { wait(&s.Topics[1], 1200); s.Workers = s.Workers[:1] }},
		{"both run and have work", true, func(s *status.Status) { wait(&s.Topics[0], 500); wait(&s.Topics[1], 1200) }},
		{"a worker that was named does not answer", false, func(s *status.Status) {
			s.Workers[1] = status.Worker{Name: "kafka-2:7432", Named: true, Detail: "connection refused"}
		}},
		{"a worker is not ready", false, func(s *status.Status) {
			s.Workers[1].Ready, s.Workers[1].Detail = false, "partition 3: the labels topic has fewer partitions"
		}},
		{"a message of long words", false, func(s *status.Status) {
			s.Topics[0].Refused, s.Letters = 400, status.Letters{Total: 400, Read: 400, Reasons: []status.Letter{{Reason: "no_label", Stage: "ingest",
				Records: 400, Message: "field " + strings.Repeat("abcdefghi,", 20) + strings.Repeat("長い", 30) + strings.Repeat("\x1b", 30) + " is no label"}}}
		}},
		{"replicas differ", false, func(s *status.Status) { s.Agree = new(bool) }},
		{"a drift", true, func(s *status.Status) {
			s.Drifts, s.Drifted = 2, time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
		}},
		{"a right is missing", false, func(s *status.Status) {
			s.Topics[4].Trouble = `describe topic "labels": the brokers do not allow Describe, which Read and Write include, on Topic "labels" to this user: add an ACL`
		}},
		{"no right at all", false, func(s *status.Status) {
			for i := range s.Topics {
				s.Topics[i].Trouble = fmt.Sprintf("describe topic %q: the brokers do not allow Describe, which Read and Write include, on Topic %q to this user: add an ACL", s.Topics[i].Name, s.Topics[i].Name)
			}
			s.Learned, s.Classes, s.Labelled, s.Topics[0].Waiting, s.Topics[1].Waiting = nil, nil, nil, nil, nil
		}},
		{"the log was cut and nobody says what was counted", false, func(s *status.Status) {
			s.Learned, s.Classes, s.Topics[0].Waiting, s.Workers = nil, nil, nil, nil
		}},
		{"the training topic was deleted", false, func(s *status.Status) {
			s.Topics[0] = status.Topic{Role: "training", Name: "training", Deleted: true}
		}},
		{"the model topic was deleted", false, func(s *status.Status) {
			s.Topics[2] = status.Topic{Role: "model", Name: "bayestream-model", Deleted: true}
		}},
		{"the brokers are away", false, func(s *status.Status) { *s = status.Status{Away: "127.0.0.1:9092: connection refused"} }},
		{"much of everything", false, func(s *status.Status) {
			s.Letters, s.Topics[0].Refused, s.Drifts = letters, 300, 1
			for i := range 9 {
				s.Topics = append(s.Topics, status.Topic{Role: "labels", Name: strings.Repeat("a long name of a topic ", 3), Partitions: 4})
				s.Workers = append(s.Workers, status.Worker{Name: fmt.Sprint("host", i), Named: true, Detail: strings.Repeat("why not ", 9)})
			}
		}},
	} {
		s := pipelineIn(c.change)
		if s.IsWell() != c.isWell {
			t.Errorf("%s: well is %v", c.name, s.IsWell())
		}
		var page bytes.Buffer
		if err := writeStatus(&page, s); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(page.String(), "\n"), "\n")
		if len(lines) > 25 {
			t.Errorf("%s: %d lines", c.name, len(lines))
		}
		for _, line := range lines {
			if len([]rune(line)) > 80 {
				t.Errorf("%s: a line is too wide: %s", c.name, line)
			}
		}
		fmt.Fprintf(&out, "== %s\n%s\n", c.name, page.String())
	}
	if *update {
		filetest.Write(t, "testdata/status.txt", out.String())
	} else if want := string(filetest.Read(t, "testdata/status.txt")); out.String() != want {
		t.Errorf("the pages are\n%s\n-update writes them", out.String())
	}
}

// TestStatus looks at topics: what waits behind the last decision, and which of the last records
// became dead letters.
func TestStatus(t *testing.T) {
	brokers, training, documents, labels, dead := kafka(t), kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 1, nil)
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(map[string]string{"/readyz": `{"ready":true,"checks":[]}`, "/version": `{"role":"classify"}`}[r.URL.Path]))
	}))
	t.Cleanup(worker.Close)
	ask := func() (s status.Status, err error) {
		t.Helper()
		out, err := run(t, "status", "--json", brokers, "--model-topic="+training+"-none", "--training-topic="+training, "--documents-topic="+documents,
			"--labels-topic="+labels, "--dead-letter-topic="+dead, "--workers="+worker.URL)
		if wrong := json.Unmarshal([]byte(out), &s); wrong != nil {
			t.Fatal(wrong, out)
		}
		return s, err
	}
	document := stream.Record{Value: []byte(`{"text":"x"}`)}
	kafkatest.Produce(t, documents, 0, document, document, document)
	kafkatest.Produce(t, documents, 1, document, document)
	kafkatest.Produce(t, labels, 0, stream.Record{Value: []byte(`{}`), Headers: []stream.Header{{Key: "bayestream-source", Value: []byte(documents + "/0/0")}}})
	rec := kafkatest.ReadAll(t, documents, 1)[0]
	letter := wire.DeadLetter(&rec, "classify", wire.Rejectf(wire.NoText, "no text"), 0)
	letter.Partition = 0
	kafkatest.Produce(t, dead, 0, letter)
	s, err := ask()
	if err == nil || wrong(err) || len(s.Findings) == 0 || s.Findings[0].Part != "start" {
		t.Errorf("no model log: %v, %+v", err, s.Findings)
	}
	if d := s.Topics[1]; *d.Waiting != 3 || d.Recent != 2 || d.Refused != 1 || d.Still != nil || *s.Labelled != 1 {
		t.Errorf("documents: %+v, %d wait, %d labelled", d, *d.Waiting, *s.Labelled)
	}
	if l := s.Letters; l.Total != 1 || len(l.Reasons) != 1 || l.Reasons[0].At != "0/0" || l.Reasons[0].Text != `{"text":"x"}` {
		t.Errorf("dead letters: %+v", l)
	}
	if w := s.Workers; len(w) != 1 || !w[0].Ready || w[0].Role != "classify" {
		t.Errorf("workers: %+v", w)
	}
}

// TestStatusOfAConsole asks a console, and says which address is wrong. Nobody there is wrong usage.
func TestStatusOfAConsole(t *testing.T) {
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
	t.Cleanup(server.Close)
	for says, want := range map[string]string{
		`{"status":null}`: "it has not looked yet", "<html>": "it is nothing of Bayestream",
		`{"status":{"findings":[{"level":"warn","part":"x","says":"Look.","next":"there"}]}}`: "something needs a person", `{"status":{"findings":[]}}`: "",
	} {
		answer = says
		if out, err := run(t, "status", server.URL+"/"); want == "" && (err != nil || !strings.Contains(out, "Nothing needs a person.")) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want) || wrong(err) == (want == "something needs a person")) {
			t.Errorf("%s: %v\n%s", says, err, out)
		}
	}
	answer = `{"status":{"findings":[]}}`
	if out, err := run(t, "status", strings.TrimPrefix(server.URL, "http://")); err != nil {
		t.Errorf("an address without http://: %v\n%s", err, out)
	}
	if out, err := run(t, "status", "--brokers=127.0.0.1:1"); !wrong(err) || !strings.Contains(out, "Next: start Kafka") {
		t.Errorf("nobody there: %v\n%s", err, out)
	}
	for args, why := range map[string]string{"nosuch": "the address: ", "--labels-topic=": "--labels-topic is empty", "--dead-letter-topic=": "--dead-letter-topic is empty", "--workers=x": "--workers: ", "--workers=me:secret@x:1": "--workers: "} {
		if _, err := run(t, "status", args); !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("status %s: %v, want %q", args, err, why)
		}
	}
}

// TestStatusOfWhatWasDeleted: where the model log cannot be folded, a worker says what was learned, or
// nobody does. A topic that was counted and is gone was deleted.
func TestStatusOfWhatWasDeleted(t *testing.T) {
	c := learning(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	worker := listener.Addr().String()
	c.HTTP, c.Listener = worker, listener
	learn(t, c)
	brokers, log := "--brokers="+strings.Join(c.Kafka.Brokers, ","), "--model-topic="+c.ModelTopic
	lines := `{"id":"a","text":"no light","label":"power"}` + "\n" + `{"id":"b","text":"no water","label":"water"}` + "\n"
	if _, err := run(t, "send", "--wait", brokers, log, "--topic="+c.TrainingTopic, write(t, "a.jsonl", lines)); err != nil {
		t.Fatal(err)
	}
	want := func(worker string, learned int64, waiting *int64, finding string) {
		t.Helper()
		out, err := run(t, "status", "--json", brokers, log, "--training-topic="+c.TrainingTopic, "--documents-topic=none",
			"--dead-letter-topic="+c.DeadTopic, "--workers="+worker)
		var s status.Status
		if wrong := json.Unmarshal([]byte(out), &s); wrong != nil {
			t.Fatal(wrong, out)
		}
		says := func(f status.Finding) bool { return strings.Contains(f.Says, finding) }
		if in, _ := s.Waiting(); (in == nil) != (waiting == nil) || in != nil && *in != *waiting ||
			(s.Learned == nil) != (learned < 0) || learned >= 0 && *s.Learned != learned {
			t.Errorf("want %d learned and %v waiting: %s", learned, waiting, out)
		}
		if finding != "" && (err == nil || !slices.ContainsFunc(s.Findings, says)) {
			t.Errorf("want %q: %v, %+v", finding, err, s.Findings)
		}
	}
	want(worker, 2, new(int64), "")
	client := kafkatest.Dial(t)
	_, end, err := client.Offsets(t.Context(), c.ModelTopic, 0)
	if err != nil {
		t.Fatal(err)
	}
	kafkatest.DeleteRecords(t, c.ModelTopic, 0, end)
	want(worker, 2, new(int64), "")
	want("127.0.0.1:1", -1, nil, "It is not known whether records of "+c.TrainingTopic+" wait")
	kafkatest.DeleteTopic(t, c.TrainingTopic)
	want(worker, 2, nil, "The topic "+c.TrainingTopic+" was deleted")
	kafkatest.DeleteTopic(t, c.ModelTopic)
	want(worker, 2, nil, "The topic "+c.ModelTopic+" was deleted")
}

// TestStatusWithoutRights: what may not be read is not known, and all topics get the advice.
func TestStatusWithoutRights(t *testing.T) {
	topics := []string{"training", "documents", "bayestream-model", "bayestream-dead-letters", "labels"}
	var see []kfake.ACL
	for _, topic := range topics {
		see = append(see, kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: topic, Pattern: kmsg.ACLResourcePatternTypeLiteral,
			Operation: kmsg.ACLOperationDescribe, Allow: true}, kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: topic,
			Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: kmsg.ACLOperationDescribeConfigs, Allow: true})
	}
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, topics...), kfake.EnableSASL(), kfake.EnableACLs(),
		kfake.Superuser("PLAIN", "all", "pa55word"), kfake.User("PLAIN", "none", "pa55word"), kfake.User("PLAIN", "sees", "pa55word", see...))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs(), SASL: stream.SASL{Mechanism: "plain", Username: "all", Password: "pa55word"}})
	for _, topic := range topics {
		if _, err := client.Produce(t.Context(), topic, 0, []stream.Record{{Value: []byte("{}")}}); err != nil {
			t.Fatal(err)
		}
	}
	for user, refused := range map[string][]string{"none": topics, "sees": {"bayestream-model", "bayestream-dead-letters", "labels"}} {
		password := write(t, "password", "pa55word")
		t.Setenv("BAYESTREAM_CLUSTERS", write(t, "clusters.yaml", fmt.Sprintf("mine: {brokers: [%q], sasl: plain, sasl-user: %s, sasl-password-file: %q}\n",
			cluster.ListenAddrs()[0], user, password)))
		out, err := run(t, "status", "--json", "--cluster=mine", "--workers=127.0.0.1:1")
		var s status.Status
		if wrong := json.Unmarshal([]byte(out), &s); wrong != nil {
			t.Fatal(wrong, err, out)
		}
		if s.Learned != nil || s.Labelled != nil || s.Topics[1].Waiting != nil || s.IsWell() {
			t.Errorf("%s: %s", user, out)
		}
		for _, topic := range refused {
			if !strings.Contains(s.Findings[0].Says, topic) {
				t.Errorf("%s: %s has no advice: %+v", user, topic, s.Findings)
			}
		}
	}
}
