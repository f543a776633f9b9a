package config

import (
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/alecthomas/kong"
)

// Parse returns the configuration of a worker from the command line, the environment and the file.
// program is its name as typed. The error is an Answer or a *UsageError.
func Parse[T Ingest | Classify](program string, args []string, lookup Lookup) (T, error) {
	var c T
	err := workerCommand(&c, program).Parse(&c, args, lookup)
	return c, err
}

// Default returns the configuration of a worker without any settings.
func Default[T Ingest | Classify]() T {
	var c T
	for _, flag := range workerCommand(&c, "").grammar(&c).app.Model.Flags {
		if err := flag.Reset(); err != nil {
			panic("config: a default cannot be read: " + err.Error())
		}
	}
	return c
}

// WorkerCommand returns the command of a worker that is started as program.
func WorkerCommand[T Ingest | Classify](program string) Command {
	return workerCommand(new(T), program)
}

// workerCommand returns the command of the worker whose configuration c points to, as it is typed.
func workerCommand(c any, program string) Command {
	if _, ok := c.(*Ingest); ok {
		return Command{
			Name: program, Summary: "Learn from the labelled records of a topic.", Layered: true,
			About: "Learns from labelled records. It reads the training topic, counts the records into deltas, and appends " +
				"these to the model topic, from which every worker folds the same model. Every record is counted exactly once, " +
				"also after failures and restarts. Records that cannot be used are written to the dead-letter topic with the " +
				"reason. Instances divide the partitions through their consumer group.",
			Examples: []Example{
				{"Learn, and create the topics on the first start", program + " --create-topics --spec=sms.yaml"},
				{"Settings from a file, with one override", program + " --config=ingest.yaml --http=0.0.0.0:7431"},
				{"A cluster with TLS and SASL", program + " --cluster=production"},
			},
		}
	}
	return Command{
		Name: program, Summary: "Label the records of another topic with what was learned.", Layered: true,
		About: "Labels documents. It folds the model topic into a model in memory, decides a label for every record of the " +
			"documents topic, and writes the decision, with the log posterior and the evidence, to the same partition of the " +
			"labels topic with the same key. Each new delta of the model changes the decisions that follow. Instances divide " +
			"the partitions through their consumer group.",
		Examples: []Example{
			{"Label, and create the topics on the first start", program + " --create-topics"},
			{"Keep the documents unchanged, with decisions in headers", program + " --emit=headers"},
			{"Settings from a file, with one override", program + " --config=classify.yaml --log=debug"},
			{"Start from the snapshot of a running worker", program + " --bootstrap=http://10.0.0.7:7431/v1/snapshot"},
		},
	}
}

// flagsOf returns the flags of the struct that c points to; their targets are its fields.
func flagsOf(c any) []*kong.Flag {
	return must(kong.New(c, kong.NoDefaultHelp(), varsOf(c))).Model.Flags
}

// must panics on an error, which only a wrong tag can cause.
func must(app *kong.Kong, err error) *kong.Kong {
	if err != nil {
		panic(fmt.Sprintf("config: a struct has a wrong tag: %v", err))
	}
	return app
}

// varsOf returns the defaults that differ between workers.
func varsOf(c any) kong.Vars {
	switch c.(type) {
	case *Ingest:
		return kong.Vars{"group": "bayestream-ingest", "state": "./bayestream-ingest.db", "http": "127.0.0.1:7431",
			"offers": " and /v1/labels"}
	case *Classify:
		return kong.Vars{"group": "bayestream-classify", "state": "./bayestream-classify.db", "http": "127.0.0.1:7432",
			"offers": ", /v1/classify and /v1/decisions"}
	}
	return kong.Vars{"group": "", "state": "", "http": "", "offers": " and /v1/labels"}
}

// settings returns the values of all flags of the struct that c points to.
func settings(c any) slog.Value {
	var attrs []slog.Attr
	for _, flag := range flagsOf(c) {
		attrs = append(attrs, slog.Any(flag.Name, shown(flag.Target.Interface())))
	}
	return slog.GroupValue(attrs...)
}

// Setting is a setting in force, as it may be shown to others: no secret is in it.
type Setting struct {
	Name  string `json:"name"`  // of the flag
	Value string `json:"value"` // "" is one that is not set
	Usual bool   `json:"usual"` // it is the default
}

// InForce returns every setting of a worker in the order of its flags.
func InForce[T Ingest | Classify](c T) []Setting {
	usual := Default[T]()
	defaults := flagsOf(&usual)
	var out []Setting
	for i, flag := range flagsOf(&c) {
		value := flag.Target.Interface()
		out = append(out, Setting{flag.Name, fmt.Sprint(shown(value)),
			reflect.DeepEqual(value, defaults[i].Target.Interface())})
	}
	return out
}

// shown returns a value for the log, without secrets.
func shown(value any) any {
	switch v := value.(type) {
	case stream.Secret:
		return v.String()
	case time.Duration:
		return v.String()
	case []string:
		return Redact(strings.Join(v, ","))
	case string:
		return Redact(v)
	}
	return value
}
