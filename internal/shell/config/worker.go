package config

import (
	"log/slog"
	"net"
	"time"

	"bayestream/internal/shell/stream"
)

// Worker is what ingest and classify have in common.
type Worker struct {
	Group      string `group:"topics" default:"${group}" placeholder:"NAME" help:"Consumer group, among whose instances the partitions are divided."`
	ModelTopic string `group:"topics" default:"bayestream-model" placeholder:"TOPIC" help:"Topic of the model log: one partition, from which all workers read the counts."`
	DeadTopic  string `group:"topics" name:"dead-letter-topic" default:"bayestream-dead-letters" placeholder:"TOPIC" help:"Topic for records that cannot be used, with the reason in their headers."`

	CreateTopics   bool `group:"topics" help:"Create missing topics with the settings that they need."`
	Partitions     int  `group:"topics" default:"4" placeholder:"N" help:"Number of partitions of created topics. The model log always has one."`
	Replication    int  `group:"topics" default:"-1" placeholder:"N" help:"Replication factor of created topics; -1 uses the default of the brokers."`
	AllowWeakTopic bool `group:"topics" help:"Accept a model topic whose settings can lose records (retention, message size, unclean election)."`

	State          string        `group:"model" default:"${state}" type:"path" placeholder:"FILE" help:"Model file (bbolt), from which a restart continues. It is created if it does not exist."`
	Bootstrap      string        `group:"model" placeholder:"URL|FILE|DIR" help:"Snapshot to start from if there is no model file, or if the model log no longer reaches back to it: a file, the newest of a folder of bayestream copy, or http://HOST:PORT/v1/snapshot of another worker."`
	TermsKeyFile   string        `group:"model" type:"existingfile" placeholder:"FILE" help:"File with the key of the terms, at least 32 bytes, of a spec with text.terms: hmac. Other users must not be able to read it."`
	CheckpointEach time.Duration `group:"model" default:"2s" placeholder:"TIME" help:"Time between checkpoints of the model file. It grows, to 30s at most, if they take more than a seventh of the time."`
	CheckpointRows int           `group:"model" default:"50000" placeholder:"ROWS" help:"Number of changed rows after which a checkpoint is written before that time."`

	SessionTimeout time.Duration `group:"running" default:"10s" placeholder:"TIME" help:"Time without a heartbeat after which the group gives a worker's partitions to others. Brokers accept 6s to 30m by default."`

	Memory string `group:"running" placeholder:"SIZE" help:"Memory for all queues between a fetch and the answers to it, like 256MiB. The model and what is computed need more. Default: a quarter of GOMEMLIMIT, or else of the memory that the cgroup allows; at most 96MiB."`

	HTTP          string        `group:"running" name:"http" default:"${http}" placeholder:"HOST:PORT" help:"HTTP address of /metrics, health, /version, /v1/snapshot${offers}. Port 0 selects a free port; an empty address disables HTTP. Anyone who can connect can read the model."`
	HTTPTokenFile string        `group:"running" name:"http-token-file" type:"existingfile" placeholder:"FILE" help:"File with the token that /v1/labels of ingest and /v1/decisions of classify ask for, at least 16 characters (Authorization: Bearer TOKEN). Other users must not be able to read it. Without it they need an address on loopback."`
	Drain         time.Duration `group:"running" default:"10s" placeholder:"TIME" help:"Maximum time to finish work in progress after SIGTERM or SIGINT. Another signal, a second later, stops at once."`
	Log           string        `group:"running" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Minimum level of log messages: debug, info, warn or error. The log is on standard error, as text on a terminal and as JSON elsewhere."`

	Listener net.Listener `kong:"-"` // of HTTP, from a caller in this process; nil: HTTP is opened

	Kafka Kafka `embed:""`
}

func (w Worker) problems() (found Problems) {
	found.If(w.Group == "", "--group is empty: all instances of a worker need the same name")
	found.If(w.Partitions < 1, "--partitions: %d; want at least 1", w.Partitions)
	found.If(w.Replication != -1 && (w.Replication < 1 || w.Replication > maxReplication),
		"--replication: %d; want 1 to %d, or -1 for the default of the brokers", w.Replication, maxReplication)
	found = append(found, stateProblem(w.State), bootstrapProblem(w.Bootstrap, w.State))
	found.If(w.CheckpointEach <= 0, aboveZero, "--checkpoint-each", w.CheckpointEach)
	found.If(w.CheckpointRows < 1, "--checkpoint-rows: %d; want at least 1", w.CheckpointRows)
	found.If(w.SessionTimeout < leastSession,
		"--session-timeout: %s; want at least %s: a heartbeat is sent every %s, and two may be lost",
		w.SessionTimeout, leastSession, stream.DefaultHeartbeat)
	found = append(found, CheckMemory(w.Memory), CheckListen("--http", w.HTTP))
	found.If(w.Drain <= 0, aboveZero, "--drain", w.Drain)
	found.If(w.Kafka.RequestTimeout <= 0, aboveZero, "--request-timeout", w.Kafka.RequestTimeout)
	return append(found, w.Kafka.Problems()...)
}

// LogLevel returns the minimum level of log messages.
func (w Worker) LogLevel() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(w.Log)); err != nil {
		return slog.LevelInfo // Validate has refused it
	}
	return level
}

// leastSession allows two lost heartbeats.
const leastSession = 3 * stream.DefaultHeartbeat

// maxReplication is the largest value of the field of Kafka's CreateTopics request.
const maxReplication = 1<<15 - 1
