package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/counts"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
	"bayestream/internal/tools/cli"
)

func (f *labelsFlags) correctionProblems() (found config.Problems) {
	switch {
	case f.Document == "":
		found = append(found, errors.New("--forget: which document? Write it behind"))
	case f.Forget && f.Label != "":
		found = append(found, errors.New("--forget takes the document out and gives it no label: leave one of them out"))
	case !f.Forget && f.Label == "":
		found = append(found, errors.New("the label is missing: write it behind the document, or --forget"))
	case !f.Forget:
		if err := counts.CheckClass(f.Label); err != nil {
			found = append(found, fmt.Errorf("the label %w", err))
		}
	}
	return found
}

// labelSaid is the output of a correction.
type labelSaid struct {
	ID        string  `json:"id"`
	Label     *string `json:"label"` // null: forgotten
	Topic     string  `json:"topic"`
	Partition int     `json:"partition"`
	Offset    int64   `json:"offset"`
	Outcome   string  `json:"outcome"`          // as of POST /v1/labels
	Reason    string  `json:"reason,omitempty"` // why it was skipped
}

func (f *labelsFlags) correct(ctx context.Context, p cli.Process, client *stream.Client) error {
	f.TrainingTopic = cmp.Or(f.TrainingTopic, config.Default[config.Ingest]().TrainingTopic)
	// a document without fields is found in the ledgers
	state, s, err := foldedLog(ctx, client, f.ModelTopic, fold.New(true))
	if err != nil {
		return err
	}
	if !f.New {
		if err := worker.CheckLabel(state, f.Label, worker.AskAny); err != nil {
			return fmt.Errorf("%w (--new makes it a label)", err)
		}
	}
	rec, to, err := f.record(ctx, client, wire.NewDecoder(wire.SchemaOf(s)), state)
	if err != nil {
		return err
	}
	topics := usualTopics()
	topics.Model, topics.Training = f.ModelTopic, f.TrainingTopic
	wait, err := await(ctx, p, client, topics, state)
	if err != nil {
		return err
	}
	said, err := f.write(ctx, client, rec, to)
	if err != nil {
		return err
	}
	if f.Wait > 0 {
		said.await(ctx, wait, f.Wait)
	}
	return said.report(p, f)
}

// await sets what became of a correction, as far as it is known in time.
func (s *labelSaid) await(ctx context.Context, wait *awaited, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at := []stream.Written{{Partition: s.Partition, Records: 1, First: s.Offset, Last: s.Offset}}
	n, skipped, err := wait.counted(ctx, at)
	if skipped[wire.SkipForwarded] > 0 {
		at, err = wait.forwarded(ctx, wire.Ref{Topic: s.Topic, Partition: s.Partition, Offset: s.Offset})
		if err == nil {
			n, skipped, err = wait.counted(ctx, at)
		}
	}
	switch {
	case err != nil: // written, and no more is known
	case n > 0:
		s.Outcome = httpapi.OutcomeCounted
	default:
		s.Outcome = httpapi.OutcomeSkipped
		for reason := range skipped {
			s.Reason = reason
		}
	}
}

// report writes the output. It returns an error if the correction was not learned in time.
func (s *labelSaid) report(p cli.Process, f *labelsFlags) error {
	what := "forgotten"
	if s.Label != nil {
		what = *s.Label
	}
	says := "%s is to be %s, says %s/%d/%d\n"
	if s.Outcome == httpapi.OutcomeCounted {
		says = "%s is %s now, says %s/%d/%d\n"
	}
	err := result(p, f.JSON, s, func(out *printer) { out.f(says, s.ID, what, s.Topic, s.Partition, s.Offset) })
	switch {
	case err != nil:
		return err
	case s.Outcome == httpapi.OutcomeSkipped:
		advice := "bayestream dead says more"
		if s.Reason == wire.SkipUnknownID {
			advice = "no ledger and no decision that ingest knows has the id: name its source, like documents/2/0"
		}
		return fmt.Errorf("nothing was learned: %s; %s", s.Reason, advice)
	case f.Wait > 0 && s.Outcome == httpapi.OutcomeWritten:
		return errors.New("it is written, and not learned yet: bayestream status says why")
	}
	return nil
}

// idAt returns the id under which the record at a place is learned: its own, or the place if it has
// none.
func (f *labelsFlags) idAt(ctx context.Context, client *stream.Client, decoder *wire.Decoder, at *wire.Ref) (string,
	error) {
	got, err := client.Fetch(ctx,
		stream.FetchRequest{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset, Committed: true, Schemas: true})
	gone := errors.Is(err, stream.ErrOffsetOutOfRange) || err == nil && (len(got.Records) == 0 ||
		got.Records[0].Offset != at.Offset)
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
	// only the id is asked for, which comes first; ingest judges the content
	_ = decoder.Document(&got.Records[0], &document)
	if !document.Explicit {
		return at.String(), nil
	}
	return strings.Clone(document.ID), nil
}

// ofKey stands for the partition that the key of a record has.
const ofKey = -1

