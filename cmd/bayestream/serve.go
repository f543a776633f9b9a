package main

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/console"
	"bayestream/internal/tools/serve"
)

type serveFlags struct {
	Model string `default:"bayestream.db" type:"path" placeholder:"FILE" help:"Model file. It is created if it does not exist, and so is the folder FILE.topics with the records. One that train made gives its counts to the new model."`
	Spec  string `type:"existingfile" placeholder:"FILE" help:"Spec of the model (YAML). The default is the spec of the model file, or a new one: the words of the field text."`
	Kafka string `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Address of the embedded Kafka broker, for the verbs of topics, like send. Port 0 selects a free port. It asks nobody for a password."`

	config.PresetFlag `embed:""`
	keyFlags          `embed:""`
	doorFlags         `embed:""`
}

var serveVerb = verbOf[serveFlags](config.Command{
	Name:    "serve",
	Summary: "Learn, label and correct over HTTP and in the browser, in one process on one model file.",
	About: "Runs an embedded Kafka broker, ingest, classify and the console in one process. POST /v1/classify labels " +
		"documents and shows them in the console, POST /v1/labels learns and corrects, and a label is on the disk " +
		"when it is answered. The same model later runs on a Kafka cluster.",
	Examples: []config.Example{
		{What: "Messages, by a spec that init wrote", Type: "bayestream serve --model=new.db --spec=sms.yaml"},
		{What: "Go on from the counts that train made", Type: "bayestream serve --model=sms.db --addr=127.0.0.1:7440"},
	},
})

func (f serveFlags) Validate() error {
	found := f.doorFlags.problems()
	found.If(f.Model == "", "--model is empty: name a file, like tickets.db")
	return errors.Join(append(found, config.CheckListen("--kafka", f.Kafka))...)
}

func (f *serveFlags) run(ctx context.Context, p cli.Process) error {
	if _, err := f.SpecText(f.Spec); err != nil {
		return cli.WrongInput(err)
	}
	classify := config.Default[config.Classify]()
	o := serve.Options{Model: f.Model, Addr: f.Addr, Kafka: f.Kafka, Spec: f.Spec, Preset: f.PresetFlag,
		KeyFile: f.TermsKeyFile, Token: f.TokenFile, Log: f.logger(p.Stderr),
		Said: func(line string) { fmt.Fprintln(p.Stdout, line) }}
	var err error
	if o.Console, err = f.console(p, f.TermsKeyFile); err != nil {
		return err
	}
	o.Console.Kafka, o.Console.EnrichField, o.Console.Keep = classify.Kafka, classify.EnrichField, console.UsualKeep
	err = serve.Run(ctx, o)
	if _, ok := errors.AsType[*serve.InputError](err); ok {
		return cli.WrongInput(err)
	}
	return cli.Stopped(ctx, err)
}
