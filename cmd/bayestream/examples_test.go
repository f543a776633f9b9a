package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/kafkatest"
)

// TestExamples types every example of every help page at a shell, in a folder with the files that
// the examples name. The brokers and the worker that they name are ours; what another company makes
// is a program that swallows its input.
func TestExamples(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	places := writeExampleData(t, data)
	for _, v := range verbs {
		name := v.name
		if name == "ingest" || name == "classify" {
			continue // of the workers, internal/shell/config parses them
		}
		for _, e := range v.outline().Examples {
			line := e.Type
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(data)); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(filepath.Join(dir, "console.token"), 0o600); err != nil { // CopyFS keeps no mode
					t.Fatal(err)
				}
				typeExample(t, dir, places.Replace(line))
			})
		}
	}
}

// typeExample runs a line of shell. A demo that goes on is stopped as its user stops it, and so is
// a console, when it has begun its work.
func typeExample(t *testing.T, dir, line string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", "-c", "set -eo pipefail;  "+line)
	c.Dir, c.WaitDelay = dir, 10*time.Second
	c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
	out := watched{see: func() { _ = c.Process.Signal(os.Interrupt) }}
	switch {
	case strings.HasPrefix(line, "exec bayestream console"):
		out.sign = "http://"
	case strings.HasPrefix(line, "exec bayestream serve"):
		out.sign = "ready"
	case strings.HasPrefix(line, "exec bayestream demo") && !strings.Contains(line, "--once"):
		out.sign = "accuracy"
	}
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Errorf("%v\n%s", err, out.text.String())
	}
}

// watched is the output of a command. It calls see, once, when the sign is in it ("": never).
type watched struct {
	text bytes.Buffer
	sign string
	see  func()
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.text.Write(b)
	if w.sign != "" && strings.Contains(w.text.String(), w.sign) {
		w.sign = ""
		w.see()
	}
	return n, err
}

// writeExampleData writes the files that examples name, and returns what stands for the places that
// they name.
func writeExampleData(t *testing.T, dir string) *strings.Replacer {
	t.Helper()
	var words, rows, pairs, tickets strings.Builder
	rows.WriteString("a,b,label\n")
	tickets.WriteString("body,team\n")
	pairs.WriteString("sepal_length,petal_length,petal_width,label\n")
	for i := range 40 {
		label, text, x := "ham", "lunch on friday", float64(i%7)
		if i%2 == 1 {
			label, text, x = "spam", "you won a prize, call now", 3+float64(i%5)
		}
		fmt.Fprintf(&words, `{"id":"%d","text":"%s %d","label":"%s","numbers":{"length":%d}}`+"\n", i, text, i%3, label, len(text)+i%4)
		fmt.Fprintf(&rows, "%g,%d,%s\n", x, i%6, label)
		fmt.Fprintf(&tickets, "%q,%s\n", text, label)
		fmt.Fprintf(&pairs, "%d,%g,%d,%s\n", i%9, x, i%6, label)
	}
	counts := strings.Join([]string{`{"spec":""}`, `{"class":"ham","documents":2}`, `{"class":"ham","term":"lunch","count":3}`, `{"lines":3}`}, "\n") + "\n"
	for name, text := range map[string]string{
		"sms.jsonl.gz": packed(t, words.String()), "sms_spam.jsonl.gz": packed(t, words.String()), "new.jsonl": words.String(), "new.jsonl.gz": packed(t, words.String()),
		"old.jsonl": words.String(), "tickets.csv": tickets.String(), "cancer.csv": rows.String(), "spambase.csv": rows.String(), "iris.csv": pairs.String(),
		"corpus/ham/1": "Subject: lunch\n\non friday\n", "corpus/spam/2": "Subject: prize\n\nyou won\n", "mail.txt": "You won a prize", "one.eml": "Subject: prize\n\nyou won\n", "wordlist.db": "",
		"monday.counts.gz": packed(t, counts), "tuesday.counts.gz": packed(t, counts),
		"bogoutil": "#!/bin/sh\nprintf '.MSG_COUNT 1 1 20260101\\nprize 1 0 20260101\\n'\n", "clickhouse-client": "#!/bin/sh\ncat > tables.sql\n",
		"iris.yaml": "numbers: [{fields: [sepal_length, petal_length, petal_width], likelihood: qda, reg_param: 0.1}]\n", "petals.yaml": "numbers: [{fields: [petal_length, petal_width]}]\n",
		"shared.yaml": "numbers: [{fields: [a, b], variance: shared}]\n", "lda.yaml": "numbers: [{fields: [a, b], likelihood: lda}]\n",
		"words.yaml": "text: {}\n", "bigrams.yaml": "text: {ngrams: 2}\n", "sms.yaml": "text: {alpha: 0.5}\n", "sharper.yaml": "text: {alpha: 0.01}\n",
		"console.token":  "0123456789abcdef\n",
		"sms.tests.yaml": "tests: [{text: you won, label: spam}, {text: lunch on friday, label: ham}]\n", "ingest.yaml": "spec: sms.yaml\n", "m.yaml": "text: {}\nnumbers: [{fields: [length]}]\n",
	} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"train", "--model=" + dir + "/sms.db", dir + "/sms.jsonl.gz"},
		{"train", "--model=" + dir + "/m.db", "--spec=" + dir + "/m.yaml", dir + "/sms.jsonl.gz"},
		{"train", "--model=" + dir + "/mails.db", "--format=mail", dir + "/corpus"},
		{"copy", dir + "/sms.db", dir + "/backup.db.gz"},
	} {
		if _, err := run(t, args...); err != nil {
			t.Fatal(err)
		}
	}
	broker := strings.Join(kafkatest.Start(t), ",")
	topic := followLog(t, broker, dir)
	renamed := importLog(t, broker, dir)
	undone := importLog(t, broker, dir)
	training, documents, labels, dead := exampleTopics(t)
	empty := kafkatest.Topic(t, 1, nil)
	return strings.NewReplacer(
		"bayestream status http://127.0.0.1:7430", "bayestream status "+servedStatus(t),
		"bayestream status", "bayestream status --brokers="+broker+" --model-topic="+topic+" --training-topic="+empty+" --documents-topic="+empty+" --labels-topic="+empty,
		"http://ingest:7431/v1/snapshot", served(t, dir+"/ingest.db"),
		"http://127.0.0.1:7431/v1/snapshot", served(t, dir+"/sms.db"), "http://127.0.0.1:7432/v1/snapshot", served(t, dir+"/sms.db"),
		"--model-topic=bayestream-model", "--model-topic="+topic,
		"bayestream send", "bayestream send --model-topic="+topic+" --topic="+training+" --brokers="+broker,
		"bayestream train --model=sms.db", "bayestream train --again --model=sms.db",
		"bayestream labels --topic=quarantine,inbox", "bayestream labels --once --topic="+labels+","+labels+" --brokers="+broker,
		"bayestream labels --model=sms.db", "bayestream labels --model=sms.db",
		"bayestream labels --rename", "bayestream labels --model-topic="+renamed+" --brokers="+broker+" --rename",
		"bayestream labels --forget", "bayestream labels --wait=0s --training-topic="+training+" --brokers="+broker+" --forget",
		"bayestream labels m7", "bayestream labels --wait=0s --training-topic="+training+" --brokers="+broker+" m7",
		"bayestream labels documents/0/0", "bayestream labels --wait=0s --training-topic="+training+" --brokers="+broker+" "+documents+"/0/0",
		"bayestream labels", "bayestream labels --once --topic="+labels+" --brokers="+broker,
		"bayestream init --brokers=127.0.0.1:9092 documents", "bayestream init --brokers="+broker+" "+documents,
		"documents/0/0", documents+"/0/0",
		"bayestream dead", "bayestream dead --topic="+dead+" --brokers="+broker,
		"bayestream verify --model=bayestream-ingest.db", "bayestream verify --model-topic="+topic+" --model=ingest.db",
		"--addr=127.0.0.1:7440", "--addr=127.0.0.1:0", "bayestream serve", "exec bayestream serve --addr=127.0.0.1:0",
		"bayestream console", "exec bayestream console --addr=127.0.0.1:0 --model-topic="+topic+" --brokers="+broker,
		"bayestream cutover", "bayestream cutover --model-topic="+topic+" --brokers="+broker,
		// two hours ago it was empty
		"bayestream log --rollback=2h", "bayestream log --model-topic="+undone+" --brokers="+broker+" --rollback=1",
		"bayestream log", "bayestream log --model-topic="+topic+" --brokers="+broker,
		"--until=2h topic:bayestream-model", "--brokers="+broker+" --until=0s topic:"+topic,
		"copy sms.db topic:", "copy --brokers="+broker+" sms.db topic:",
		"--model=sms.db --brokers=127.0.0.1:9092", "--model=sms.db --model-topic="+topic+" --brokers="+broker,
		"--model=bayestream-ingest.db", "--model=bayestream-ingest.db", "127.0.0.1:9092", broker, "bayestream demo", "exec bayestream demo --addr=127.0.0.1:0",
	)
}

