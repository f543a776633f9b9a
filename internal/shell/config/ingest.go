package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"

	"bayestream/internal/core/spec"
)

// Ingest is the configuration of the worker that learns from labelled records.
type Ingest struct {
	TrainingTopic  string   `group:"topics" default:"training" placeholder:"TOPIC" help:"Topic of the labelled records. It must not be compacted."`
	From           string   `group:"topics" default:"start" placeholder:"start|end|N" help:"Where to begin in a partition that was never counted: start, end, or an offset."`
	RefTopics      []string `group:"topics" default:"documents" placeholder:"TOPIC" help:"Topics that a record may refer to with \"ref\" instead of holding its document; empty for none."`
	LabelsTopic    []string `group:"topics" default:"labels" placeholder:"TOPIC" help:"Topics of the decisions, in which corrections find documents that were labelled and not learned, by their ids; empty for none."`
	AcceptLoss     bool     `group:"topics" help:"Continue if records of the training topic were deleted before they were counted. By default the partition stops."`
	OnSourceChange string   `group:"topics" default:"stop" enum:"stop,continue,recount" placeholder:"ACTION" help:"What to do if the training topic is not the one that was counted: stop the partition until you decide, continue (keep the counts and count the new topic from its start) or recount (empty the model and count all sources again)."`

	Spec       string `group:"model" type:"existingfile" placeholder:"FILE" help:"Spec of the model (YAML). Default: the spec in the model log, or a new one, of the words of the field text."`
	PresetFlag `embed:"" group:"model"`
	MaxRecords int `group:"model" default:"20000" placeholder:"RECORDS" help:"Maximum number of documents in a delta, which also has at most a tenth of the documents of the model, or 100."`

	Worker `embed:""`
}

// Validate returns all problems of the settings but values that are none of a list, joined. It
// checks that named files exist but reads none.
func (c Ingest) Validate() error {
	found := topicProblems(
		named{"--training-topic", c.TrainingTopic},
		named{"--model-topic", c.ModelTopic},
		named{"--dead-letter-topic", c.DeadTopic},
	)
	found = append(found, c.refProblems()...)
	offset, err := strconv.ParseInt(c.From, 10, 64)
	found.If(c.From != "start" && c.From != "end" && (err != nil || offset < 0),
		"--from: %q; want start, end, or an offset of at least 0", c.From)
	found.If(c.OnSourceChange == "recount" && c.From != "start",
		"--on-source-change recount counts all partitions from their start: it needs --from start, not %s", c.From)
	found = append(found, c.check(c.Spec))
	found.If(c.MaxRecords < 1, "--max-records: %d; want at least 1", c.MaxRecords)
	return errors.Join(append(found, c.Worker.problems()...)...)
}

func (c Ingest) refProblems() (found Problems) {
	seen := map[string]bool{}
	for _, topic := range c.RefTopics {
		wrong := checkTopic("--ref-topics", topic)
		found = append(found, wrong)
		found.If(wrong == nil && seen[topic], "--ref-topics: %q occurs twice", topic)
		seen[topic] = true
	}
	return found
}

// LogValue returns every setting under the name of its flag, secrets as asterisks.
func (c Ingest) LogValue() slog.Value { return settings(&c) }

// PresetFlag names a preset, where a spec may be named.
type PresetFlag struct {
	Preset string `enum:"comments,mail,reviews,sms,topics," default:"" placeholder:"NAME" help:"Count the words as is best for a kind of text, instead of --spec: comments, mail, reviews, sms (messages) or topics (news, articles, tickets)."`
}

var errTwoSpecs = errors.New("--preset is a spec, and --spec names another one: want one of them; bayestream init " +
	"--preset writes a file to edit")

// check returns an error if a file with a spec is named beside the preset.
func (p PresetFlag) check(file string) error {
	if p.Preset != "" && file != "" {
		return errTwoSpecs
	}
	return nil
}

// SpecText returns the YAML of the spec in a file, or that of the preset; nil if neither is named.
func (p PresetFlag) SpecText(file string) ([]byte, error) {
	switch err := p.check(file); {
	case err != nil:
		return nil, err
	case p.Preset != "":
		preset, err := spec.FindPreset(p.Preset)
		if err != nil {
			return nil, err
		}
		return []byte(preset.YAML("")), nil
	case file == "":
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the spec: %w", err)
	}
	return text, nil
}

// SpecName returns what an error calls the spec: the file, or the flag.
func (p PresetFlag) SpecName(file string) string {
	if p.Preset != "" {
		return "--preset=" + p.Preset
	}
	return cmp.Or(file, "the default spec")
}
