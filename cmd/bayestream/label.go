package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bayestream/internal/counts"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name: "label", group: "Run it on Kafka", place: 5,
		summary: "Correct the label of a document, or forget it.",
		example: "bayestream label --brokers=127.0.0.1:9092 m7 ham",
		run:     cli.Watched(runLabel),
		outline: outline[labelFlags](&labelCommand),
	})
}

// labelFlags are the flags of the verb label.
type labelFlags struct {
	Forget     bool   `help:"Forget the document instead: take it out of the counts."`
	Topic      string `placeholder:"TOPIC" help:"Training topic. Default: training, as for ingest."`
	IDField    string `name:"id-field" default:"id" placeholder:"PATH" help:"JSON path of the id, as for ingest."`
	LabelField string `default:"label" placeholder:"PATH" help:"JSON path of the label, as for ingest."`
	JSON       bool   `name:"json" help:"Write where the record was written as one JSON object."`
	Document   string `arg:"" name:"document" help:"The id of the document, or the place of its record: topic/partition/offset."`
	Label      string `arg:"" optional:"" name:"label" help:"The label that it should have."`

	clusterFlags `embed:""`
}

var labelCommand = config.Command{
	Name: program + " label",
	About: "Writes a training record that gives a document the label that it should have, under the document's id as the key, and answers when all in-sync replicas have it. A document " +
		"is named by its id, if ingest has learned it, or by the place of its record, as the source of a decision says it: documents/0/42. That record is then " +
		"learned under its own id, or under the place if it has none; its topic must be one of those that ingest allows (--ref-topics). " +
		"A document that was learned before is counted under the new label instead; --forget takes it out.",
	Examples: []config.Example{
		{What: "A message that was learned under the wrong label", Type: "bayestream label --brokers=127.0.0.1:9092 m7 ham"},
		{What: "A decision that was wrong, by the source that it names", Type: "bayestream label --brokers=127.0.0.1:9092 documents/0/0 spam"},
		{What: "A document to forget", Type: "bayestream label --brokers=127.0.0.1:9092 --forget m7"},
	},
}

// Validate returns all problems of the flags.
func (f labelFlags) Validate() error {
	found := f.needBrokers()
	switch {
	case f.Forget && f.Label != "":
		found = append(found, errors.New("--forget takes the document out and gives it no label: leave one of them out"))
	case !f.Forget && f.Label == "":
		found = append(found, errors.New("the label is missing: write it behind the document, or --forget"))
	case !f.Forget:
		if err := counts.CheckClass(f.Label); err != nil {
			found = append(found, fmt.Errorf("the label %w", err))
		}
	}
	return errors.Join(found...)
}

// labelSaid is the output of label.
type labelSaid struct {
	ID        string  `json:"id"`
	Label     *string `json:"label"` // null: forgotten
	Topic     string  `json:"topic"`
	Partition int     `json:"partition"`
	Offset    int64   `json:"offset"`
}

func runLabel(ctx context.Context, p cli.Process) error {
	var f labelFlags
	if err := labelCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	f.Label = strings.TrimSpace(f.Label) // as ingest takes it
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	if f.Topic == "" {
		f.Topic = config.Default[config.Ingest]().TrainingTopic
	}
	decoder, err := wire.NewDecoder(wire.Schema{IDField: f.IDField, LabelField: f.LabelField, Relabels: true})
	if err != nil {
		return cli.WrongInput(err)
	}
	id, at := f.Document, wire.ParsePlace(f.Document)
	if at != nil {
		if id, err = f.idAt(ctx, client, decoder, at); err != nil {
			return err
		}
	}
	rec, err := f.record(decoder, id, at)
	if err != nil {
		return cli.WrongInput(err)
	}
	said, err := f.write(ctx, client, rec)
	if err != nil {
		return err
	}
	if f.JSON {
		return json.NewEncoder(p.Stdout).Encode(said)
	}
	what := "to be forgotten"
	if said.Label != nil {
		what = "to be " + *said.Label
	}
	if at == nil && !f.Forget {
		fmt.Fprintf(p.Stderr, "ingest looks for the id among the documents that it has learned; name any other document by its place, like documents/2/0\n")
	}
	out := &printer{w: p.Stdout}
	out.f("%s is %s, says %s/%d/%d\n", said.ID, what, said.Topic, said.Partition, said.Offset)
	return out.err
}

// idAt returns the id under which the record at a place is learned: its own, or the place if it has none.
func (f *labelFlags) idAt(ctx context.Context, client *stream.Client, decoder *wire.Decoder, at *wire.Ref) (string, error) {
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset, Committed: true})
	gone := errors.Is(err, stream.ErrOffsetOutOfRange) || err == nil && (len(got.Records) == 0 || got.Records[0].Offset != at.Offset)
	switch {
	case gone && f.Forget:
		return at.String(), nil
	case gone:
		return "", cli.WrongInput(fmt.Errorf("%s holds no record: it was deleted, or never written", f.Document))
	case errors.Is(err, stream.ErrUnknownTopic), errors.Is(err, stream.ErrUnknownPartition):
		return "", cli.WrongInput(fmt.Errorf("%s: %w", f.Document, err))
	case err != nil:
		return "", err
	}
	var document wire.Document
	_ = decoder.Document(&got.Records[0], &document) // only the id is asked for, which comes first; ingest judges the content
	if !document.Explicit {
		return at.String(), nil
	}
	return strings.Clone(document.ID), nil
}

// record returns the training record, whose document is that at a place, or with nil the one that the id was learned from.
func (f *labelFlags) record(decoder *wire.Decoder, id string, at *wire.Ref) (stream.Record, error) {
	var text *stream.Record
	if at != nil {
		text = &stream.Record{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset}
	}
	return decoder.CorrectionRecord(id, &wire.Correction{Label: f.Label, Forget: f.Forget}, text)
}

// write writes the training record.
func (f *labelFlags) write(ctx context.Context, client *stream.Client, rec stream.Record) (*labelSaid, error) {
	writer, err := client.NewKeyedWriter(ctx, f.Topic)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writer.Write(ctx, rec), writer.Flush(ctx)); err != nil {
		return nil, err
	}
	to := writer.Written()[0]
	said := &labelSaid{ID: string(rec.Key), Topic: f.Topic, Partition: to.Partition, Offset: to.First}
	if !f.Forget {
		said.Label = &f.Label
	}
	return said, nil
}
