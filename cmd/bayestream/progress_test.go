package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
)

// Every verb that may take long says how far it is.
func TestLongVerbsShowProgress(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"a.jsonl":  `{"text":"you won a prize","label":"spam"}` + "\n" + strings.Repeat(`{"text":"lunch","label":"ham"}`+"\n", 4),
		"n.csv":    "x,label\n1,a\n2,a\n3,a\n5,b\n6,b\n8,b\n2,a\n7,b\n4,a\n6,b\n",
		"n.yaml":   "numbers: [{fields: [x]}]\n",
		"m/x/1":    "lunch",
		"m/y/2":    "prize",
		"big.json": "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, name, text)
	}
	brokers, topic := strings.Join(kafkatest.Start(t), ","), kafkatest.Topic(t, 1, nil)
	for _, c := range []struct {
		verb string
		want string
	}{
		{"train --model=m.db a.jsonl", "a.jsonl 100% [====================] (166/166 B"},
		{"train --model=folder.db m", "2 100% [====================] (10/10 B"},
		{"predict --model=m.db a.jsonl", "a.jsonl 100% [====================] (166/166 B"},
		{"eval --cv=2 a.jsonl", "testing, part 2 of 2 100% [====================] (5/5"},
		{"eval --train=a.jsonl --test=a.jsonl", "testing 100% [====================] (5/5"},
		{"eval --loo a.jsonl", "testing 100% [====================] (5/5"},
		{"eval --prequential a.jsonl", "testing 100% [====================] (5/5"},
		{"eval --grid=text.alpha=1,2,3 --cv=2 a.jsonl", "points of the grid 100% [====================] (4/4"},
		{"compare --spec=n.yaml --rounds=2 --points=1 n.csv", "learning curves 100% [====================] (2/2"},
		{"eval --cv=2 --html=p.html a.jsonl", "testing, part 2 of 2 100% [====================] (5/5"},
		{"export --model=m.db", "writing counts 100% [====================] (13/13"},
		{"export --model=m.db --format=sklearn", "writing counts 100% [====================] (13/13"},
		{"export --model=m.db --format=clickhouse", "writing counts 100% [====================] (13/13"},
		{"copy m.db m.db.gz", "packing 100% [====================]"},
		{"copy m.db.gz r.db", "copying m.db.gz 100% [====================]"},
		{"import --model=m.db --brokers=" + brokers + " --model-topic=" + topic, "appending to the log 100% [====================] (1/1"},
	} {
		var shown, out bytes.Buffer
		line := progress.New(&shown, func() int { return 200 }, 0)
		err := toolbox(progress.With(t.Context(), line), cli.Process{Args: strings.Fields(c.verb), LookupEnv: os.LookupEnv, Stdout: &out, Stderr: &out})
		line.Close()
		if err != nil {
			t.Errorf("%s: %v", c.verb, err)
			continue
		}
		text := strings.Join(strings.Fields(shown.String()), " ")
		if !strings.Contains(text, c.want) {
			t.Errorf("%s shows %q, want %q", c.verb, text, c.want)
		}
	}
	out, err := run(t, "export", "--model=m.db")
	if err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, "big.json", out)
	var shown bytes.Buffer
	line := progress.New(&shown, func() int { return 200 }, 0)
	err = toolbox(progress.With(t.Context(), line), cli.Process{Args: []string{"import", "--model=i.db", "big.json"}, LookupEnv: os.LookupEnv, Stdout: &bytes.Buffer{}})
	line.Close()
	if err != nil || !strings.Contains(shown.String(), "big.json ") || !strings.Contains(shown.String(), "100%") {
		t.Errorf("import shows %q, %v", shown.String(), err)
	}
}
