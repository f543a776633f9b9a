package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/console"
)

type consoleFlags struct {
	topicFlags `embed:""`

	EnrichField string `name:"enrich-field" default:"bayestream" placeholder:"NAME" help:"Field with the decision in documents of --emit=enrich, as for classify."`

	TermsKeyFile string `type:"existingfile" placeholder:"FILE" help:"File with the key of the terms, of a spec with text.terms: hmac. Without it hashes are shown instead of words."`
	Bootstrap    string `placeholder:"URL|FILE|DIR" help:"Snapshot to start from if the start of the model log was deleted: a file, the newest one of a folder that bayestream copy fills, or http://HOST:PORT/v1/snapshot of a worker."`
	Keep         int    `default:"2000" placeholder:"N" help:"Number of the last decisions of each partition that are read at the start. Of all of them 100000 are remembered, as far as --memory allows."`
	Memory       string `placeholder:"SIZE" help:"Memory for what is remembered, like 256MiB; a half at most for decisions, and a half for labels. Default: a quarter of GOMEMLIMIT, or else of the memory that the cgroup allows; at most 96MiB."`

	ReadOnly bool `help:"Take no corrections, whatever the token."`

	doorFlags    `embed:""`
	clusterFlags `embed:""`
}

var consoleVerb = verbOf[consoleFlags](consoleCommand)

var consoleCommand = config.Command{
	Name:    "console",
	Summary: "Serve pages to watch the decisions, see why, and correct them.",
	Layered: true,
	About: "Serves pages on which a person watches the decisions as they come, sees why each was made, corrects " +
		"it, and sees the model learn. It is a process beside the workers. It reads the topics of the labels, of " +
		"the training records and of the model, fetches a text when somebody looks at it, and writes corrections " +
		"to the training topic. It keeps nothing on disk. Any number of consoles may run.",
	Examples: []config.Example{
		{What: "Watch", Type: "bayestream console"},
		{What: "Watch and correct", Type: "bayestream console --token-file=console.token " +
			"--workers=http://127.0.0.1:7431,http://127.0.0.1:7432"},
		{What: "The decisions of classify --route=spam=quarantine,*=inbox",
			Type: "bayestream console --labels-topic=quarantine,inbox"},
	},
}

func (f consoleFlags) Validate() error {
	found := f.Problems()
	found.If(f.Keep < 1, "--keep: %d; want at least 1", f.Keep)
	found = append(found, f.topicFlags.problems()...)
	found = append(append(found, config.CheckMemory(f.Memory)), f.doorFlags.problems()...)
	return errors.Join(found...)
}

func (f *consoleFlags) run(ctx context.Context, p cli.Process) error {
	o, err := f.console(p, f.TermsKeyFile)
	if err != nil {
		return err
	}
	if o.Memory, err = budget.Parse(f.Memory); err != nil {
		return err
	}
	o.Kafka, o.Topics, o.Workers = config.Kafka{Connection: f.Connection}, f.topics(), f.Workers
	o.EnrichField, o.Bootstrap, o.Keep, o.ReadOnly = f.EnrichField, f.Bootstrap, f.Keep, f.ReadOnly
	o.Serving = func(url string) error {
		_, err := fmt.Fprintf(p.Stdout, "console  %s\n", url)
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.Addr)
	if err != nil {
		return fmt.Errorf("the console cannot listen: %w; choose another address with --addr, or port 0 for a free port", err)
	}
	c, err := console.Open(ctx, o)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	return cli.Stopped(ctx, c.Serve(ctx, l))
}
