package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/prequential"
)

// recordFlags say where ingest reads training records: in the file of its settings, or by the flags
// that it has.
type recordFlags struct {
	Ingest        string  `type:"existingfile" placeholder:"FILE" help:"YAML file with the settings of the ingest in use. The flags below take precedence."`
	TrainingTopic string  `placeholder:"TOPIC" help:"Training topic. Default: training, as for ingest."`
	RefTopics     *string `placeholder:"TOPICS" help:"Topics that a record may refer to, as for ingest."`
}

// args returns the flags that were given, as ingest takes them.
func (f *recordFlags) args() (args []string) {
	for _, flag := range [][2]string{{"--config", f.Ingest}, {"--training-topic", f.TrainingTopic}} {
		if flag[1] != "" {
			args = append(args, flag[0]+"="+flag[1])
		}
	}
	if f.RefTopics != nil {
		args = append(args, "--ref-topics="+*f.RefTopics)
	}
	return args
}

// settings returns the settings of ingest.
func (f *recordFlags) settings(p cli.Process) (config.Ingest, error) {
	return config.Parse[config.Ingest](program+" ingest", f.args(), p.LookupEnv)
}

// anySpec is written into the command for a spec that was not named.
const anySpec = "SPEC.yaml"

// start returns the command that starts the second ingest: with names of its own for all that it
// writes, and the topics that the first one reads. How to reach the brokers comes from the same
// place again.
func (f *cutoverFlags) start() string {
	spec := "--spec=" + cmp.Or(f.Spec, anySpec)
	if f.Preset != "" {
		spec = f.SpecName(f.Spec)
	}
	cluster := "--brokers=" + strings.Join(f.Brokers, ",")
	if f.Cluster != "" {
		cluster = "--cluster=" + f.Cluster
	}
	words := []string{
		spec, "--model-topic=" + f.Topic, "--create-topics", "--group=" + f.Topic + "-ingest", "--state=" + f.Topic +
			"-ingest.db",
		"--dead-letter-topic=" + f.Topic + "-dead-letters", "--http=127.0.0.1:7441", cluster,
	}
	if f.TermsKeyFile != "" {
		words = append(words, "--terms-key-file="+f.TermsKeyFile)
	}
	words = append(words, f.args()...)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return "bayestream ingest " + strings.Join(words, " \\\n  ")
}

// missing says why a model that does not exist cannot be compared. Its spec must have the records
// block of the one in use: the records are the same.
func (f *cutoverFlags) missing(before *prequential.Log, what string) []string {
	why := []string{"the topic " + f.Topic + " " + what + ": start a second ingest, which counts into it"}
	if at := before.State.Spec().Records; at != nil {
		why = append(why, "its spec must say where records have label and id, as the one in use does: records: "+at.String())
	}
	return why
}

// shellWord returns a word as a shell reads it.
func shellWord(word string) string {
	if !strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// decimals returns a score in a format, a dash for one that no document defines.
func decimals(format string, n evaluate.Number) string {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}
