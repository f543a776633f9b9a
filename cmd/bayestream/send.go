package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/dataset"
)

type sendFlags struct {
	Documents bool     `help:"Send documents to label, to the documents topic. Default: training records, to the training topic."`
	Topic     string   `placeholder:"TOPIC" help:"Topic to write to. Default: training, or documents with --documents, as for the workers."`
	Spec      string   `type:"existingfile" placeholder:"FILE" help:"Spec of the model, which says what a record has. Default: the spec in the model log, or ingest's default where there is no log yet."`
	Wait      bool     `help:"Wait until ingest has learned the training records, and say how many became dead letters; then the exit code is 1."`
	JSON      bool     `name:"json" help:"Write what was sent as one JSON object, with the offsets in each partition."`
	Files     []string `arg:"" optional:"" complete:"file" name:"file" help:"Files or folders to send; - or none: standard input."`

	dataFlags   `embed:""`
	brokerFlags `embed:""`
}

var sendVerb = verbOf[sendFlags](config.Command{
	Name:    "send",
	Summary: "Send files to the training topic or to the documents topic.",
	About: "Sends the documents of files to Kafka. The id of a record is its key, and Kafka's default partitioner " +
		"picks the partition: what corrects or forgets the document must go there too. A line of JSON Lines is " +
		"sent as it is, so it may also forget a document (\"label\": null) or refer to one (\"ref\"). Other " +
		"formats become JSON objects (docs/formats.md), or, for a spec of the format mail or text, the mail or the " +
		"line itself. What ingest would refuse is an error here. Sending a file again replaces the documents that " +
		"have an id; those without one are learned twice.",
	Examples: []config.Example{
		{What: "Labelled messages, to be learned", Type: "bayestream send sms.jsonl.gz"},
		{What: "Messages to label", Type: "bayestream send --documents new.jsonl"},
		{What: "One record, typed",
			Type: `echo '{"id": "m7", "text": "Lunch on Friday?", "label": "ham"}' | bayestream send`},
		{What: "A CSV file with other column names",
			Type: "bayestream send --text-field=body --label-field=team tickets.csv"},
	},
}, cli.Watched)

func (f sendFlags) Validate() error {
	found := f.Problems()
	found.If(f.Documents && (f.Label != "" || f.LabelField != ""),
		"--documents sends records without a label: --label and --label-field are for training records")
	found.If(f.Documents && f.Wait, "--wait is for training records: follow decisions with bayestream labels")
	return errors.Join(found...)
}

func (f *sendFlags) topic() string {
	switch {
	case f.Topic != "":
		return f.Topic
	case f.Documents:
		return config.Default[config.Classify]().DocumentsTopic
	}
	return config.Default[config.Ingest]().TrainingTopic
}

type sent struct {
	Topic      string           `json:"topic"`
	Records    int64            `json:"records"`
	Skipped    int64            `json:"skipped"`
	Partitions []stream.Written `json:"partitions"`
	Learned    *int64           `json:"learned,omitempty"`     // with --wait
	Forwarded  int64            `json:"forwarded,omitempty"`   // written again where the document is
	Refused    map[string]int64 `json:"not_learned,omitempty"` // by reason

	keyless int64 // records without an id
	inTopic int   // partitions
}