// exampleTopics returns topics with a record that failed, a document, its decision, and the dead
// letter of the record.
func exampleTopics(t *testing.T) (training, documents, labels, dead string) {
	t.Helper()
	training, documents, labels, dead = kafkatest.Topic(t, 2, nil), kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, training, 0, stream.Record{Value: []byte(`{"text":"x"}`)})
	kafkatest.Produce(t, documents, 0, stream.Record{Value: []byte(`{"text":"x"}`)})
	kafkatest.Produce(t, labels, 0, decisionRecords(t, wire.EmitEvent)...)
	failed := kafkatest.ReadAll(t, training, 0)[0]
	kafkatest.Produce(t, dead, 0, wire.DeadLetter(&failed, "ingest", wire.Rejectf(wire.NoLabel, "there is none"), 0))
	return training, documents, labels, dead
}

// importLog writes the model of sms.db to a log.
func importLog(t *testing.T, broker, dir string) (topic string) {
	t.Helper()
	topic = kafkatest.Topic(t, 1, nil)
	mustRun(t, "import", "--model="+dir+"/sms.db", "--brokers="+broker, "--model-topic="+topic)
	return topic
}

// followLog writes the model of sms.db to a log, and what a worker makes of that to ingest.db.
func followLog(t *testing.T, broker, dir string) (topic string) {
	t.Helper()
	topic = importLog(t, broker, dir)
	state := fold.New(true)
	if err := modellog.Replay(t.Context(), kafkatest.Dial(t), topic, state, -1, nil); err != nil {
		t.Fatal(err)
	}
	file, err := store.Open(dir+"/ingest.db", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Write(store.Collect(state)), file.Close()); err != nil {
		t.Fatal(err)
	}
	return topic
}

// served returns the address of a worker that serves a snapshot.
func served(t *testing.T, file string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }))
	t.Cleanup(server.Close)
	return server.URL + "/v1/snapshot"
}

// servedStatus returns the address of a console on a pipeline that is well.
func servedStatus(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":{}}`) }))
	t.Cleanup(server.Close)
	return server.URL
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
