package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
	"bayestream/internal/tools/cli"
)

// taughtBy returns what --by has taught from a place of the log on, and the state at the end of the
// log.
func (f *logFlags) taughtBy(ctx context.Context, client *stream.Client, from *logPoint) ([]modellog.Taught, *fold.State,
	error) {
	state := fold.New(true)
	all, err := modellog.TaughtBy(ctx, client, f.ModelTopic, state, f.By)
	if err != nil {
		return nil, nil, behindCut(err, "log --by", "copy --start writes a model to a file, from a snapshot before it")
	}
	first := int64(0)
	if from.isSet() {
		first, err = from.resolve(ctx, client, f.ModelTopic)
	}
	for len(all) > 0 && all[0].Offset < first {
		all = all[1:]
	}
	return all, state, err
}

func (f *logFlags) listBy(ctx context.Context, p cli.Process, client *stream.Client) error {
	taught, _, err := f.taughtBy(ctx, client, &f.From)
	if err != nil {
		return err
	}
	fit := fitting(p)
	for _, t := range taught {
		line := struct {
			modellog.Taught
			Source string `json:"source"`
		}{t, placeOf(&t)}
		err := result(p, f.JSON, line, func(out *printer) {
			out.f("%s\n", fit(fmt.Sprintf("%8d  %s  %s  %s is %s", t.Offset, t.Time.Local().Format(time.DateTime), line.Source,
				cmp.Or(t.ID, "(no id)"), t.Label)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// placeOf returns where the record is that taught a label.
func placeOf(t *modellog.Taught) string {
	at := wire.Ref{Topic: t.Source.Topic, Partition: int(t.Source.Partition), Offset: t.Record}
	return at.String()
}

// untaught is the output of --rollback with --by.
type untaught struct {
	By       string `json:"by"`
	Taught   int    `json:"taught"`  // labels
	Forgets  int    `json:"forgets"` // that are written, or would be
	Since    int    `json:"since"`   // labels of documents that were labelled again since
	NoID     int    `json:"no_id"`   // that cannot be forgotten
	Dropped  int    `json:"dropped"` // as the ledger has dropped them
	TextGone int    `json:"gone"`    // as the text is gone
	DryRun   bool   `json:"dry_run"` // nothing is written
	records  map[fold.Source][]stream.Record
}

// offsets are those of the first records of partitions. A *stream.Client has them.
type offsets interface {
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
}

// rollbackBy writes a forget for each document whose label --by has taught, if nobody has said
// anything else of it since.
func (f *logFlags) rollbackBy(ctx context.Context, p cli.Process, client *stream.Client) error {
	taught, state, err := f.taughtBy(ctx, client, f.Rollback)
	if err != nil {
		return err
	}
	out := untaught{By: f.By, Taught: len(taught), DryRun: f.DryRun}
	if len(taught) > 0 {
		err = out.plan(ctx, client, state, taught)
	}
	if err != nil {
		return err
	}
	const atOnce = 500
	for source, records := range out.records {
		for len(records) > 0 && !f.DryRun {
			n := min(len(records), atOnce)
			_, err := worker.WriteDurably(ctx, client, source.Topic, int(source.Partition), records[:n]...)
			if err != nil {
				return fmt.Errorf("the forgets for %s/%d: %w; the same command writes those that are missing", source.Topic,
					source.Partition, err)
			}
			records = records[n:]
		}
	}
	return result(p, f.JSON, out, out.write)
}

// plan sorts what was taught by what can become of it.
func (out *untaught) plan(ctx context.Context, topics offsets, s *fold.State, taught []modellog.Taught) error {
	if s.Spec().HashesTerms() {
		return cli.WrongInput(errors.New("the ledger has hashes in the place of ids (text.terms is hmac): " +
			"forget the documents by their ids, which who taught them knows"))
	}
	decoder := wire.NewDecoder(wire.SchemaOf(s.Spec()))
	first := map[wire.Ref]int64{} // offsets, by partition
	out.records = map[fold.Source][]stream.Record{}
	for _, t := range out.inForce(s, taught) {
		entry, _ := s.Ledger(t.Source).Entry(t.ID)
		isGone, err := isGone(ctx, topics, first, entry.Put)
		if err != nil {
			return err
		}
		if isGone {
			out.TextGone++
			continue
		}
		rec, err := decoder.CorrectionRecord(t.ID, &wire.Correction{Forget: true}, nil)
		if err != nil {
			return fmt.Errorf("document %q cannot be forgotten: %w", t.ID, err)
		}
		out.Forgets++
		rec = wire.ActingAt(rec, placeOf(&t)) // a label that somebody says meanwhile stays
		out.records[t.Source] = append(out.records[t.Source], rec)
	}
	return nil
}

// inForce returns the labels that the ledgers have, and counts the others.
func (out *untaught) inForce(s *fold.State, taught []modellog.Taught) (found []modellog.Taught) {
	type document struct {
		source fold.Source
		id     string
	}
	last := map[document]int{}
	for i, t := range taught {
		last[document{t.Source, t.ID}] = i
	}
	for i, t := range taught {
		entry, isKnown := fold.LedgerChange{}, false
		if l := s.Ledger(t.Source); l != nil {
			entry, isKnown = l.Entry(t.ID)
		}
		switch {
		case t.ID == "":
			out.NoID++
		case last[document{t.Source, t.ID}] != i, isKnown && (entry.Offset != t.Record || entry.Put.Owed):
			out.Since++
		case !isKnown:
			out.Dropped++
		default:
			found = append(found, t)
		}
	}
	return found
}

// isGone reports whether the text of a document was deleted. first has what was asked before.
func isGone(ctx context.Context, topics offsets, first map[wire.Ref]int64, l *fold.Learned) (bool, error) {
	partition := wire.Ref{Topic: l.Topic, Partition: int(l.Partition)}
	begin, isAsked := first[partition]
	if !isAsked {
		var err error
		begin, _, err = topics.Offsets(ctx, l.Topic, int(l.Partition))
		switch {
		case errors.Is(err, stream.ErrUnknownTopic), errors.Is(err, stream.ErrUnknownPartition):
			begin = math.MaxInt64
		case err != nil:
			return false, fmt.Errorf("topic %q: %w", l.Topic, err)
		}
		first[partition] = begin
	}
	return l.Offset < begin, nil
}

func (out *untaught) write(w *printer) {
	verb := "written"
	if out.DryRun {
		verb = "to be written"
	}
	w.f("%s taught %s: %s %s; labelled again since: %d\n", out.By, counted(out.Taught, "label"),
		counted(out.Forgets, "forget"), verb, out.Since)
	if n := out.NoID + out.Dropped + out.TextGone; n > 0 {
		w.f("%d cannot be forgotten: no id %d, forgotten or beyond limits.ledger %d, text gone %d\n", n, out.NoID,
			out.Dropped, out.TextGone)
	}
}
