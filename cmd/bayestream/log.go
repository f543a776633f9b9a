package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/cli/table"
)

type logFlags struct {
	From logPoint  `placeholder:"OFFSET|TIME" help:"First record to list: an offset of the model log, a time, or how long ago. Default: the last records."`
	Last *int      `placeholder:"N" help:"Without --from: how many records to list, from the end. Default: 20."`
	Show *logPoint `placeholder:"OFFSET" help:"Show everything that the record at this offset says."`
	Void *logPoint `placeholder:"OFFSET" help:"Take the record at this offset out: append a control record after which every worker reads the log as if it were not there. Records of the training topic that it counted are counted again."`
	By   string    `placeholder:"NAME" help:"List the labels that NAME taught, with --from since then. With --rollback: forget the documents of these labels, and nothing else; each forget is a training record."`
	JSON bool      `name:"json" help:"Write one JSON object per record."`

	Rollback   *logPoint `placeholder:"OFFSET|TIME" help:"Take out everything from this place on: an offset, a time, or how long ago. Nothing of it is counted again."`
	DryRun     bool      `name:"dry-run" help:"With --rollback and --void: say what would be taken out, and change nothing."`
	Why        string    `placeholder:"TEXT" help:"With --void and --rollback: the reason, for those who read the log."`
	AcceptLoss bool      `help:"With --void: take the record out also where what it counted cannot be counted again."`

	brokerFlags `embed:""`
}

var logVerb = verbOf[logFlags](config.Command{
	Name:    "log",
	Summary: "List what the model log says, take a record out, or go back to a time.",
	About: "Reads the model log without folding it, so that it also shows a record at which the workers stop. " +
		"--void takes out one record that is damaged, of a later version, or written by another program; what " +
		"ingest counted in it is counted again. --rollback goes back to the model of an offset or a time: what was " +
		"learned since is taken out and not counted again, unless it is sent again; what was forgotten stays " +
		"forgotten. To look at that model first, write it to a file with copy --until.",
	Examples: []config.Example{
		{What: "The last records", Type: "bayestream log --last=10"},
		{What: "What was learned since a time", Type: "bayestream log --from=2h"},
		{What: "Everything that one record says", Type: "bayestream log --show=1"},
		{What: "What going back would take out",
			Type: "bayestream log --rollback=1 --dry-run"},
		{What: "Go back by two hours",
			Type: `bayestream log --rollback=2h --why="mislabelled batch"`},
		{What: "What a teacher taught", Type: "bayestream log --by=llm --from=2h"},
		{What: "Forget what a teacher taught", Type: "bayestream log --rollback=2h --by=llm --dry-run"},
	},
}, cli.Watched)

func (f logFlags) Validate() error {
	found := f.Problems()
	found.If(f.Show != nil && f.changes() || f.Void != nil && f.Rollback != nil,
		"--show, --void and --rollback do different things: give one of them")
	for name, point := range map[string]*logPoint{"--show": f.Show, "--void": f.Void} {
		if point != nil {
			found.If(!point.at.IsZero(), "%s %s: want the offset of a record; --from=%s lists the records of that time",
				name, point.text, point.text)
		}
	}
	found.If(f.By != "" && (f.Show != nil || f.Void != nil), "--by has an effect only on a list, and with --rollback")
	isControl := f.changes() && f.By == ""
	found.If(isControl && !f.DryRun && strings.TrimSpace(f.Why) == "",
		"--void and --rollback need --why: the log keeps the reason for those who read it later")
	found.If(!isControl && f.Why != "", "--why has an effect only with --void and --rollback, and without --by")
	found.If(!f.changes() && f.DryRun, "--dry-run has an effect only with --rollback and --void")
	found.If(f.Void == nil && f.AcceptLoss, "--accept-loss has an effect only with --void")
	isList := f.Show == nil && !f.changes()
	found.If(f.Last != nil && (f.From.isSet() || f.By != "" || !isList),
		"--last has an effect only on a list of records, without --from")
	found.If(f.From.isSet() && !isList, "--from has an effect only on a list")
	found.If(f.Last != nil && *f.Last < 1, "--last: %d; want at least 1", f.last())
	return errors.Join(found...)
}

func (f *logFlags) last() int {
	if f.Last == nil {
		return 20
	}
	return *f.Last
}

// changes reports whether a record is appended.
func (f *logFlags) changes() bool { return f.Void != nil || f.Rollback != nil }