func (f *sendFlags) run(ctx context.Context, p cli.Process) error {
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	composer, err := f.composer(ctx, client)
	if err != nil {
		return err
	}
	o := f.options(composer.spec, f.Documents)
	o.Topic = true
	reader, err := f.openWith(ctx, p, o, f.Files)
	if err != nil {
		return inputError(err)
	}
	defer func() { _ = reader.Close() }()
	writer, err := client.NewKeyedWriter(ctx, f.topic())
	if err != nil {
		return err
	}
	wait, err := f.await(ctx, p, client)
	if err != nil {
		return err
	}
	bad := f.onBad(p)
	out := &sent{Topic: f.topic(), inTopic: writer.Partitions()}
	err = out.all(ctx, writer, func(emit func(stream.Record) error) error {
		return dataset.Each(reader, bad, func(rec *dataset.Record) error {
			record, err := composer.compose(rec)
			if err != nil {
				return err
			}
			return emit(record)
		})
	})
	out.Skipped = bad.Skipped
	out.Partitions = writer.Written()
	if err != nil {
		if len(out.Partitions) > 0 {
			fmt.Fprintf(p.Stderr, "sent before the error: %s\n", counted(out.Records, "record"))
		}
		return inputError(err)
	}
	reportSkipped(p, out.Skipped)
	if wait != nil {
		n, refused, err := wait.counted(ctx, out.Partitions)
		if err != nil {
			return err
		}
		out.Forwarded = refused[wire.SkipForwarded]
		delete(refused, wire.SkipForwarded)
		out.Learned, out.Refused = &n, refused
	}
	if err := f.report(p, out); err != nil || len(out.Refused) == 0 {
		return err
	}
	return fmt.Errorf("not learned: %s; bayestream dead lists dead letters", byReason(out.Refused))
}

// await returns what waits until the records are learned, nil without --wait.
func (f *sendFlags) await(ctx context.Context, p cli.Process, client *stream.Client) (*awaited, error) {
	if !f.Wait {
		return nil, nil //nolint:nilnil // nil is documented
	}
	state, _, err := foldedLog(ctx, client, f.ModelTopic, fold.New(false))
	if err != nil {
		return nil, err
	}
	topics := usualTopics()
	topics.Model, topics.Training = f.ModelTopic, f.topic()
	return await(ctx, p, client, topics, state)
}

// lingering is how long a record may wait for others: a pipe that is followed has its records in
// the topic soon.
const lingering = 200 * time.Millisecond

