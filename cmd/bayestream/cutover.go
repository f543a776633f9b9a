package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/prequential"
)

type cutoverFlags struct {
	Spec      string  `type:"existingfile" placeholder:"FILE" help:"Spec of the new model, for the command that starts its ingest."`
	Last      int64   `default:"10000" placeholder:"N" help:"Compare on the last records of each partition of the training topic, this many."`
	Margin    float64 `default:"0.005" placeholder:"SHARE" help:"Loss of accuracy that is accepted: 0.005 is half a point."`
	Documents int64   `default:"500" placeholder:"N" help:"Documents that both models must have scored, at least."`
	JSON      bool    `name:"json" help:"Write one JSON object."`
	Topic     string  `arg:"" name:"topic" help:"Model topic of the new model."`

	config.PresetFlag `embed:""`
	recordFlags       `embed:""`
	keyFlags          `embed:""`
	brokerFlags       `embed:""`
}

var cutoverVerb = verbOf[cutoverFlags](config.Command{
	Name:    "cutover",
	Summary: "Compare a new model with the one in use, on the same records, and say when to cut over.",
	About: "The way to a new tokenizer or another spec: a second ingest counts the training topic into a model " +
		"topic of its own, and this verb compares the two models. It scores the last records of the training topic " +
		"by each model as it was before it learned the record. It shows the accuracy and the log loss of both, the " +
		"difference with its 95 % interval, and whether to cut over, or why not yet. If the new topic does not " +
		"exist, it prints the command that starts the second ingest. It writes to no topic. docs/tokenizer.md has " +
		"the whole way.",
	Examples: []config.Example{
		{What: "The command of the second ingest, or how the new model does",
			Type: "bayestream cutover bayestream-model-v2"},
		{What: "With the settings of the ingest in use",
			Type: "bayestream cutover --ingest=ingest.yaml --spec=bigrams.yaml bayestream-model-v2"},
	},
}, cli.Watched)

func (f cutoverFlags) Validate() error {
	found := f.Problems()
	found.If(f.Topic == f.ModelTopic,
		"%s is the topic of the model in use (--model-topic): name the topic of another", f.Topic)
	found.If(f.Last < 1 || f.Documents < 1 || !(f.Margin >= 0 && f.Margin < 1),
		"want --last and --documents of at least 1, and a --margin from 0 to 1")
	return errors.Join(found...)
}

type cutover struct {
	Old   comparedLog `json:"old"`
	New   comparedLog `json:"new"`
	Start string      `json:"start,omitempty"` // the command that starts the second ingest

	Comparison *prequential.Comparison `json:"comparison"`
	Missing    []string                `json:"missing,omitempty"` // in the new model
	prequential.Verdict
}

// comparedLog is a model that cutover compares.
type comparedLog struct {
	Topic     string `json:"topic"`
	Documents int64  `json:"documents"`
}

func (f *cutoverFlags) run(ctx context.Context, p cli.Process) error {
	settings, err := config.Parse[config.Ingest](program+" ingest", f.args(), p.LookupEnv)
	if err != nil {
		return err
	}
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	said, err := f.compare(ctx, client, settings.TrainingTopic)
	if err != nil {
		return logError(err)
	}
	return result(p, f.JSON, said, said.write)
}

func (f *cutoverFlags) compare(ctx context.Context, client *stream.Client, training string) (*cutover, error) {
	said := &cutover{Old: comparedLog{Topic: f.ModelTopic}, New: comparedLog{Topic: f.Topic}}
	before, err := readLog(ctx, client, &said.Old, training)
	if err != nil {
		return nil, err
	}
	_, exists, err := client.FindTopic(ctx, f.Topic)
	var after *prequential.Log
	missing := "does not exist"
	if exists {
		after, err = readLog(ctx, client, &said.New, training)
		missing = "holds no model"
	}
	if err == nil && !exists || errors.Is(err, prequential.ErrNoModel) {
		said.Start, said.Why = f.start(), f.missing(before, missing)
		return said, nil
	}
	if err != nil {
		return nil, err
	}
	window := prequential.Window(before, after, f.Last)
	scoredBefore, err := f.score(ctx, client, before, window)
	if err != nil {
		return nil, err
	}
	scoredAfter, err := f.score(ctx, client, after, window)
	if err != nil {
		return nil, err
	}
	said.Comparison = prequential.Compare(scoredBefore, scoredAfter)
	said.Missing = prequential.Missing(before, after)
	said.Verdict = prequential.Judge(before, after, said.Comparison,
		prequential.Rules{Margin: f.Margin, Documents: f.Documents})
	return said, nil
}

