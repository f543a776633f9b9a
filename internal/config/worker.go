package config

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bayestream/internal/stream"
)

// Worker is what ingest and classify have in common.
type Worker struct {
	Group      string `group:"topics" default:"${group}" placeholder:"NAME" help:"Consumer group. All instances of one kind share it; the partitions are divided among them."`
	ModelTopic string `group:"topics" default:"bayestream-model" placeholder:"TOPIC" help:"The model log: a topic of one partition that carries the counts to everyone."`
	DeadTopic  string `group:"topics" name:"dead-letter-topic" default:"bayestream-dead-letters" placeholder:"TOPIC" help:"Where records go that cannot be used, with the reason in their headers."`

	CreateTopics   bool `group:"topics" help:"Create topics that are missing, with the settings they need."`
	Partitions     int  `group:"topics" default:"4" placeholder:"N" help:"Partitions of the topics that are created. The model log always has one."`
	Replication    int  `group:"topics" default:"-1" placeholder:"N" help:"Replication factor of the topics that are created; -1 leaves it to the brokers."`
	AllowWeakTopic bool `group:"topics" help:"Work with a model topic whose settings may lose records (retention, cleanup policy, message size, unclean election)."`

	Format   string `group:"records" default:"" enum:"json,text,mail," placeholder:"FORMAT" help:"Format of the records: json, text or mail. Without it, what the spec of the model says."`
	IDField  string `group:"records" name:"id-field" default:"id" placeholder:"PATH" help:"JSON path of the document's id."`
	IDHeader string `group:"records" name:"id-header" placeholder:"NAME" help:"Header that holds the id; it goes before the field and the key."`
	IDFrom   string `group:"records" name:"id-from" default:"field" enum:"field,key" placeholder:"SOURCE" help:"Where the id comes from when no header holds it: field, or key for the record's key."`

	State          string        `group:"model" default:"${state}" type:"path" placeholder:"FILE" help:"Model file (bbolt): the checkpoint that a restart goes on from. Made, with its directory, when it is missing."`
	Bootstrap      string        `group:"model" placeholder:"URL|FILE" help:"Start from this snapshot when there is no model file yet: a file, or http://HOST:PORT/v1/snapshot of another worker."`
	CheckpointEach time.Duration `group:"model" default:"2s" placeholder:"TIME" help:"Time after which the next checkpoint of the model file is due. It waits longer, 30s at most, where checkpoints would else take more than a seventh of the time."`
	CheckpointRows int           `group:"model" default:"50000" placeholder:"ROWS" help:"Changed rows after which a checkpoint is due before its time."`

	SessionTimeout time.Duration `group:"running" default:"10s" placeholder:"TIME" help:"How long the group waits for a sign of life before it gives a worker's partitions to others. A killed worker's partitions rest for as long. At least 3s; brokers accept 6s to 30m unless they are told otherwise."`

	HTTP  string        `group:"running" name:"http" default:"${http}" placeholder:"HOST:PORT" help:"Address of /metrics, health, /version, /v1/classify and /v1/snapshot; port 0 takes a free one, empty serves nothing. There is no password on it: name other than loopback addresses only where everyone who reaches them may read the model."`
	Drain time.Duration `group:"running" default:"10s" placeholder:"TIME" help:"How long a stop may take after SIGTERM or SIGINT before what is in flight is left to the next start. A second signal stops at once."`
	Log   string        `group:"running" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error. The log goes to standard error, as text on a terminal, else as JSON."`

	Kafka Kafka `embed:""`
}

// Validate says all that is wrong with the settings. It looks for the files that
// are named, but reads none.
func (w Worker) Validate() error { return errors.Join(append(enums(&w), w.problems()...)...) }

func (w Worker) problems() []error {
	var found []error
	if w.Group == "" {
		found = append(found, errors.New("--group is empty: all instances of one kind need the same name"))
	}
	if w.Partitions < 1 {
		found = append(found, fmt.Errorf("--partitions: %d; want at least 1", w.Partitions))
	}
	if w.Replication != -1 && (w.Replication < 1 || w.Replication > maxReplication) {
		found = append(found, fmt.Errorf("--replication: %d; want 1 to %d, or -1 for what the brokers do by default", w.Replication, maxReplication))
	}
	if w.IDField == "" {
		found = append(found, errors.New("--id-field is empty: name the JSON path of the id"))
	}
	found = append(found, stateProblems(w.State)...)
	found = append(found, bootstrapProblems(w.Bootstrap, w.State)...)
	found = append(found, positive("--checkpoint-each", w.CheckpointEach)...)
	if w.CheckpointRows < 1 {
		found = append(found, fmt.Errorf("--checkpoint-rows: %d; want at least 1", w.CheckpointRows))
	}
	if w.SessionTimeout < leastSession {
		found = append(found, fmt.Errorf("--session-timeout: %s; want at least %s: a worker gives a sign of life every %s, and two may be lost", w.SessionTimeout, leastSession, stream.DefaultHeartbeat))
	}
	found = append(found, CheckListen("--http", w.HTTP))
	found = append(found, positive("--drain", w.Drain)...)
	found = append(found, positive("--session-timeout", w.SessionTimeout)...)
	return append(found, w.Kafka.problems()...)
}

// LogLevel returns the least level that is logged.
func (w Worker) LogLevel() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(w.Log)); err != nil {
		return slog.LevelInfo // Validate has refused it
	}
	return level
}

// leastSession leaves room for two lost heartbeats.
const leastSession = 3 * stream.DefaultHeartbeat

// maxReplication is what fits in the field of Kafka's CreateTopics request.
const maxReplication = 1<<15 - 1
