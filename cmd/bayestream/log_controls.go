package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
)

// judged is what became of the records of a model log.
type judged struct {
	state    *fold.State
	controls map[int64]*fold.Control // in force, by their offsets
}

// judge folds a model log into state; each, if not nil, is as of modellog.Replay.
func judge(ctx context.Context, log modellog.Reader, topic string, state *fold.State,
	each func(fold.Entry, fold.Outcome)) (*judged, error) {
	all, outcomes := map[int64]*fold.Control{}, map[int64]fold.Outcome{}
	err := modellog.Replay(ctx, log, topic, state, -1, func(e fold.Entry, o fold.Outcome) {
		if e.Control != nil {
			all[e.Offset] = e.Control
		}
		if all[e.Offset] != nil { // behind a void the log is folded again
			outcomes[e.Offset] = o
		}
		if each != nil {
			each(e, o)
		}
	})
	j := &judged{state, map[int64]*fold.Control{}}
	for at, c := range all {
		// what a rollback has taken out stays out, also where a later one takes out its record
		isKnown := slices.ContainsFunc(state.Voids(), func(v fold.KnownVoid) bool { return v.At == at })
		if isKnown || c.Void == nil && outcomes[at] == fold.Controlled {
			j.controls[at] = c
		}
	}
	return j, err
}

// longer is a model log as it is with one more record.
type longer struct {
	modellog.Reader
	last stream.Fetched // the record; else as what was fetched before
}

func (l *longer) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	first, _, err = l.Reader.Offsets(ctx, topic, partition)
	return first, l.last.Records[0].Offset + 1, err
}

func (l *longer) Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	at := l.last.Records[0].Offset
	if request.Offset == at {
		return l.last, nil
	}
	got, err := l.Reader.Fetch(ctx, request)
	// what came since is not looked at
	got.Records = slices.DeleteFunc(got.Records, func(r stream.Record) bool { return r.Offset >= at })
	got.Next = min(got.Next, at)
	if request.Identify {
		l.last.Next, l.last.LeaderEpoch, l.last.TopicID = at+1, got.LeaderEpoch, got.TopicID
	}
	return got, err
}

// lastRollback returns the offset of the last rollback in force from an offset on, nil if there is
// none.
func (j *judged) lastRollback(from int64) (at *int64) {
	for _, v := range j.state.Voids() {
		if !v.Recount && v.At >= from {
			at = &v.At
		}
	}
	return at
}