func (f *logFlags) run(ctx context.Context, p cli.Process) error {
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	switch {
	case f.Rollback != nil && f.By != "":
		return f.rollbackBy(ctx, p, client)
	case f.By != "":
		return f.listBy(ctx, p, client)
	case f.Rollback != nil:
		return f.rollback(ctx, p, client)
	case f.Void != nil:
		return f.void(ctx, p, client)
	case f.Show != nil:
		return f.show(ctx, p, client)
	}
	return f.list(ctx, p, client)
}

type logRecord struct {
	Offset int64     `json:"offset"`
	Time   time.Time `json:"time"`
	Bytes  int       `json:"bytes"`
	codec.Description
	InForce *bool `json:"in_force,omitempty"` // of a control; nil: not known
}

func describeRecord(rec *stream.Record, inForce func(offset int64) *bool) *logRecord {
	r := &logRecord{Offset: rec.Offset, Time: rec.Time, Bytes: len(rec.Value),
		Description: codec.Describe(rec.Value, rec.Offset)}
	if r.IsControl() {
		r.InForce = inForce(r.Offset)
	}
	return r
}

func (f *logFlags) list(ctx context.Context, p cli.Process, client *stream.Client) error {
	first, end, err := client.Offsets(ctx, f.ModelTopic, 0)
	if err != nil {
		return fmt.Errorf("model topic %q: %w", f.ModelTopic, err)
	}
	next := max(first, end-int64(f.last()))
	if f.From.isSet() {
		next, err = f.From.resolve(ctx, client, f.ModelTopic)
		if err != nil {
			return err
		}
		if next < first || next > end {
			return cli.WrongInput(fmt.Errorf("--from %s: the model log %s has the offsets from %d to %d", f.From.text,
				f.ModelTopic, first, end-1))
		}
	}
	inForce, fit := f.judgedOnce(ctx, client), fitting(p)
	task := progress.From(ctx).Begin("reading the log", "records", end-next)
	defer task.End()
	return modellog.Each(ctx, client, f.ModelTopic, next, end, func(rec *stream.Record) error {
		task.Add(1)
		r := describeRecord(rec, inForce)
		line := fmt.Sprintf("%8d  %s  %9s  %-10s  %s", r.Offset, r.Time.Local().Format(time.DateTime),
			fmt.Sprintf("%d B", r.Bytes), r.Kind, r.line())
		r.Cells, r.Spec = nil, ""
		return result(p, f.JSON, r, func(out *printer) { out.f("%s\n", fit(strings.TrimRight(line, " "))) })
	})
}

// fitting returns what cuts a line to the width of a terminal; --show has all of it.
func fitting(p cli.Process) func(line string) string {
	if !cli.Terminal(p.Stdout) {
		return func(line string) string { return line }
	}
	columns, _ := cli.Size(p.Stdout)
	return func(line string) string { return table.Clip(line, columns-1) }
}

// line says what a record holds, on one line.
func (r *logRecord) line() string {
	var parts []string
	if r.InForce != nil && !*r.InForce {
		parts = append(parts, "not in force:")
	}
	switch r.Kind {
	case "delta", "upkeep":
		parts = append(parts, r.sources()+":", r.changes())
	case "rollback", "void":
		parts = append(parts, fmt.Sprintf("the records %d to %d are taken out", r.From, r.To-1))
	case "rename":
		parts = append(parts, fmt.Sprintf("%s is called %s", r.Old, r.New))
	}
	if r.Why != "" {
		parts = append(parts, "("+r.Why+")")
	}
	if r.Problem != "" {
		parts = append(parts, r.Problem)
	}
	return strings.Join(parts, " ")
}

func (r *logRecord) sources() string {
	var names []string
	for i := range r.Ranges {
		names = append(names, sourceOf(&r.Ranges[i]))
	}
	return strings.Join(first(names, 4, "%d more partitions"), ", ")
}

func sourceOf(r *codec.Range) string {
	s := fmt.Sprintf("%s/%d [%d, %d)", r.Topic, r.Partition, r.Start, r.End)
	if r.Generation > 0 {
		s += fmt.Sprintf(" generation %d", r.Generation)
	}
	return s
}

