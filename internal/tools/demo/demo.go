// Package demo runs the whole pipeline in one process: a Kafka broker, ingest and classify exactly
// as they run in production (over TCP to that broker), and a client that writes documents and
// labels and reads the answers.
//
// Every record is tested and then learned: its document goes to the documents topic without its
// label, the decision is compared with the label, and only then does the labelled record go to the
// training topic. So the accuracy is measured on documents that the model has not learned.
package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/broker"
	"bayestream/internal/tools/lab/dataset"
)

// Options of the demo.
type Options struct {
	Data     dataset.Reader // of labelled documents, by the spec; nil: generated news
	Bad      *dataset.OnBad // what to do with a record of Data that cannot be used
	Shuffle  uint64         // seed of a random order of Data; 0: as it is
	Spec     *spec.Spec     // of the model, with its key
	SpecFile string         // that holds it; "": it is the default, or a preset
	Preset   config.PresetFlag
	KeyFile  string   // of the terms; "": they have none
	Brokers  []string // a real Kafka; none: an embedded broker
	Addr     string   // HTTP of the console; the workers get the next ports
	// folder of the model files and the embedded broker; "": one that is removed at the end
	State    string
	Once     bool                       // every record once, without pauses, then a summary
	JSON     bool                       // no table: a line of JSON for each block
	Terminal bool                       // stdout is a terminal: draw the table in place
	Size     func() (columns, rows int) // of the terminal
	Color    bool
	Seed     uint64 // of the news
}

// Summary is the last line that --once prints.
type Summary struct {
	Learned       int64   `json:"learned"`
	Labelled      int64   `json:"labelled"`
	DeadLetters   int64   `json:"dead_letters"`
	Correct       int64   `json:"correct"`
	Accuracy      float64 `json:"accuracy"`
	Seconds       float64 `json:"seconds"`
	State         string  `json:"state"`          // "": removed
	LearnedBefore int64   `json:"learned_before"` // documents that the model had when the demo began
}

