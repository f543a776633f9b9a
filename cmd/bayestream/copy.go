package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/modelfile"
)

type copyFlags struct {
	Until logPoint         `placeholder:"OFFSET|TIME" help:"From a topic: where to stop: an offset, whose record is not copied any more, a time, or how long ago. Default: the end of the topic."`
	Start config.FileOrURL `complete:"file" placeholder:"M.db|URL" help:"From a topic whose start was deleted: the snapshot or model file to start from, not later than --until."`
	Keep  int              `default:"3" placeholder:"N" help:"To a folder: snapshots that stay in it, the newest ones."`
	JSON  bool             `name:"json" help:"Write the result as one JSON object."`
	From  config.FileOrURL `arg:"" complete:"file" name:"from" help:"The model: a file, packed or not; http://HOST:PORT/v1/snapshot of a running worker; or topic:NAME for a model topic."`
	To    config.FileOrURL `arg:"" complete:"file" name:"to" help:"Where to: a file, compressed if its name ends in .gz; a folder of snapshots, whose name ends in / if it does not exist; a URL that takes PUT; or topic:NAME, a model topic. Neither the file nor a record of the topic may exist."`

	clusterFlags `embed:""`
}

var copyVerb = verbOf[copyFlags](config.Command{
	Name:    "copy",
	Summary: "Copy a model: back it up, restore it, hand it to new workers, or get it as it was.",
	About: "Copies a model from a file, a running worker or a model topic to a file or a model topic, and checks " +
		"the copy. Nothing is overwritten. A copy has its position in the model topic: a worker that starts from " +
		"it needs only the records from there on. Workers with --bootstrap find the newest copy in a folder. From " +
		"a topic to a topic the records are copied, with positions and ledgers; from a file or a worker a topic " +
		"gets the counts alone. With --until the copy is the model as it was then: what log took out later still " +
		"counts in it.",
	Examples: []config.Example{
		{What: "Back up a running worker", Type: "bayestream copy http://127.0.0.1:7431/v1/snapshot model.db.gz"},
		{What: "Restore the file of a worker, before it is started",
			Type: "bayestream copy backup.db.gz bayestream-ingest.db"},
		{What: "A snapshot for new workers", Type: "bayestream copy http://ingest:7431/v1/snapshot snapshots/"},
		{What: "The model of two hours ago", Type: "bayestream copy --until=2h topic:bayestream-model then.db"},
		{What: "A model that was trained on files, for workers",
			Type: "bayestream copy sms.db topic:sms-model"},
	},
}, cli.Watched)

// topicPrefix begins the name of a topic among files and URLs.
const topicPrefix = "topic:"

// topicIn returns the topic that a place names.
func topicIn(place config.FileOrURL) (topic string, ok bool) {
	return strings.CutPrefix(place.Reveal(), topicPrefix)
}

func (f copyFlags) Validate() error {
	from, fromTopic := topicIn(f.From)
	to, toTopic := topicIn(f.To)
	var found config.Problems
	if fromTopic || toTopic {
		found = f.Problems()
	}
	found.If(fromTopic && from == "" || toTopic && to == "", "topic: names no topic: want topic:NAME")
	found.If(fromTopic && from == to, "%s is both ends of the copy", f.From)
	found.If(!fromTopic && (f.Until.isSet() || f.Start != ""),
		"--until and --start have an effect only on a copy from topic:NAME")
	found.If(fromTopic && toTopic && f.Start != "", "--start has no effect on a copy from topic to topic")
	found.If(f.Keep < 1, "--keep: %d: want at least 1", f.Keep)
	return errors.Join(found...)
}

type copied struct {
	From      config.FileOrURL `json:"from"`
	To        config.FileOrURL `json:"to"`
	Documents int64            `json:"documents"`
	Classes   int              `json:"classes"`
	Next      int64            `json:"next"` // offset of the model topic that is folded after it; 0: it never followed one
	Counts    string           `json:"digest_of_counts"`
}

func (f *copyFlags) run(ctx context.Context, p cli.Process) error {
	if err := f.isFree(); err != nil {
		return err
	}
	state, err := f.copy(ctx, p)
	if err != nil {
		return inputError(err)
	}
	classes := state.Model().Classes()
	counts, _ := state.Digests()
	c := &copied{From: f.From, To: f.To, Documents: classes.Total(), Classes: len(classes.Live()), Next: state.Next(),
		Counts: counts.String()}
	return result(p, f.JSON, c, func(out *printer) {
		out.f("%s is a checked copy of %s: %s in %s\n", c.To, c.From, counted(c.Documents, "document"),
			counted(c.Classes, "class"))
		if c.Next > 0 {
			out.f("a worker that starts from it needs the records of its model topic from offset %d on\n", c.Next)
		}
	})
}

