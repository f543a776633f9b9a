package main

import (
	"encoding/json"
	"strings"
	"testing"

	"bayestream/internal/shell/config"
)

// The command of the second ingest has the settings that were given, and names of its own for what
// it writes.
func TestCutoverStartsTheSecondIngest(t *testing.T) {
	flags, _ := logOfTwo(t)
	spec := write(t, "a pair.yaml", "text: {ngrams: 2}\n")
	settings := write(t, "ingest.yaml", "max-records: 5\nref-topics: a\n")
	args := append([]string{"cutover", "--spec=" + spec, "--ingest=" + settings, "--ref-topics=", "--training-topic=events"}, flags...)
	out := mustRun(t, append(args, "second")...)
	start, found := strings.CutPrefix(out, "not yet: the topic second does not exist: start a second ingest, which counts into it\n\nbayestream ingest ")
	if !found || !strings.HasPrefix(start, "'--spec=") {
		t.Fatalf("it says\n%s", out)
	}
	var words []string
	for word := range strings.SplitSeq(strings.TrimSpace(start), " \\\n  ") {
		words = append(words, strings.Trim(word, "'"))
	}
	got, err := config.Parse[config.Ingest]("ingest", words, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatalf("%v\n%s", err, start)
	}
	if got.MaxRecords != 5 || len(got.RefTopics) != 0 || got.TrainingTopic != "events" || got.Spec != spec {
		t.Errorf("the second ingest reads records with %+v", got)
	}
	usual := config.Default[config.Ingest]()
	if got.ModelTopic != "second" || got.Group == usual.Group || got.State == usual.State || got.DeadTopic == usual.DeadTopic || got.HTTP == usual.HTTP {
		t.Errorf("the second ingest writes to %+v", got)
	}
}

// A preset takes the place of the file with the spec.
func TestCutoverWithPreset(t *testing.T) {
	flags, _ := logOfTwo(t)
	out := mustRun(t, append([]string{"cutover", "--preset=topics", "second"}, flags...)...)
	if !strings.Contains(out, "\nbayestream ingest --preset=topics \\\n") || strings.Contains(out, "--spec") || strings.Contains(out, "SPEC.yaml") {
		t.Errorf("it says\n%s", out)
	}
}

// Without a spec the command names none, and says so.
func TestCutoverWithoutSpec(t *testing.T) {
	flags, _ := logOfTwo(t)
	if out := mustRun(t, append([]string{"cutover", "second"}, flags...)...); !strings.HasSuffix(out, "\nSPEC.yaml stands for the file with the spec of the new model.\n") {
		t.Errorf("it says\n%s", out)
	}
}

// Models of which no record is in the training topic cannot be compared, and what the new one lacks
// is named.
func TestCutoverWithoutRecords(t *testing.T) {
	flags, _ := logOfTwo(t)
	others, _ := logOfTwo(t)
	var said cutover
	out := mustRun(t, append([]string{"cutover", "--json", topicOf(others)}, flags...)...)
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.CutOver || said.Comparison == nil || said.Comparison.Documents != 0 || said.Old.Documents != 2 {
		t.Errorf("it says %s, %v", out, err)
	}
	if len(said.Why) != 1 || !strings.Contains(said.Why[0], "0 documents were scored by both models") {
		t.Errorf("the reasons are %q", said.Why)
	}
	if out := mustRun(t, append([]string{"cutover", topicOf(others)}, flags...)...); !strings.Contains(out, "in use  "+topicOf(flags)) || !strings.Contains(out, "not yet: 0 documents") {
		t.Errorf("it says\n%s", out)
	}
}

func TestCutoverRefuses(t *testing.T) {
	flags, _ := logOfTwo(t)
	for args, why := range map[string]string{
		topicOf(flags):            "is the topic of the model in use",
		"x --margin=2":            "a --margin from 0 to 1",
		"x --last=0":              "of at least 1",
		"x --model-topic=nowhere": "the topic does not exist",
		"x --ingest=nowhere.yaml": "nowhere.yaml",
		"x --training-topic=a/b":  "not a valid topic name",
		"x --last=a":              "--last",
	} {
		_, err := run(t, append(append([]string{"cutover"}, flags...), strings.Fields(args)...)...)
		if !wrong(err) || !strings.Contains(err.Error(), why) {
			t.Errorf("cutover %s: %v, want %q", args, err, why)
		}
	}
}