// all writes the records that produce emits. They are read beside, so that what was read is sent
// while reading waits.
func (s *sent) all(ctx context.Context, w *stream.KeyedWriter,
	produce func(emit func(stream.Record) error) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	records := make(chan stream.Record, 256)
	ended := make(chan error, 1)
	go func() {
		ended <- produce(func(r stream.Record) error {
			select {
			case records <- r:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		close(records)
	}()
	tick := time.NewTicker(lingering)
	defer tick.Stop()
	for {
		select {
		case r, more := <-records:
			if !more {
				return errors.Join(<-ended, s.flush(ctx, w))
			}
			if err := w.Write(ctx, r); err != nil {
				return err
			}
			if r.Key == nil {
				s.keyless++
			}
		case <-tick.C:
			if err := s.flush(ctx, w); err != nil {
				return err
			}
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), s.flush(context.WithoutCancel(ctx), w))
		}
	}
}

func (s *sent) flush(ctx context.Context, w *stream.KeyedWriter) error {
	err := w.Flush(ctx)
	s.Records = 0
	for _, p := range w.Written() {
		s.Records += p.Records
	}
	return err
}

func (f *sendFlags) report(p cli.Process, s *sent) error {
	if s.Partitions == nil {
		s.Partitions = []stream.Written{} // a list in JSON
	}
	err := result(p, f.JSON, s, s.write)
	if s.keyless > 0 && !f.Documents && !f.JSON {
		fmt.Fprintf(p.Stderr, "records without an id: %d; such a record cannot be corrected or forgotten by its id, and "+
			"is learned twice if it is sent again\n", s.keyless)
	}
	return err
}

func (s *sent) write(out *printer) {
	if s.Records == 1 {
		at := s.Partitions[0]
		out.f("1 record sent to %s/%d/%d\n", s.Topic, at.Partition, at.First)
	} else {
		out.f("%d records sent to %s, to %d of %d partitions\n", s.Records, s.Topic, len(s.Partitions), s.inTopic)
	}
	if s.Learned != nil {
		out.f("%s learned\n", counted(*s.Learned, "record"))
		if s.Forwarded > 0 {
			out.f("%s forwarded: learned where the document is\n", counted(s.Forwarded, "record"))
		}
	}
}

// composer makes the records of a topic from the records of files.
type composer struct {
	spec      *spec.Spec
	documents bool // not training records
	elsewhere bool // label or id are in other fields than the spec says
	asIs      bool // an object of JSON Lines is a record
}

// composer returns the composer of the flags.
func (f *sendFlags) composer(ctx context.Context, client *stream.Client) (*composer, error) {
	var s *spec.Spec
	var err error
	if f.Spec != "" {
		s, err = (&shortFlags{}).spec(f.Spec)
	} else {
		_, s, err = foldedLog(ctx, client, f.ModelTopic, fold.New(false))
	}
	if err != nil {
		return nil, err
	}
	otherText := s.Text != nil && f.TextField != "" && !slices.Equal(s.TextFields(), []string{f.TextField})
	at := s.RecordPlaces()
	c := &composer{spec: s, documents: f.Documents}
	c.elsewhere = cmp.Or(f.LabelField, at.Label.Field) != at.Label.Field ||
		cmp.Or(f.IDField, at.ID.Field) != at.ID.Field || f.LabelType != wire.LabelString && at.Label.Type != f.LabelType
	c.asIs = f.Label == "" && !otherText && !c.elsewhere
	return c, nil
}

// replay folds a model log up to its end into an empty state.
func replay(ctx context.Context, client *stream.Client, topic string, state *fold.State) error {
	task := progress.From(ctx).Begin("folding "+topic, "records", progress.Unknown)
	defer task.End()
	return modellog.Replay(ctx, client, topic, state, -1, func(fold.Entry, fold.Outcome) { task.Add(1) })
}

// foldedLog returns the state at the end of a model log and the spec that is in force there, the
// default spec where there is no log. Only the fold knows which of its specs that is. state is an
// empty one.
func foldedLog(ctx context.Context, client *stream.Client, topic string, state *fold.State) (*fold.State, *spec.Spec,
	error) {
	err := replay(ctx, client, topic, state)
	switch {
	case errors.Is(err, stream.ErrUnknownTopic) || err == nil && state.Next() == 0:
		return state, spec.Default(), nil
	case errors.As(err, new(*modellog.TruncatedError)) || err == nil && state.Spec() == nil:
		return nil, nil, cli.WrongInput(fmt.Errorf("the model log %s does not begin with a spec, which says where "+
			"records have label and id: name the spec with send --spec, or correct at POST /v1/labels of ingest", topic))
	case err != nil:
		return nil, nil, err
	}
	return state, state.Spec(), nil
}

// headers returns those that the spec has records have.
func (c *composer) headers(rec *dataset.Record) (out []stream.Header) {
	at := c.spec.RecordPlaces()
	put := func(name, value string, has bool) {
		if name != "" && has {
			out = append(out, stream.Header{Key: name, Value: []byte(value)})
		}
	}
	put(at.Label.Header, rec.Label, !c.documents)
	put(at.ID.Header, rec.ID, rec.Explicit)
	put(at.Weight.Header, strconv.FormatInt(rec.Weight, 10), !c.documents && rec.Weight > 1)
	return out
}

// compose returns the record of a document, in memory of its own. The key is the id, if the
// document has one.
func (c *composer) compose(rec *dataset.Record) (stream.Record, error) {
	var out stream.Record
	if rec.Explicit {
		out.Key = []byte(rec.ID)
	}
	if c.spec.IsJSON() && rec.Format == wire.FormatJSON && (c.asIs || rec.Bare) {
		if c.elsewhere {
			return out, cli.WrongInput(errors.New("a label without a document is sent as it is: write it with the fields " +
				"that the spec names in records"))
		}
		out.Value = slices.Clone(rec.Value)
		return out, nil
	}
	out.Headers = c.headers(rec)
	value, err := rec.Body(c.spec, !c.documents)
	out.Value = slices.Clone(value)
	return out, err
}