// record returns the training record and its partition. Its document is that at a place, or the one
// that the id was learned from. In a format without fields the record holds the document.
func (f *labelsFlags) record(ctx context.Context, client *stream.Client, decoder *wire.Decoder,
	state *fold.State) (rec stream.Record, partition int, err error) {
	to := worker.Target{ID: f.Document, Partition: ofKey}
	at := wire.ParsePlace(f.Document)
	switch {
	case decoder.IsWhole() && !f.Forget:
		to, err = f.find(ctx, client, decoder, state)
	case at != nil:
		to.Text = &stream.Record{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset}
		to.ID, err = f.idAt(ctx, client, decoder, at)
	}
	if err != nil {
		return rec, ofKey, err
	}
	rec, err = decoder.CorrectionRecord(to.ID, &wire.Correction{Label: f.Label, Forget: f.Forget}, to.Text)
	return rec, to.Partition, cli.WrongInput(err)
}

// folded is a state that a Finder reads.
type folded struct{ *fold.State }

func (s folded) Read(f func(*fold.State)) { f(s.State) }

// find returns the document, as POST /v1/labels finds it. Decisions are not searched for an id.
func (f *labelsFlags) find(ctx context.Context, client *stream.Client, decoder *wire.Decoder,
	state *fold.State) (worker.Target, error) {
	if s := state.Spec(); s != nil && s.HashesTerms() {
		return worker.Target{}, cli.WrongInput(errors.New("the ledger has hashes in the place of ids (text.terms is hmac): " +
			"correct at POST /v1/labels of ingest"))
	}
	partitions := func(ctx context.Context) (int, error) {
		info, err := client.Topic(ctx, f.TrainingTopic)
		return info.Partitions, err
	}
	finder := &worker.Finder{Topic: f.TrainingTopic, Partitions: partitions, Decoder: decoder, Fetcher: client,
		Replica: folded{state}}
	to, err := finder.Find(ctx, &wire.Correction{ID: f.Document, Label: f.Label})
	refused, isRefused := errors.AsType[*httpapi.RefusedError](err)
	switch {
	case isRefused && refused.Reason == string(wire.UnknownID):
		err = cli.WrongInput(fmt.Errorf("no ledger has the document %q: name the source of its decision, like documents/2/0",
			f.Document))
	case isRefused || errors.As(err, new(*wire.Reject)):
		err = cli.WrongInput(err)
	}
	return to, err
}

func (f *labelsFlags) write(ctx context.Context, client *stream.Client, rec stream.Record, partition int) (*labelSaid,
	error) {
	writer, err := client.NewKeyedWriter(ctx, f.TrainingTopic)
	if err != nil {
		return nil, err
	}
	if partition == ofKey {
		err = writer.Write(ctx, rec)
	} else {
		err = writer.WriteTo(ctx, partition, rec)
	}
	if err := errors.Join(err, writer.Flush(ctx)); err != nil {
		return nil, err
	}
	to := writer.Written()[0]
	said := &labelSaid{ID: string(rec.Key), Topic: f.TrainingTopic, Partition: to.Partition, Offset: to.First,
		Outcome: httpapi.OutcomeWritten}
	if !f.Forget {
		said.Label = &f.Label
	}
	return said, nil
}

func (f *labelsFlags) renameProblems() (found config.Problems) {
	found.If(f.Document == "" || f.Label == "" || f.Forget,
		"--rename wants two names and nothing else: labels --rename OLD NEW")
	found.If(f.Model != "" && f.Named, "--model renames in a file, --brokers in the model log: give one of them")
	found.If(f.Why != "" && f.Model != "", "--why is for the model log, and not for --model")
	return found
}

type renamed struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Documents int64  `json:"documents"` // of the class under its new name
	Offset    *int64 `json:"offset"`    // of the control record; null: a file
}

// rename renames in a file or in the log.
func (f *labelsFlags) rename(p cli.Process, in func(*renamed) error) error {
	out := renamed{From: f.Document, To: f.Label}
	if err := in(&out); err != nil {
		return err
	}
	return result(p, f.JSON, out, func(o *printer) {
		o.f("%s is called %s, which has %s\n", out.From, out.To, counted(out.Documents, "document"))
	})
}

func (f *labelsFlags) inFile(out *renamed) error {
	return inputError(changeModel(f.Model, nil, false, func(state *fold.State, _ *store.Store) error {
		if f.Document != f.Label && state.Spec().Names(f.Document) {
			return cli.WrongInput(fmt.Errorf("the spec of %s names class %q: train a model with another spec", f.Model,
				f.Document))
		}
		m := state.Model()
		if _, ok := m.Classes().ID(f.Document); !ok {
			return cli.WrongInput(fmt.Errorf("%s has no class %q; it has %s%s", f.Model, f.Document,
				firstQuoted(m.ClassNames()), spelling.Guess(f.Document, m.ClassNames())))
		}
		if err := m.Rename(f.Document, f.Label); err != nil {
			return cli.WrongInput(err)
		}
		id, _ := m.Classes().ID(f.Label)
		out.Documents = m.Classes().Documents(id)
		return nil
	}))
}

func (f *labelsFlags) inLog(ctx context.Context, client *stream.Client, out *renamed) error {
	state := fold.New(true)
	at, err := modellog.Command(ctx, client, f.ModelTopic, state, modellog.Rename(f.Document, f.Label, f.Why))
	if err != nil {
		return inputError(behindCut(err, "labels --rename", "relabel the documents, or count into a new --model-topic "+
			"from records that have the new label"))
	}
	id, _ := state.Model().Classes().ID(f.Label)
	out.Documents = state.Model().Classes().Documents(id)
	out.Offset = &at
	return nil
}