// undone returns the offsets of the controls that are not in force any more once a record is taken
// out, which is none of them. No control before the record depends on it.
func (j *judged) undone(ctx context.Context, client modellog.Reader, topic string, v *fold.Void) (at []int64,
	err error) {
	for offset := range j.controls {
		if offset > v.From {
			at = append(at, offset)
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	value, err := codec.EncodeControl(&fold.Control{Void: v})
	if err != nil {
		return nil, err
	}
	log := &longer{Reader: client, last: stream.Fetched{Records: []stream.Record{{Offset: j.state.Next(), Value: value}}}}
	then, err := judge(ctx, log, topic, fold.New(false), nil)
	at = slices.DeleteFunc(at, func(offset int64) bool { return then.controls[offset] != nil })
	slices.Sort(at)
	return at, err
}

// judgedOnce returns a function that says whether the control at an offset is in force; nil: that is
// not known, because the log cannot be folded. It folds the log when it is asked first.
func (f *logFlags) judgedOnce(ctx context.Context, client *stream.Client) func(offset int64) *bool {
	once := sync.OnceValues(func() (*judged, error) {
		return judge(ctx, client, f.ModelTopic, fold.New(false), nil)
	})
	return func(offset int64) *bool {
		j, err := once()
		if err != nil || offset >= j.state.Next() {
			return nil
		}
		return new(j.controls[offset] != nil)
	}
}

type voided struct {
	Void   int64   `json:"void"`
	Offset *int64  `json:"offset"`           // of the control record; null: a dry run
	Undone []int64 `json:"undone,omitempty"` // offsets of controls that are not in force any more
}

func (f *logFlags) void(ctx context.Context, p cli.Process, client *stream.Client) error {
	at := f.Void.offset
	v, err := modellog.VoidOf(ctx, client, f.ModelTopic, at, at+1)
	if err != nil {
		return inputError(err)
	}
	var counted countedDeltas
	now, folding := judge(ctx, client, f.ModelTopic, fold.New(false), counted.noteFrom(at))
	if !f.AcceptLoss {
		if err := f.checkRecount(ctx, client, counted, folding); err != nil {
			return err
		}
	}
	done := voided{Void: at}
	if folding == nil { // else no worker of this version has come to what is behind the record
		if done.Undone, err = now.undone(ctx, client, f.ModelTopic, v); err != nil {
			return err
		}
		counted.warn(&printer{w: p.Stderr}, at, now, done.Undone)
	}
	if !f.DryRun {
		offset, err := modellog.VoidRecords(ctx, client, f.ModelTopic, at, at+1, f.Why)
		if err != nil {
			return inputError(err)
		}
		done.Offset = &offset
	}
	return result(p, f.JSON, done, func(out *printer) {
		if f.DryRun {
			out.f("the record at offset %d of %s would be taken out\n", at, f.ModelTopic)
			return
		}
		out.f("the record at offset %d of %s is taken out by the one at offset %d; workers that have counted it start over "+
			"from the log\n", at, f.ModelTopic, *done.Offset)
	})
}

// warn says what the void of the record at an offset does to the controls behind it.
func (c countedDeltas) warn(out *printer, at int64, now *judged, undone []int64) {
	for _, offset := range undone {
		undoing(out, offset, now.controls[offset])
	}
	for _, offset := range c.passed(at, now, undone) {
		r := now.controls[offset].Rename
		out.f("warning: the rename at offset %d does not move what is counted again: %q is a class again\n"+
			"%slabels --rename %q %q\n", offset, r.From, then, r.From, r.To)
	}
}

// then begins the command that does again what a void has undone.
const then = "once ingest has counted again, type it again: bayestream "

// undoing says that a control will not be in force any more, and what to type then.
func undoing(out *printer, at int64, c *fold.Control) {
	switch {
	case c.Void != nil:
		out.f("warning: this undoes the rollback at offset %d: what it took out counts again\n"+
			"%slog --rollback=%d --why=TEXT (a later offset keeps more of what is counted again)\n", at, then, c.Void.From)
	case c.Rename != nil:
		out.f("warning: this undoes the rename at offset %d\n%slabels --rename %q %q\n", at, then, c.Rename.From, c.Rename.To)
	default:
		out.f("warning: this undoes the reset at offset %d: what was counted before it comes back\n", at)
	}
}

// checkRecount refuses to take out a delta if not all can be counted again that is not counted then,
// or if workers would have to start over without the head of the log. folding is why the log cannot
// be folded.
func (f *logFlags) checkRecount(ctx context.Context, client *stream.Client, counted countedDeltas,
	folding error) error {
	isCounted, err := f.isDelta(ctx, client)
	if err != nil || !isCounted {
		return err // nothing was counted; of a record that is not there the void says so
	}
	head, _, err := client.Offsets(ctx, f.ModelTopic, 0)
	if err != nil {
		return fmt.Errorf("model topic %q: %w", f.ModelTopic, err)
	}
	if head > 0 {
		return cli.WrongInput(fmt.Errorf("the model log %s starts at offset %d: workers that have counted the record at "+
			"offset %d would start over from the log, which lacks its head; "+
			"--accept-loss takes it out all the same", f.ModelTopic, head, f.Void.offset))
	}
	if folding != nil {
		return fmt.Errorf("what is counted again without the record at offset %d: %w; --accept-loss does not ask",
			f.Void.offset, folding)
	}
	_, again := counted.again(f.Void.offset)
	for i := range again {
		if err := checkRange(ctx, client, &again[i]); err != nil {
			return err
		}
	}
	return nil
}

// isDelta reports whether the record to take out is a delta that can be read.
func (f *logFlags) isDelta(ctx context.Context, client *stream.Client) (yes bool, err error) {
	err = modellog.Each(ctx, client, f.ModelTopic, f.Void.offset, f.Void.offset+1, func(rec *stream.Record) error {
		r := codec.Describe(rec.Value, rec.Offset)
		yes = r.Kind == "delta" && r.Problem == ""
		return nil
	})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return false, nil
	}
	return yes, err
}

type countedDelta struct {
	offset int64
	ranges []fold.Range
	labels []string // of its records
}

type countedDeltas []countedDelta

// noteFrom returns what notes the deltas from an offset on.
func (c *countedDeltas) noteFrom(from int64) func(fold.Entry, fold.Outcome) {
	return func(e fold.Entry, o fold.Outcome) {
		for n := len(*c); n > 0 && (*c)[n-1].offset >= e.Offset; n-- { // behind a void the log is folded again
			*c = (*c)[:n-1]
		}
		if o == fold.Accepted && e.Offset >= from {
			*c = append(*c, countedDelta{e.Offset, e.Delta.Ranges, labelsIn(e.Delta)})
		}
	}
}

// labelsIn returns the labels of the records of a delta, also of those that added nothing in sum.
func labelsIn(d *fold.Delta) []string {
	labels := slices.Clone(d.Counts.Classes)
	for _, r := range d.Ranges {
		for _, c := range r.Ledger {
			if c.Put != nil && !slices.Contains(labels, c.Put.Label) {
				labels = append(labels, c.Put.Label)
			}
		}
	}
	return labels
}

// again returns the deltas whose records are counted again without the record at an offset: its own
// and, since a sum counts as a whole, later ones that share a source with one of them. first are the
// first ranges of their sources.
func (c countedDeltas) again(at int64) (deltas countedDeltas, first []fold.Range) {
	if len(c) == 0 || c[0].offset != at {
		return nil, nil
	}
	again := map[fold.Source]bool{}
	for i, d := range c {
		if i > 0 && !slices.ContainsFunc(d.ranges, func(r fold.Range) bool { return again[r.Source] }) {
			continue
		}
		deltas = append(deltas, d)
		for _, r := range d.ranges {
			if !again[r.Source] {
				again[r.Source] = true
				first = append(first, r)
			}
		}
	}
	return deltas, first
}

// passed returns the offsets of the renames that stay in force and moved a label whose records are
// counted again behind them.
func (c countedDeltas) passed(at int64, now *judged, undone []int64) (renames []int64) {
	since := map[string]int64{} // by label: the first offset of the log that has it
	deltas, _ := c.again(at)
	for _, d := range slices.Backward(deltas) {
		for _, label := range d.labels {
			since[label] = d.offset
		}
	}
	for _, offset := range slices.Sorted(maps.Keys(now.controls)) {
		r := now.controls[offset].Rename
		if r == nil {
			continue
		}
		first, has := since[r.From]
		if !has || offset < first || slices.Contains(undone, offset) {
			continue
		}
		renames = append(renames, offset)
		if _, has := since[r.To]; !has { // typed again, it makes that class again
			since[r.To] = offset
		}
	}
	return renames
}

// checkRange refuses to take out a range whose records cannot be counted again.
func checkRange(ctx context.Context, client *stream.Client, r *fold.Range) error {
	if r.IsImport() {
		return nil // a file is imported again
	}
	name := sourceOf(&codec.Range{Topic: r.Topic, Partition: r.Partition, Generation: r.Generation, Start: r.Start,
		End: r.End})
	first, _, err := client.Offsets(ctx, r.Topic, int(r.Partition))
	if err != nil {
		return fmt.Errorf("whether the records of %s can be counted again: %w; --accept-loss does not ask", name, err)
	}
	if first > r.Start {
		return cli.WrongInput(fmt.Errorf("%s is counted again without the record, and the topic starts at offset %d: what "+
			"is deleted there cannot be counted again, and the partition would stop; "+
			"--accept-loss takes the record out all the same", name, first))
	}
	return nil
}

type rolledBack struct {
	From      int64  `json:"from"`      // offset of the first record that is taken out
	Offset    *int64 `json:"offset"`    // of the control record; null: a dry run
	Deltas    int    `json:"deltas"`    // that no longer count
	Documents int64  `json:"documents"` // that they added, less those that they took out
	Removed   int64  `json:"removed"`   // documents that they took out
	Renames   int    `json:"renames"`   // of classes, that no longer count
	Resets    int    `json:"resets"`    // that no longer count
	Forgets   int    `json:"forgets"`   // that stay in force
	Rollback  *int64 `json:"rollback"`  // offset of the last rollback among them, which stays in force; null: none
}

func (f *logFlags) rollback(ctx context.Context, p cli.Process, client *stream.Client) error {
	from, err := f.begin(ctx, client)
	if err != nil {
		return err
	}
	out := rolledBack{From: from}
	build := modellog.Rollback(from, f.Why)
	state := fold.New(true)
	changes := map[int64]rolledBack{} // by offset: behind a void the log is folded again, and the last ones hold
	now, err := judge(ctx, client, f.ModelTopic, state, func(e fold.Entry, o fold.Outcome) {
		if e.Offset >= from {
			changes[e.Offset] = changeOf(&e, o)
		}
	})
	for _, c := range changes {
		out.add(&c)
	}
	out.Rollback = now.lastRollback(from)
	if err == nil && from > 0 && from < state.Next() {
		err = out.check(f.Rollback.text)
	}
	if err == nil && f.DryRun {
		_, err = build(ctx, client, f.ModelTopic, state)
	} else if err == nil {
		var at int64
		at, err = modellog.Command(ctx, client, f.ModelTopic, state, build)
		out.Offset = &at
	}
	if err != nil {
		return inputError(behindCut(err, "log --rollback",
			"forget or relabel the documents that are wrong, or count into a new --model-topic; "+
				"copy --start writes the model of an offset to a file, from a snapshot before it"))
	}
	return result(p, f.JSON, out, func(o *printer) { out.write(o, f.ModelTopic) })
}

// begin returns the offset of the first record that is taken out.
func (f *logFlags) begin(ctx context.Context, client *stream.Client) (int64, error) {
	from, err := f.Rollback.resolve(ctx, client, f.ModelTopic)
	if err != nil || f.Rollback.at.IsZero() {
		return from, err
	}
	first, end, err := client.Offsets(ctx, f.ModelTopic, 0)
	switch {
	case err != nil:
		return 0, fmt.Errorf("model topic %q: %w", f.ModelTopic, err)
	case from >= end:
		return 0, cli.WrongInput(fmt.Errorf("--rollback %s: there is nothing to take out, because nothing came into the "+
			"model log %s since then", f.Rollback.text, f.ModelTopic))
	case from == 0 && first == 0:
		return 0, cli.WrongInput(fmt.Errorf("--rollback %s: the model log %s is younger, and its first record, the spec, "+
			"stays; --rollback=1 takes out all that was learned", f.Rollback.text, f.ModelTopic))
	}
	return from, nil
}

// add adds the numbers of a change.
func (out *rolledBack) add(c *rolledBack) {
	out.Deltas += c.Deltas
	out.Documents += c.Documents
	out.Removed += c.Removed
	out.Renames += c.Renames
	out.Resets += c.Resets
	out.Forgets += c.Forgets
}

// changeOf counts what an entry changed. What upkeep takes out has left a window: it is no forget.
func changeOf(e *fold.Entry, o fold.Outcome) (out rolledBack) {
	if o == fold.Controlled && e.Control.Rename != nil {
		out.Renames++
	}
	if o == fold.Controlled && e.Control.Reset != nil {
		out.Resets++
	}
	if o != fold.Accepted || e.Delta == nil {
		return out
	}
	out.Deltas++
	for _, n := range e.Delta.Counts.Documents {
		out.Documents += n
		out.Removed -= min(n, 0)
	}
	for _, r := range e.Delta.Ranges {
		for _, c := range r.Ledger {
			if c.Put == nil && !r.IsUpkeep() {
				out.Forgets++
			}
		}
	}
	return out
}

// check refuses a rollback that takes nothing out.
func (out *rolledBack) check(text string) error {
	switch {
	case out.Deltas+out.Renames+out.Resets > 0:
		return nil
	case out.Rollback == nil:
		return cli.WrongInput(fmt.Errorf("--rollback %s: there is nothing to take out: no record from offset %d on counts",
			text, out.From))
	}
	return cli.WrongInput(fmt.Errorf("--rollback %s takes nothing out: bayestream log --void=%d --why=TEXT undoes the "+
		"rollback at offset %d", text, *out.Rollback, *out.Rollback))
}

func (out *rolledBack) write(w *printer, topic string) {
	what := "would be taken out"
	if out.Offset != nil {
		what = "taken out"
	}
	renames := ""
	if out.Renames > 0 {
		renames = ", and " + counted(out.Renames, "rename")
	}
	w.f("%s: %s, which counted %s and took out %d%s, from offset %d of the model log %s on; "+
		"forgets among them that stay in force: %d\n",
		what, counted(out.Deltas, "delta"), counted(out.Documents+out.Removed,
			"document"), out.Removed, renames, out.From, topic, out.Forgets)
	if out.Rollback != nil {
		w.f("the rollback at offset %d among them stays in force; bayestream log --void=%d --why=TEXT undoes it\n",
			*out.Rollback, *out.Rollback)
	}
	if out.Offset != nil {
		w.f("the control record has offset %d; workers start over from the log\n", *out.Offset)
	}
}
