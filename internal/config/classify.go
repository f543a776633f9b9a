package config

import (
	"errors"
	"fmt"
	"log/slog"
)

// Classify is the configuration of the worker that labels.
type Classify struct {
	DocumentsTopic string `group:"topics" default:"documents" placeholder:"TOPIC" help:"Topic of the documents to label."`
	LabelsTopic    string `group:"topics" default:"labels" placeholder:"TOPIC" help:"Topic of the decisions. It has at least as many partitions as the documents' topic."`
	From           string `group:"topics" default:"start" enum:"start,end" placeholder:"start|end" help:"Where a group without committed offsets begins: start or end."`

	Emit     string `group:"records" default:"event" enum:"event,headers,cloudevents" placeholder:"MODE" help:"How decisions are written: event (a JSON value), headers (the document's value, unchanged) or cloudevents (binary mode)."`
	Evidence int    `group:"records" default:"10" placeholder:"ENTRIES" help:"Most entries of evidence in a decision; 0 for all."`

	MaxRecords int `group:"running" default:"2000" placeholder:"RECORDS" help:"Most records that are scored and written at once."`
	Workers    int `group:"running" default:"0" placeholder:"N" help:"Goroutines that score a batch; 0 for one on each core."`

	Worker `embed:""`
}

// Validate says all that is wrong with the settings. It looks for the files that
// are named, but reads none.
func (c Classify) Validate() error {
	found := enums(&c)
	found = append(found, topicProblems(
		named{"--documents-topic", c.DocumentsTopic},
		named{"--labels-topic", c.LabelsTopic},
		named{"--model-topic", c.ModelTopic},
		named{"--dead-letter-topic", c.DeadTopic},
	)...)
	if c.Evidence < 0 {
		found = append(found, fmt.Errorf("--evidence: %d; want 0 for all, or the number of entries", c.Evidence))
	}
	if c.MaxRecords < 1 {
		found = append(found, fmt.Errorf("--max-records: %d; want at least 1", c.MaxRecords))
	}
	if c.Workers < 0 {
		found = append(found, fmt.Errorf("--workers: %d; want 0 for one on each core, or their number", c.Workers))
	}
	return errors.Join(append(found, c.Worker.problems()...)...)
}

// LogValue returns every setting under the name of its flag, secrets as asterisks.
func (c Classify) LogValue() slog.Value { return settings(&c) }