func (f *copyFlags) copy(ctx context.Context, p cli.Process) (state *fold.State, err error) {
	from, fromTopic := topicIn(f.From)
	to, toTopic := topicIn(f.To)
	var client *stream.Client // of a topic
	if fromTopic || toTopic {
		if client, err = f.dial(p); err != nil {
			return nil, err
		}
		defer client.Close()
	}
	if fromTopic && toTopic {
		return f.clone(ctx, p, client, from, to)
	}
	dir, err := os.MkdirTemp(f.scratch(), ".incoming-")
	if err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "model.db")
	if fromTopic {
		state, err = f.fold(ctx, client, from, path)
	} else if err = modelfile.Take(ctx, f.From.Reveal(), path); err == nil {
		state, err = modelfile.Load(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	if toTopic {
		return state, f.fill(ctx, p, client, state, to)
	}
	return state, f.put(ctx, state, path)
}

// fold writes the model of a model topic to a new file at path.
func (f *copyFlags) fold(ctx context.Context, client *stream.Client, topic, path string) (state *fold.State,
	err error) {
	if f.Start != "" {
		if err := modelfile.Take(ctx, f.Start.Reveal(), path); err != nil {
			return nil, err
		}
	}
	file, err := store.Open(path, time.Second)
	if err != nil {
		return nil, err
	}
	state, err = file.Load()
	if err == nil && state == nil {
		state = fold.New(true)
	}
	if err == nil {
		err = f.replay(ctx, client, topic, state)
	}
	if err == nil {
		err = file.Write(store.Collect(state))
	}
	return state, errors.Join(err, file.Close())
}

// end returns the offset of --until, -1 without it.
func (f *copyFlags) end(ctx context.Context, client *stream.Client, topic string) (int64, error) {
	if !f.Until.isSet() {
		return -1, nil
	}
	return f.Until.resolve(ctx, client, topic)
}

// replay folds the topic into state up to --until.
func (f *copyFlags) replay(ctx context.Context, client *stream.Client, topic string, state *fold.State) error {
	end, err := f.end(ctx, client, topic)
	if err != nil {
		return err
	}
	if end >= 0 && state.Next() > end {
		return cli.WrongInput(fmt.Errorf("%s is the model at offset %d of the log, later than --until, which is offset %d: "+
			"start from an older snapshot", f.Start, state.Next(), end))
	}
	task := progress.From(ctx).Begin("folding the log", "records", max(end-state.Next(), 0))
	defer task.End()
	err = modellog.Replay(ctx, client, topic, state, end, func(fold.Entry, fold.Outcome) { task.Add(1) })
	if err == nil && state.Model() == nil {
		return f.noModel(topic, state)
	}
	return f.explain(err, topic, end)
}

// noModel says why a topic that was folded holds no model.
func (f *copyFlags) noModel(topic string, state *fold.State) error {
	why := "it is no model topic, or no worker has begun it"
	if f.Until.isSet() {
		why = "it is no model topic, or there was no model yet; choose a later --until"
	}
	return cli.WrongInput(fmt.Errorf("the topic %s holds no spec before offset %d: %s", topic, state.Next(), why))
}

// explain says what can be done about a topic that cannot be read from its start, or up to --until.
func (f *copyFlags) explain(err error, topic string, end int64) error {
	var cut *modellog.TruncatedError
	switch {
	case errors.As(err, &cut):
		return cli.WrongInput(fmt.Errorf("the model topic %s starts at offset %d, and the records before it are needed: "+
			"name a snapshot from offset %d or later with --start",
			topic, cut.Start, cut.Start))
	case errors.As(err, new(*modellog.DifferenceError)):
		return cli.WrongInput(fmt.Errorf("--until %s is offset %d, beyond the end of the model topic %s", f.Until.text, end,
			topic))
	}
	return err
}

// clone copies the records of a model topic to another one, and returns the state of that.
func (f *copyFlags) clone(ctx context.Context, p cli.Process, client *stream.Client, from, to string) (*fold.State,
	error) {
	end, err := f.end(ctx, client, from)
	if err != nil {
		return nil, err
	}
	if _, _, err := client.Offsets(ctx, from, 0); err != nil { // before the other topic is created
		return nil, fmt.Errorf("model topic %q: %w", from, err)
	}
	if err := emptyLog(ctx, p, client, to); err != nil {
		return nil, err
	}
	task := progress.From(ctx).Begin("copying "+from, "records", max(end, 0))
	defer task.End()
	err = modellog.Clone(ctx, client, from, to, end, func(n int) { task.Add(int64(n)) })
	if cut, ok := errors.AsType[*modellog.TruncatedError](err); ok {
		return nil, cli.WrongInput(fmt.Errorf("the model topic %s starts at offset %d: copy a snapshot of a worker, whose "+
			"counts do not need the records before it", from, cut.Start))
	}
	if err != nil {
		return nil, f.explain(err, from, end)
	}
	state := fold.New(true)
	err = modellog.Replay(ctx, client, to, state, -1, nil)
	if err == nil && state.Model() == nil {
		err = fmt.Errorf("%s holds no model: %w", to, f.noModel(from, state))
	}
	return state, err
}

// folder reports whether the copy goes into a folder of snapshots.
func (f *copyFlags) folder() bool {
	info, err := os.Stat(f.To.Reveal())
	return err == nil && info.IsDir() || strings.HasSuffix(f.To.Reveal(), string(filepath.Separator)) &&
		!store.IsURL(f.To.Reveal())
}

// elsewhere reports whether the copy goes to a topic or a URL.
func (f *copyFlags) elsewhere() bool {
	_, topic := topicIn(f.To)
	return topic || store.IsURL(f.To.Reveal())
}

// isFree returns an error if the file exists, or its folder does not, before long work.
func (f *copyFlags) isFree() error {
	to := f.To.Reveal()
	if f.elsewhere() {
		return nil
	}
	if _, err := os.Lstat(to); err == nil && !f.folder() {
		return cli.WrongInput(&modelfile.ExistsError{Path: to})
	}
	return hasFolder(filepath.Join(f.scratch(), filepath.Base(to)))
}

// scratch returns where the copy is made before it gets its name: on the file system of its place.
// A folder that does not exist is made last, so that a copy that fails leaves none.
func (f *copyFlags) scratch() string {
	switch {
	case f.elsewhere():
		return os.TempDir()
	case !f.folder():
		return filepath.Dir(f.To.Reveal())
	}
	place := filepath.Clean(f.To.Reveal())
	for {
		if _, err := os.Lstat(place); err == nil || filepath.Dir(place) == place {
			return place
		}
		place = filepath.Dir(place)
	}
}

func (f *copyFlags) put(ctx context.Context, state *fold.State, path string) error {
	url := store.IsURL(f.To.Reveal())
	if url || f.folder() {
		if err := canStart(state); err != nil {
			return cli.WrongInput(fmt.Errorf("%s: %w", f.From, err))
		}
	}
	switch {
	case url:
		return store.Upload(ctx, f.To.Reveal(), path)
	case f.folder():
		place, err := store.Shelf(f.To.Reveal()).Put(path, state.Next(), f.Keep)
		f.To = config.FileOrURL(place)
		return err
	}
	return f.name(ctx, path)
}

// name gives the model file at path its name, compressed if the name says so.
func (f *copyFlags) name(ctx context.Context, path string) (err error) {
	to := f.To.Reveal()
	if strings.HasSuffix(to, ".gz") {
		if path, err = modelfile.Pack(ctx, path); err != nil {
			return fmt.Errorf("copy: %w", err)
		}
	}
	err = store.Place(path, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &modelfile.ExistsError{Path: to}
	case err != nil:
		return fmt.Errorf("copy: %w", err)
	}
	return nil
}

// canStart reports whether every worker can start from a state.
func canStart(s *fold.State) error {
	switch {
	case s.Next() == 0:
		return errors.New("the model never followed a model topic, so no worker can start from it")
	case !s.KeepsLedger():
		return errors.New("it has no ledgers, which ingest needs: copy the model of an ingest worker")
	}
	return nil
}

// emptyLog creates a model topic if it is missing. It refuses one with records.
func emptyLog(ctx context.Context, p cli.Process, client *stream.Client, topic string) error {
	created, err := worker.CreateLog(ctx, client, topic)
	if err != nil {
		return err
	}
	if created {
		fmt.Fprintf(p.Stderr, "topic %s created\n", topic)
	}
	info, err := client.Topic(ctx, topic)
	if err != nil {
		return err
	}
	if info.Partitions != 1 {
		return cli.WrongInput(fmt.Errorf("topic %q has %d partitions: a model topic has one", topic, info.Partitions))
	}
	_, end, err := client.Offsets(ctx, topic, 0)
	if err == nil && end > 0 {
		err = cli.WrongInput(fmt.Errorf("topic %s has records, which are not overwritten: choose another name; import "+
			"--brokers adds counts to a model", topic))
	}
	return err
}

// fill appends the counts of a model to a model topic.
func (f *copyFlags) fill(ctx context.Context, p cli.Process, client *stream.Client, state *fold.State,
	topic string) error {
	if err := emptyLog(ctx, p, client, topic); err != nil {
		return err
	}
	if state.Next() > 0 {
		fmt.Fprintf(p.Stderr, "warning: %s gets the counts without the positions and ledgers of %s: an ingest that follows "+
			"it counts its training topic from --from on\n", topic, f.From)
	}
	_, err := appendCounts(ctx, client, topic, state)
	return err
}
