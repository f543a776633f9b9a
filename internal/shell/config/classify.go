package config

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bayestream/internal/shell/wire"
)

// Classify is the configuration of the worker that labels documents.
type Classify struct {
	DocumentsTopic string   `group:"topics" default:"documents" placeholder:"TOPIC" help:"Topic of the documents to label."`
	LabelsTopic    string   `group:"topics" default:"labels" placeholder:"TOPIC" help:"Topic of the decisions. It needs at least as many partitions as the documents topic."`
	Route          []string `group:"topics" placeholder:"IF=TOPIC" help:"Topics of some decisions, like unsure,cold=review,posterior<0.8=review,spam=quarantine,*=inbox. IF is a label, a status (ok, unsure, cold, empty), posterior<N, or * for all that fits nowhere else; the first that fits holds. What has no route goes to the labels topic."`
	From           string   `group:"topics" default:"start" enum:"start,end" placeholder:"start|end" help:"Where to begin if the group has no committed offsets: start or end."`

	WaitDocuments int `group:"topics" default:"1" placeholder:"N" help:"Number of learned documents to wait for before the first document is labelled. 0: label at once."`

	Emit        string  `group:"records" default:"event" enum:"event,headers,enrich,cloudevents" placeholder:"MODE" help:"Form of the decisions: event (a JSON value), headers (of the unchanged document), enrich (a field in the document's own JSON) or cloudevents (binary mode)."`
	EnrichField string  `group:"records" name:"enrich-field" default:"bayestream" placeholder:"NAME" help:"Field with the decision, of --emit=enrich. One of that name in a document is replaced."`
	Evidence    int     `group:"records" default:"10" placeholder:"ENTRIES" help:"Maximum number of evidence entries in a decision; 0 for all."`
	Classes     Classes `group:"records" default:"10" placeholder:"N|all" help:"Number of classes up to which a decision has all numbers of each. Of more it has the posteriors of the likeliest, and all numbers of the label and the runner-up."`
	Digits      int     `group:"records" default:"0" placeholder:"N" help:"Digits after the decimal point in a decision, at most 12. What adds up does so as it is printed. 0: as many as each number needs to be read back exactly."`

	Delivery   string        `group:"running" default:"exactly-once" enum:"exactly-once,at-least-once" placeholder:"MODE" help:"exactly-once: readers of committed records see one decision for each document. at-least-once: decisions are visible earlier; after a crash some are there twice."`
	CommitEach time.Duration `group:"running" default:"25ms" placeholder:"TIME" help:"Time between two commits of a partition, at most 5s. With exactly-once, decisions are visible after it."`

	MaxRecords int `group:"running" default:"2000" placeholder:"RECORDS" help:"Maximum number of records in a batch."`
	Workers    int `group:"running" default:"0" placeholder:"N" help:"Number of goroutines that score a batch; 0 for one per core."`

	Worker `embed:""`
}

// mostCommitEach leaves time for a stop before the brokers abort a transaction.
const mostCommitEach = 5 * time.Second

// Validate returns all problems of the settings but values that are none of a list, joined. It
// checks that named files exist but reads none.
func (c Classify) Validate() error {
	found := topicProblems(
		named{"--documents-topic", c.DocumentsTopic},
		named{"--labels-topic", c.LabelsTopic},
		named{"--model-topic", c.ModelTopic},
		named{"--dead-letter-topic", c.DeadTopic},
	)
	_, problems := c.routes()
	found = append(found, problems...)
	found.If(c.CommitEach < 0 || c.CommitEach > mostCommitEach,
		"--commit-each: %s; want 0s to %s: readers wait behind an open transaction", c.CommitEach, mostCommitEach)
	found.If(c.WaitDocuments < 0,
		"--wait-documents: %d; want 0 to label at once, or a number of documents", c.WaitDocuments)
	found.If(c.Evidence < 0, "--evidence: %d; want 0 for all, or a number of entries", c.Evidence)
	found = append(found, CheckDigits(c.Digits))
	name := c.EnrichField
	found.If(name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl),
		"--enrich-field: %q; want the name of a field, like bayestream", name)
	found.If(c.MaxRecords < 1, "--max-records: %d; want at least 1", c.MaxRecords)
	found.If(c.Workers < 0, "--workers: %d; want 0 for one per core, or a number", c.Workers)
	return errors.Join(append(found, c.Worker.problems()...)...)
}

// LogValue returns every setting under the name of its flag, secrets as asterisks.
func (c Classify) LogValue() slog.Value { return settings(&c) }

// Classes is a number of classes, 0 for all of them.
type Classes int

// UnmarshalText reads a number, or all.
func (c *Classes) UnmarshalText(text []byte) error {
	if string(text) == "all" {
		*c = 0
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of classes, or all", text)
	}
	*c = Classes(n)
	return nil
}

// String returns what UnmarshalText reads.
func (c Classes) String() string {
	if c == 0 {
		return "all"
	}
	return strconv.Itoa(int(c))
}

// CheckDigits returns an error for a number of digits that no decision is written with.
func CheckDigits(digits int) error {
	if digits < 0 || digits > wire.MaxDigits {
		const want = "want 1 to %d, or 0 for the shortest form of each number"
		return fmt.Errorf("--digits: %d; "+want, digits, wire.MaxDigits)
	}
	return nil
}

// Form returns how decisions are written.
func (c Classify) Form() wire.Form { return wire.Form{Classes: int(c.Classes), Digits: c.Digits} }