func readLog(ctx context.Context, client *stream.Client, said *comparedLog, training string) (*prequential.Log, error) {
	task := progress.From(ctx).Begin("folding "+said.Topic, "records", progress.Unknown)
	defer task.End()
	log, err := prequential.Read(ctx, client, said.Topic, training, func() { task.Add(1) })
	if err == nil {
		said.Documents = log.State.Model().Classes().Total()
	}
	return log, err
}

// score scores the records of the window by the model of a log.
func (f *cutoverFlags) score(ctx context.Context, client *stream.Client, log *prequential.Log,
	window map[int32]prequential.Range) (*prequential.Scores, error) {
	key, err := config.ReadTermsKey(f.TermsKeyFile)
	if err != nil {
		return nil, cli.WrongInput(err)
	}
	task := progress.From(ctx).Begin("scoring by "+log.Topic, "records", log.State.Next())
	defer task.End()
	return log.Score(ctx, client, key, window, func() { task.Add(1) })
}

// logError returns an error about a log as an error of the command line where it is one.
func logError(err error) error {
	if errors.Is(err, stream.ErrUnknownTopic) || errors.Is(err, prequential.ErrNoModel) {
		return cli.WrongInput(err)
	}
	return behindCut(err, "cutover", "each record is scored by the model as it was then")
}

func (c *cutover) write(out *printer) {
	if x := c.Comparison; x != nil {
		out.f("%-8s%-32s%12s%12s%12s\n", "", "MODEL TOPIC", "DOCUMENTS", "ACCURACY", "LOG LOSS")
		for _, row := range []struct {
			name string
			log  comparedLog
			mean prequential.Mean
		}{{"in use", c.Old, x.Old}, {"new", c.New, x.New}} {
			out.f("%-8s%-32s%12d%12s%12s\n", row.name, row.log.Topic, row.log.Documents, decimals("%.4f", row.mean.Accuracy),
				decimals("%.4f", row.mean.LogLoss))
		}
		out.f("%-52s%12s%12s\n", "difference", decimals("%+.4f", x.Accuracy.Mean), decimals("%+.4f", x.LogLoss.Mean))
		out.f("%-52s%12s%12s\n", "95 % interval, from", decimals("%+.4f", x.Accuracy.Low), decimals("%+.4f", x.LogLoss.Low))
		out.f("%-52s%12s%12s\n", "to", decimals("%+.4f", x.Accuracy.High), decimals("%+.4f", x.LogLoss.High))
		out.f("\nof %d documents that each model scored before it learned them; %d are right by the old model alone, %d by "+
			"the new one alone\n", x.Documents, x.OnlyOld, x.OnlyNew)
	}
	for _, what := range c.Missing {
		out.f("not in the new model, and not in the training topic any more: %s\n", what)
	}
	answer := "not yet"
	if c.CutOver {
		answer = "cut over"
	}
	for _, why := range c.Why {
		out.f("%s: %s\n", answer, why)
	}
	switch {
	case c.CutOver:
		out.f("\nStop each classify, and start it again with --model-topic=%s and a new --state.\n", c.New.Topic)
	case c.Start != "":
		out.lines("\n" + c.Start + "\n")
		if strings.Contains(c.Start, "--spec="+anySpec) {
			out.f("\n%s stands for the file with the spec of the new model.\n", anySpec)
		}
	}
}

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
	if word == "" || strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_=./:,+@%", r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