// Run runs the demo until ctx ends or, with Once, until every record is learned and labelled.
func Run(ctx context.Context, o Options, stdout, stderr io.Writer) error {
	source, err := open(o) // before anything is started
	if err != nil {
		return err
	}
	d := &demo{options: o, source: source, out: stdout, notes: stdout}
	if o.Once || o.JSON {
		d.notes = stderr
	}
	d.score.started = time.Now()
	d.score.state = o.State
	if err := d.listen(ctx); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = d.console.listener.Close() }() // where the console was not started
	d.begins()
	folder, err := makeFolder(o.State)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	d.options.State = folder
	err = d.start(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !o.Once {
		err = nil // a stop is the normal end, except of --once
	}
	var line *wire.LineError
	if err != nil && ctx.Err() == nil && !errors.As(err, &line) { // of a record the log says nothing
		return fmt.Errorf("demo: %w (the workers' log is %s)", err, d.logPath())
	}
	if o.State == "" {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if line != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return d.finish(stdout, stderr)
}

// begins says what is about to happen, before anything that takes time.
func (d *demo) begins() {
	where := cmp.Or(strings.Join(d.options.Brokers, ","), "a Kafka broker of its own")
	fmt.Fprintf(d.notes, "console  http://%s\ncorrect  %s\n", d.console.listener.Addr(), d.console.address())
	fmt.Fprintf(d.notes, "Bayestream demo: starts ingest and classify on %s.\n", where)
}

// makeFolder makes the folder that is named, or a temporary one, and returns it.
func makeFolder(name string) (string, error) {
	if name == "" {
		return os.MkdirTemp("", "bayestream-demo-")
	}
	return name, os.MkdirAll(name, 0o700)
}

func (d *demo) logPath() string { return filepath.Join(d.options.State, "workers.log") }

// start starts the broker, if none is named, and runs the demo on it.
func (d *demo) start(ctx context.Context) error {
	logFile, err := os.OpenFile(d.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	d.log = slog.New(slog.NewTextHandler(logFile, nil))
	if len(d.options.Brokers) == 0 {
		b, err := broker.Start(broker.Options{Dir: filepath.Join(d.options.State, "kafka")})
		if err != nil {
			return err
		}
		defer b.Close()
		d.options.Brokers = b.Addrs
	}
	return d.run(ctx)
}

type demo struct {
	options Options
	source  *source
	out     io.Writer
	notes   io.Writer // what is said beside the results
	log     *slog.Logger
	console consolePage
	pipe    *pipeline
	score   score
	view    *view
	client  *stream.Client
	labels  stream.Tail // answers that were not read yet
	dead    stream.Tail
}

// run starts the pipeline, feeds it and stops it again.
func (d *demo) run(ctx context.Context) error {
	sc := stream.Config{Brokers: d.options.Brokers, ClientID: "bayestream-demo", Log: d.log}
	client, err := stream.Dial(sc)
	if err != nil {
		return err
	}
	defer client.Close()
	d.client = client
	if err := client.Ping(ctx); err != nil { // the workers would wait for it
		return err
	}
	at, err := listenBehind(ctx, d.options.Addr)
	if err != nil {
		return err
	}
	stopConsole, err := d.startConsole(ctx, at)
	if err != nil {
		return err
	}
	defer stopConsole()
	d.pipe, err = startPipeline(ctx, client, d.options, at, d.log)
	if err != nil {
		return err
	}
	if err := d.openAnswers(ctx); err != nil {
		return errors.Join(err, d.pipe.stop())
	}
	d.score.before = d.pipe.documents()
	d.view = &view{score: &d.score, out: d.out, options: d.options, ingest: d.pipe.Ingest, classify: d.pipe.Classify,
		console: d.console.address(), sample: d.source.Sample()}
	d.view.begin(d.notes)
	feedErr := d.feed(d.pipe.Context)
	if feedErr == nil {
		d.warn()
	}
	if feedErr == nil && !d.options.Once {
		d.view.done()
		<-ctx.Done()
	}
	stopErr := d.pipe.stop()
	if stopErr != nil && (errors.Is(feedErr, context.Canceled) || errors.Is(feedErr, stopErr)) {
		return stopErr // why the feed was cancelled
	}
	return errors.Join(feedErr, stopErr)
}

// warn says that the documents came class after class. A table that is drawn has said so.
func (d *demo) warn() {
	if warning := d.score.order.Warning(); warning != "" && !d.view.isDrawn() {
		fmt.Fprintln(d.notes, "warning: "+warning)
	}
}

// feed tests and learns block after block.
func (d *demo) feed(ctx context.Context) error {
	block := blockLive
	if d.options.Once {
		block = blockOnce
	}
	for ctx.Err() == nil {
		items, err := d.source.Next(block)
		if err != nil || len(items) == 0 {
			return err
		}
		for i := range items {
			d.score.order.Add(items[i].Label)
		}
		start := time.Now()
		if err := d.test(ctx, items); err != nil {
			return err
		}
		if err := d.learn(ctx, items); err != nil {
			return err
		}
		d.view.block()
		if !d.options.Once {
			stream.Sleep(ctx, pace-time.Since(start))
		}
	}
	return ctx.Err()
}

const (
	blockOnce = 100
	blockLive = 5
	pace      = 250 * time.Millisecond // of a block in the live table: readable
)

// finish prints the summary, as JSON with --once.
func (d *demo) finish(stdout, stderr io.Writer) error {
	s := d.score.summary()
	if d.options.Once {
		return json.NewEncoder(stdout).Encode(s)
	}
	kept := ""
	if s.State != "" {
		kept = " The model files are in " + s.State + "."
	}
	_, err := fmt.Fprintf(stderr, "\n%d learned, %d labelled, accuracy %.4f.%s\n", s.Learned, s.Labelled, s.Accuracy, kept)
	return err
}