// changes says what a delta adds and takes out: the classes that change most come first.
func (r *logRecord) changes() string {
	classes := slices.SortedFunc(maps.Keys(r.Documents), func(a, b string) int {
		return cmp.Or(cmp.Compare(abs(r.Documents[b]), abs(r.Documents[a])), strings.Compare(a, b))
	})
	var parts []string
	for _, class := range classes {
		parts = append(parts, fmt.Sprintf("%s %+d", class, r.Documents[class]))
	}
	parts = first(parts, 4, "%d more classes")
	skipped := map[string]int{}
	lost := int64(0)
	for i := range r.Ranges {
		for reason, n := range r.Ranges[i].Skipped {
			skipped[reason] += n
		}
		lost += r.Ranges[i].Lost
	}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		parts = append(parts, fmt.Sprintf("%d skipped (%s)", skipped[reason], reason))
	}
	if lost > 0 {
		parts = append(parts, fmt.Sprintf("%d lost", lost))
	}
	if len(parts) == 0 {
		return "nothing changes"
	}
	return strings.Join(parts, ", ")
}

func abs(n int64) int64 { return max(n, -n) }

func (f *logFlags) show(ctx context.Context, p cli.Process, client *stream.Client) error {
	found := false
	err := modellog.Each(ctx, client, f.ModelTopic, f.Show.offset, f.Show.offset+1, func(rec *stream.Record) error {
		found = true
		r := describeRecord(rec, f.judgedOnce(ctx, client))
		if len(r.Cells) > 0 {
			names := f.valueNames(ctx, client)
			for i := range r.Cells {
				r.Cells[i].Table = cmp.Or(names[r.Cells[i].Table], r.Cells[i].Table)
			}
		}
		return result(p, f.JSON, r, r.write)
	})
	if err == nil && !found || errors.Is(err, stream.ErrOffsetOutOfRange) {
		return cli.WrongInput(fmt.Errorf("the model log %s has no record at offset %d", f.ModelTopic, f.Show.offset))
	}
	return err
}

// valueNames returns what decisions call the tables of values, by what a record calls them. Only the
// first spec says it, which may be deleted.
func (f *logFlags) valueNames(ctx context.Context, client *stream.Client) map[string]string {
	names := map[string]string{}
	_ = modellog.Each(ctx, client, f.ModelTopic, 0, 1, func(rec *stream.Record) error {
		e, err := codec.Decode(rec.Value, rec.Offset, fold.Reading{})
		if err != nil || e.Spec == nil {
			return err
		}
		m := model.New(e.Spec)
		for i := range e.Spec.ValueTables() {
			names[fmt.Sprintf("categories[%d]", i)] = m.ValuesName(i)
		}
		return nil
	})
	return names
}

func (r *logRecord) write(out *printer) {
	out.f("offset    %d\ntime      %s\nbytes     %d\nkind      %s\n", r.Offset, r.Time.Local().Format(time.RFC3339),
		r.Bytes, r.Kind)
	if text := r.line(); text != "" {
		out.f("says      %s\n", text)
	}
	if r.Spec != "" {
		out.f("\n")
		out.lines(r.Spec)
	}
	for i := range r.Ranges {
		writeLedger(out, &r.Ranges[i])
	}
	if len(r.Cells) > 0 {
		out.f("\ncounts\n")
	}
	for _, c := range r.Cells {
		out.f("  %+8d  %s  %s  %s\n", c.Count, c.Table, c.Class, c.Term)
	}
}

// writeLedger writes what a range changes of its ledger.
func writeLedger(out *printer, r *codec.Range) {
	if len(r.Ledger) > 0 {
		out.f("\nledger of %s/%d\n", r.Topic, r.Partition)
	}
	for _, l := range r.Ledger {
		what := "forgotten"
		if l.Label != nil {
			what = "learned as " + *l.Label
			if l.By != "" {
				what += " by " + l.By
			}
		}
		out.f("  %8d  %s  %s\n", l.Offset, l.ID, what)
	}
}

// behindCut returns the error of a verb that folds the model log from its start, of a log whose
// head was deleted, as one of the command line with what can be done.
func behindCut(err error, verb, advice string) error {
	cut, isCut := errors.AsType[*modellog.TruncatedError](err)
	if !isCut {
		return err
	}
	return cli.WrongInput(fmt.Errorf("the model log %s was cut: it starts at offset %d, and %s reads it from its first "+
		"record: %s", cut.Topic, cut.Start, verb, advice))
}
