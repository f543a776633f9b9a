package config

import (
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

func TestFileProblems(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // FILE stands for the file's name
	}{
		{"unknown key", "group: a\nnonsense: 1\n", []string{`FILE:2: unknown key "nonsense": the keys are the names of the settings`}},
		{"misspelt key", "trainin-topic: a\n", []string{`FILE:1: unknown key "trainin-topic"; did you mean "training-topic"?`}},
		{"key of the other worker", "\ndocuments-topic: a\n", []string{`FILE:2: unknown key "documents-topic": it is a setting of classify, which needs its own file`}},
		{"underscores", "training_topic: a\n", []string{`FILE:1: unknown key "training_topic"; did you mean "training-topic"?`}},
		{"a file in the file", "config: other.yaml\n", []string{`FILE:1: unknown key "config": the keys are the names of the settings`}},
		{"twice", "group: a\ndrain: 1s\ngroup: b\n", []string{`FILE:3: key "group" occurs twice`}},
		{"text for a switch", "create-topics: 'yes'\n", []string{"FILE:1: create-topics: want true or false, without quotes"}},
		{"number for a switch", "tls: 1\n", []string{"FILE:1: tls: want true or false, without quotes"}},
		{"text for a number", "partitions: four\n", []string{`FILE:1: partitions: "four" is not a whole number`}},
		{"fraction for a number", "partitions: 1.5\n", []string{`FILE:1: partitions: "1.5" is not a whole number`}},
		{"switch for a text", "training-topic: on\nmodel-topic: true\n", []string{"FILE:2: model-topic: YAML does not read this as a text: put it in quotes"}},
		{"nothing", "group:\n", []string{`FILE:1: group: the value is missing; "" is an empty text`}},
		{"list for a text", "group: [a]\n", []string{"FILE:1: group: want a value as on the command line"}},
		{"mapping for a list", "brokers: {a: 1}\n", []string{"FILE:1: brokers: want a value as on the command line"}},
		{"list in a list", "brokers: [[a]]\n", []string{"FILE:1: brokers: want a value as on the command line"}},
		{"time without a unit", "drain: 10\n", []string{`FILE:1: drain: "10" is not a time: want a number with a unit, like 500ms, 10s or 2m`}},
		{"a missing file", "spec: /no/such/spec\n", []string{"FILE:1: spec: /no/such/spec does not exist"}},
		{"no settings", "- group\n", []string{"FILE:1: want settings, one on a line, like checkpoint-each: 5s"}},
		{"no YAML", "group: a\n\tdrain: 1s\n", []string{"FILE: not YAML: line 2: found a tab character that violates indentation"}},
		{"two documents", "group: a\n---\ngroup: b\n", []string{"FILE: a second document follows ---: want one"}},
		{"all at once", "grup: a\npartitions: x\ndrain: 0s\n", []string{
			`FILE:1: unknown key "grup"; did you mean "group"?`,
			`FILE:2: partitions: "x" is not a whole number`,
			"--drain: 0s; want a time above zero, like 2s",
		}},
	} {
		file := write(t, test.text)
		_, err := Parse[Ingest]("ingest", []string{"--config", file}, environment{}.lookup)
		for i := range test.want {
			test.want[i] = strings.Replace(test.want[i], "FILE", file, 1)
		}
		if got := problems(t, err); !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, strings.Join(got, "\n     "), strings.Join(test.want, "\n     "))
		}
	}
}

func TestFileThatSaysNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "null\n", "{}\n"} {
		if _, err := Parse[Ingest]("ingest", []string{"--config", write(t, text)}, environment{}.lookup); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFileValuesAsTheyStand(t *testing.T) {
	file := write(t, "sasl: plain\nsasl-user: 007\nsasl-password: 0123\ntraining-topic: no\nmodel-topic: &l x.y\nbrokers: 'a:1, b:2'\nref-topics: [t, 1]\nmax-records: 0x10\ngroup: *l\n")
	c, err := Parse[Ingest]("ingest", []string{"--config", file}, environment{}.lookup)
	if err != nil {
		t.Fatal(err)
	}
	if c.Kafka.User != "007" || c.Kafka.Password.Reveal() != "0123" || c.TrainingTopic != "no" || c.Group != "x.y" || c.MaxRecords != 16 {
		t.Errorf("got user %q, password %q, training topic %q, group %q, %d records", c.Kafka.User, c.Kafka.Password.Reveal(), c.TrainingTopic, c.Group, c.MaxRecords)
	}
	if !slices.Equal(c.Kafka.Brokers, []string{"a:1", "b:2"}) || !slices.Equal(c.RefTopics, []string{"t", "1"}) {
		t.Errorf("got brokers %q, ref topics %q", c.Kafka.Brokers, c.RefTopics)
	}
}

// FuzzFile: no file makes the reading of it panic, every problem is one line, and a
// file without one gives valid settings.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{"", "group: a\n", "brokers: [a:1]\n", "a: &a [*a]\n", "? [x]\n: y\n", "<<: {group: a}\n", "tls: !!binary aGk=\n", "drain: !x 1s\n", "a: {tls: true}\n", "a: &a [*a]\na:\n"} {
		f.Add(seed)
	}
	flags, known := flagsOf(&Ingest{}), map[string]bool{}
	for _, flag := range flags {
		known[flag.Name] = true
	}
	f.Fuzz(func(t *testing.T, text string) {
		var entries map[string]entry
		var found, ofCluster []string
		path := write(t, text)
		alloctest.Bound(t, len(text), func() { entries, found = readFile(path, flags) })
		alloctest.Bound(t, len(text), func() { _, ofCluster = readCluster(path, "a", flags) })
		found = append(found, ofCluster...)
		for _, problem := range found {
			if strings.ContainsAny(problem, "\n\r") || problem == "" {
				t.Errorf("the problem %q is not one line", problem)
			}
		}
		for key, e := range entries {
			if !known[key] || e.where == "" || e.value == nil {
				t.Errorf("%q has the entry %+v", key, e)
			}
		}
	})
}
