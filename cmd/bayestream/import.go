package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/exchange"
	"bayestream/internal/tools/lab/modelfile"
)

type importFlags struct {
	Model  string   `required:"" type:"path" placeholder:"M.db" help:"Model file to create or to add to; with --brokers: the model file whose counts are appended to the log."`
	Format string   `enum:"json,bogoutil" default:"json" placeholder:"FORMAT" help:"json: the output of export; bogoutil: a word list of bogofilter, dumped by bogoutil -d."`
	JSON   bool     `name:"json" help:"Write the result as one JSON object."`
	Files  []string `arg:"" optional:"" complete:"file" name:"file" help:"Files of counts, gzip or not; - or none: standard input."`

	specFlags   `embed:""`
	keyFlags    `embed:""`
	brokerFlags `embed:""`
}

var importVerb = verbOf[importFlags](config.Command{
	Name:    "import",
	Summary: "Add exported counts to a model file, or the counts of a model file to a model log.",
	Offline: true,
	About: "Adds counts. Without --brokers, from files to a model file: importing two exports adds them. With " +
		"--brokers, from a model file to the model log, from which every worker learns them. The log counts each " +
		"part once, so an interrupted import can be run again, and a second import adds nothing. A log that counts " +
		"differently is an error. copy makes a new model topic of a model file.",
	Examples: []config.Example{
		{What: "Add a model trained on files to a model log",
			Type: "bayestream import --model=sms.db --brokers=127.0.0.1:9092"},
		{What: "Merge two models", Type: "bayestream import --model=both.db monday.counts.gz tuesday.counts.gz"},
		{What: "What bogofilter has learned", Type: "bogoutil -d wordlist.db | bayestream " +
			"import --model=mail.db --format=bogoutil"},
	},
}, cli.Watched)

func (f importFlags) Validate() error {
	found := f.Problems()
	found.If(f.Named && (len(f.Files) > 0 || f.isSet() || f.Format != "json"),
		"--brokers appends the counts of --model and takes no files, --format or spec: import files into a model file "+
			"first")
	found.If(f.Format == "json" && f.isSet(),
		"an export contains its spec: --spec and its shortcuts have an effect only with --format=bogoutil")
	return errors.Join(found...)
}

type imported struct {
	Model     string `json:"model"`
	Lines     int64  `json:"lines"`
	Documents int64  `json:"documents"` // added
	Total     int64  `json:"total"`     // in the file
	Classes   int    `json:"classes"`
	Foreign   int64  `json:"left_out,omitempty"` // tokens of headers that no mail is read by here
}

func (f *importFlags) run(ctx context.Context, p cli.Process) error {
	if f.Named {
		return f.append(ctx, p)
	}
	c, err := f.read(ctx, p)
	if err != nil {
		return inputError(err)
	}
	out, err := f.add(c)
	if err != nil {
		return inputError(err)
	}
	if out.Foreign > 0 && !f.JSON {
		fmt.Fprintf(p.Stderr, "warning: %s of headers left out: no mail is read by to, rtrn, head and mime here\n",
			counted(out.Foreign, "token"))
	}
	return result(p, f.JSON, out, func(o *printer) {
		o.f("%s added from %s; %s holds %s and %s\n", counted(out.Documents, "document"), counted(out.Lines, "line"),
			out.Model, counted(out.Classes, "class"), counted(out.Total, "document"))
	})
}

func (f *importFlags) read(ctx context.Context, p cli.Process) (*exchange.Counts, error) {
	var s *spec.Spec
	if f.Format == "bogoutil" {
		var err error
		if s, err = f.Short.spec(f.Spec); err == nil {
			s, err = f.keyed(s)
		}
		if err != nil {
			return nil, err
		}
	}
	files := f.Files
	if len(files) == 0 {
		files = []string{"-"}
	}
	c := &exchange.Counts{}
	for _, file := range files {
		if err := f.readFile(ctx, p, c, s, file); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (f *importFlags) readFile(ctx context.Context, p cli.Process, c *exchange.Counts, s *spec.Spec,
	file string) error {
	in := p.Stdin
	if file != "-" {
		opened, err := os.Open(file)
		if errors.Is(err, os.ErrNotExist) {
			err = &dataset.MissingError{File: file}
		}
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }()
		in = opened
	}
	task := progress.From(ctx).Begin(filepath.Base(file), progress.Bytes, progress.Size(in))
	defer task.End()
	in = task.Reader(in)
	if s != nil {
		return c.ReadBogofilter(file, in, s)
	}
	return c.ReadLines(file, in)
}

func (f *importFlags) add(c *exchange.Counts) (*imported, error) {
	out := &imported{Model: f.Model, Lines: c.Lines, Foreign: c.Foreign}
	err := changeModel(f.Model, c.Spec, false, func(state *fold.State, _ *store.Store) error {
		classes := state.Model().Classes()
		before := classes.Total()
		if err := c.AddTo(state.Model()); err != nil {
			return cli.WrongInput(fmt.Errorf("%s: %w", f.names(), err))
		}
		state.Score(c.Scores())
		out.Documents, out.Total, out.Classes = classes.Total()-before, classes.Total(), len(classes.Live())
		return nil
	})
	return out, err
}

// names returns what an error calls the files.
func (f *importFlags) names() string {
	if len(f.Files) == 0 {
		return "-"
	}
	return escape.Text(strings.Join(f.Files, ", "))
}

func (f *importFlags) append(ctx context.Context, p cli.Process) error {
	state, err := modelfile.Load(ctx, f.Model)
	if err != nil {
		return inputError(err)
	}
	if state.Next() > 0 {
		return cli.WrongInput(fmt.Errorf("%s follows a model log, which has its counts already: to add them to another "+
			"log, export it and import the export into a new file", f.Model))
	}
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	a, err := appendCounts(ctx, client, f.ModelTopic, state)
	if err != nil {
		if errors.Is(err, stream.ErrUnknownTopic) {
			return fmt.Errorf("%w; bayestream copy %s topic:%s creates it", err, f.Model, f.ModelTopic)
		}
		return inputError(behindCut(err, "import --brokers",
			"send the documents to the training topic, or copy the file to a new model topic"))
	}
	return result(p, f.JSON, a, func(out *printer) {
		out.f("%d of %d chunks of %s were new to the model log %s\n", a.New, a.Chunks, a.Source, f.ModelTopic)
	})
}

// appendCounts appends the counts of a model to a model log, each of them once.
func appendCounts(ctx context.Context, client *stream.Client, topic string, state *fold.State) (*modellog.Imported,
	error) {
	source, err := exchange.Source(state.Model())
	if err != nil {
		return nil, err
	}
	var task *progress.Task
	defer func() { task.End() }()
	return modellog.Import(ctx, client, topic, source, state.Model(), state.Scores(), func(appended, total int64) {
		if appended == 0 {
			task = progress.From(ctx).Begin("appending to the log", "chunks", total)
			return
		}
		task.Add(1)
	})
}
