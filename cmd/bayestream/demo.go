package main

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/demo"
	"bayestream/internal/tools/lab/dataset"
)

type demoFlags struct {
	Data    string   `type:"path" complete:"file" placeholder:"FILE" help:"File or folder of labelled texts to stream; - is standard input. The default is generated news about an election and sports."`
	Shuffle uint64   `placeholder:"SEED" help:"With --data: read all documents first and put them into a random order; each seed above 0 gives another one."`
	Spec    string   `type:"existingfile" placeholder:"FILE" help:"Spec of the model (YAML; docs/toolbox.md lists its keys), for numbers, categories or other settings of a text. Default: words of the field text."`
	Brokers []string `placeholder:"HOST:PORT" help:"Addresses of Kafka brokers, separated by commas, to use instead of the embedded broker. BAYESTREAM_BROKERS is not read."`
	Addr    string   `default:"127.0.0.1:7430" placeholder:"HOST:PORT" help:"HTTP address of the console; the embedded classify and ingest use the next two ports. A port in use is replaced by a free one."`
	State   string   `type:"path" placeholder:"DIR" help:"Directory of the broker's data and the model files. The next demo with the same directory continues. The default is a temporary directory, which is removed at the end."`
	Once    bool     `help:"Label and learn every record once, a hundred at a time, so that the first hundred get no label; write a summary as JSON on the last line of standard output, and exit."`
	JSON    bool     `name:"json" help:"Write JSON Lines instead of a table."`
	Seed    uint64   `default:"1" placeholder:"N" help:"Seed of the generated news."`

	config.PresetFlag `embed:""`
	dataFlags         `embed:""`
	keyFlags          `embed:""`
}

func (f demoFlags) Validate() error {
	var found config.Problems
	found.If(f.Addr == "", "--addr is empty: name an address, like 127.0.0.1:7430")
	found.If(f.Shuffle > 0 && f.Data == "", "--shuffle has an effect only with --data")
	found = append(found, config.CheckListen("--addr", f.Addr))
	if len(f.Brokers) > 0 {
		found = append(found, stream.Config{Brokers: f.Brokers}.Validate())
	}
	return errors.Join(found...)
}

var demoVerb = verbOf[demoFlags](config.Command{
	Name:    "demo",
	Summary: "The whole pipeline on a broker of its own: a stream of news is learned and labelled while you watch.",
	About: "Shows the whole pipeline at work. It starts a Kafka broker inside this process, makes the topics, " +
		"streams records into the training and the documents topic, and runs ingest and classify on them as in " +
		"production. It prints the address of a console, which takes corrections, then the accuracy so far and the " +
		"last decisions with their strongest words, until it is stopped.",
	Examples: []config.Example{
		{What: "Election or sports? A stream of news without end", Type: "bayestream demo"},
		{What: "Your own file, once through, the result as JSON", Type: "bayestream demo --once --data=sms_spam.jsonl.gz"},
		{What: "Numbers and categories, as a spec says", Type: "bayestream demo --once --spec=iris.yaml --data=iris.csv"},
		{What: "On a real Kafka, kept for the next time", Type: "bayestream demo --brokers=127.0.0.1:9092 --state=./demo"},
	},
})

func (f *demoFlags) run(ctx context.Context, p cli.Process) error {
	terminal := cli.Terminal(p.Stdout)
	o := demo.Options{
		SpecFile: f.Spec, Preset: f.PresetFlag, KeyFile: f.TermsKeyFile, Brokers: f.Brokers, Addr: f.Addr, State: f.State,
		Once: f.Once, JSON: f.JSON, Seed: f.Seed, Shuffle: f.Shuffle,
		Terminal: terminal, Size: func() (columns, rows int) { return cli.Size(p.Stdout) }, Color: terminal && !cli.Plain(p),
	}
	var err error
	if o.Spec, err = f.read(); err != nil {
		return err
	}
	if err := f.suit(ctx, p, o.Spec); err != nil {
		return inputError(err)
	}
	if f.Data != "" {
		data, err := f.reader(ctx, p, o.Spec, []string{f.Data})
		if err != nil {
			return inputError(err)
		}
		defer func() { _ = data.Close() }()
		o.Data = data
		o.Bad = f.onBad(p)
	}
	err = demo.Run(ctx, o, p.Stdout, p.Stderr)
	if errors.Is(err, demo.ErrEmpty) {
		err = noDocuments([]string{f.Data}, o.Bad)
	}
	err = inputError(err)
	if f.Once {
		return err // stopped before the end is not done
	}
	return cli.Stopped(ctx, err)
}

// suit changes a spec that nobody wrote to the language of the first documents, and says why.
func (f *demoFlags) suit(ctx context.Context, p cli.Process, s *spec.Spec) error {
	if f.Data == "" || f.Data == "-" || f.Spec != "" || s.Text == nil {
		return nil
	}
	data, err := f.reader(ctx, p, s, []string{f.Data})
	if err != nil {
		return err
	}
	defer func() { _ = data.Close() }()
	read := model.NewCoverage(s)
	for range demoRecords {
		var rec dataset.Record
		if data.Read(&rec) != nil {
			break // the demo itself says what is wrong
		}
		read.Add(&rec.Input)
	}
	if change := read.Suit(s.Text); change != nil {
		fmt.Fprintf(p.Stderr, "%s: words are counted with %s: %s under text\n", change.Why, change.Key, change.Value)
	}
	return nil
}

// demoRecords is how many documents tell their language.
const demoRecords = 200

// read returns the spec, with its key.
func (f *demoFlags) read() (*spec.Spec, error) {
	s, err := (&shortFlags{PresetFlag: f.PresetFlag}).spec(f.Spec)
	if err != nil {
		return nil, err
	}
	if f.Data != "" && f.Spec == "" && s.Text != nil && dataset.AreMail(f.options(s, false), f.Data) {
		s.Format = wire.FormatMail
	}
	name := f.SpecName(f.Spec)
	switch {
	case f.Data == "" && s.Text == nil:
		return nil, cli.WrongInput(fmt.Errorf("%s: the spec reads no text, and the generated news is nothing else: name a "+
			"file with --data", name))
	case f.Data == "" && s.Format == wire.FormatMail:
		return nil, cli.WrongInput(fmt.Errorf("%s: the spec reads mails, and the generated news is none: name a file or "+
			"folder of mails with --data", name))
	}
	return f.keyed(s)
}
