package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
)

type deadFlags struct {
	Topic     string     `placeholder:"TOPIC" help:"Topic of the dead letters. Default: bayestream-dead-letters, as for the workers."`
	From      topicPoint `default:"start" placeholder:"start|TIME" help:"Take those whose record is of this time or later: start for all, a time, or how long ago, like 2h."`
	Reason    string     `placeholder:"REASON" help:"Take the dead letters of one reason, and list them one by one."`
	Open      bool       `help:"Take those that are still open: their records were not sent again, and their keys did not come again. The topics that they came from are read."`
	Show      *deadPlace `placeholder:"PARTITION/OFFSET" help:"Show everything of the dead letter at this place of the topic."`
	At        *deadPlace `placeholder:"PARTITION/OFFSET" help:"With --send-again: send the one at this place."`
	SendAgain bool       `help:"Send the records again, to the topics and partitions that they came from. Needs --reason or --at. A record that was sent again already, and one whose key came again behind it, is left out."`
	DryRun    bool       `help:"With --send-again: say what would be sent, and send nothing."`
	JSON      bool       `name:"json" help:"Write JSON Lines: one object for each reason, or for each dead letter."`

	clusterFlags `embed:""`
}

var deadVerb = verbOf[deadFlags](config.Command{
	Name:    "dead",
	Summary: "List the dead letters, show one, or send them again.",
	About: "Reads the topic of records that the workers could not use. It counts them by reason, lists or shows " +
		"them; docs/formats.md says for each reason what to do. Once the cause is mended, --send-again writes them " +
		"back. A training record that is sent again does not replace what was learned later under its id: ingest " +
		"skips it as superseded.",
	Examples: []config.Example{
		{What: "How many of which reason", Type: "bayestream dead"},
		{What: "Those without a label", Type: "bayestream dead --reason=no_label"},
		{What: "All that one of them says", Type: "bayestream dead --show=0/0"},
		{What: "What is still open", Type: "bayestream dead --open"},
		{What: "Once the cause is mended", Type: "bayestream dead --reason=no_label --send-again"},
	},
}, cli.Watched)

// deadPlace is a place in the topic of dead letters: partition/offset.
type deadPlace struct {
	partition int
	offset    int64
}

func (d *deadPlace) UnmarshalText(text []byte) error {
	partition, offset, _ := strings.Cut(string(text), "/")
	var err, offsetErr error
	d.partition, err = strconv.Atoi(partition)
	d.offset, offsetErr = strconv.ParseInt(offset, 10, 64)
	if err != nil || offsetErr != nil || d.partition < 0 || d.offset < 0 {
		return fmt.Errorf("%q is no place: want PARTITION/OFFSET, like 0/17", text)
	}
	return nil
}

func (f deadFlags) Validate() error {
	found := f.Problems()
	found.If(f.SendAgain && f.Reason == "" && f.At == nil,
		"--send-again needs --reason or --at: only what was mended can be used now")
	found.If(!f.SendAgain && (f.DryRun || f.At != nil), "--at and --dry-run have an effect only with --send-again")
	found.If(f.Open && f.SendAgain, "--open and --send-again: --send-again leaves out what is not open")
	found.If(f.Show != nil && (f.SendAgain || f.Open || f.Reason != ""),
		"--show shows one dead letter, and goes with no other choice")
	if r := wire.Reason(f.Reason); r != "" && r != wire.Other && !slices.Contains(wire.Reasons(), r) {
		found = append(found, fmt.Errorf("--reason=%s: no dead letter has this reason; bayestream dead without --reason "+
			"lists those that there are", f.Reason))
	}
	found.If(f.From.End, "--from end: there is nothing behind the end; want start or a time")
	return errors.Join(found...)
}

func (f *deadFlags) run(ctx context.Context, p cli.Process) error {
	f.Topic = cmp.Or(f.Topic, config.Default[config.Ingest]().DeadTopic)
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	switch {
	case f.Show != nil:
		return f.show(ctx, p, client)
	case f.SendAgain:
		return f.sendAgain(ctx, p, client)
	case f.Reason != "":
		return f.list(ctx, p, client)
	}
	return f.count(ctx, p, client)
}

// each calls do for the dead letters that the flags choose.
func (f *deadFlags) each(ctx context.Context, client *stream.Client, do func(wire.Letter) error) error {
	tail, err := client.TailFrom(ctx, f.Topic, f.From.TailStart)
	if err != nil {
		return err
	}
	return client.EachOf(ctx, tail, func(rec *stream.Record) error {
		l, ok := wire.ReadLetter(rec)
		if !ok || f.Reason != "" && l.Reason != f.Reason || f.At != nil && (rec.Partition != f.At.partition ||
			rec.Offset != f.At.offset) {
			return nil
		}
		return do(l)
	})
}

// chosen is each, of those that are open if the flags say so.
func (f *deadFlags) chosen(ctx context.Context, client *stream.Client, do func(wire.Letter) error) error {
	if f.Open {
		return f.eachOpen(ctx, client, do)
	}
	return f.each(ctx, client, do)
}

type deadLine struct {
	At      string  `json:"at"`     // partition/offset in the topic of dead letters
	Source  string  `json:"source"` // where the record is
	First   string  `json:"first,omitempty"`
	Stage   string  `json:"stage"`
	Reason  string  `json:"reason"`
	Message string  `json:"message"`
	Key     *string `json:"key"`
	Value   *string `json:"value,omitempty"`
}

func lineOf(l *wire.Letter) *deadLine {
	source := *l
	source.First = ""
	d := &deadLine{
		At: fmt.Sprintf("%d/%d", l.Record.Partition, l.Record.Offset), Source: source.Place(), First: l.First, Stage: l.Stage,
		Reason: l.Reason, Message: l.Message,
	}
	if l.Record.Key != nil {
		d.Key = new(string(l.Record.Key))
	}
	return d
}

func (f *deadFlags) list(ctx context.Context, p cli.Process, client *stream.Client) error {
	return f.chosen(ctx, client, func(l wire.Letter) error {
		d := lineOf(&l)
		return result(p, f.JSON, d, func(out *printer) { out.f("%8s  %s  %s\n", d.At, d.Source, d.Message) })
	})
}

func (f *deadFlags) show(ctx context.Context, p cli.Process, client *stream.Client) error {
	got, err := client.Fetch(ctx,
		stream.FetchRequest{Topic: f.Topic, Partition: f.Show.partition, Offset: f.Show.offset, Committed: true})
	none := errors.Is(err, stream.ErrOffsetOutOfRange) || errors.Is(err, stream.ErrUnknownPartition)
	if err != nil && !none {
		return err
	}
	if none || len(got.Records) == 0 || got.Records[0].Offset != f.Show.offset {
		return cli.WrongInput(fmt.Errorf("%s has no record at %d/%d", f.Topic, f.Show.partition, f.Show.offset))
	}
	l, ok := wire.ReadLetter(&got.Records[0])
	if !ok {
		return cli.WrongInput(fmt.Errorf("the record at %d/%d of %s is no dead letter: it has no headers that say where it "+
			"came from", f.Show.partition, f.Show.offset, f.Topic))
	}
	d := lineOf(&l)
	if l.Record.Value != nil {
		d.Value = new(string(l.Record.Value))
	}
	return result(p, f.JSON, d, func(out *printer) { d.write(out, &l) })
}

func (d *deadLine) write(out *printer, l *wire.Letter) {
	out.f("source   %s\n", d.Source)
	if d.First != "" {
		out.f("first    %s\n", d.First)
	}
	out.f("stage    %s\nreason   %s\nmessage  %s\n", d.Stage, d.Reason, d.Message)
	if d.Key != nil {
		out.f("key      %s\n", *d.Key)
	}
	for _, h := range l.Record.Headers {
		out.f("header   %s: %s\n", h.Key, string(h.Value))
	}
	if l.Truncated {
		out.f("a part of the record is missing: it was too large for this topic\n")
	}
	if d.Value == nil {
		out.f("value    null\n")
	} else {
		out.f("\n%s\n", *d.Value)
	}
}

type deadReason struct {
	Reason  string    `json:"reason"`
	Stage   string    `json:"stage"`
	Records int64     `json:"records"`
	Newest  time.Time `json:"newest"` // of their records
	At      string    `json:"at"`     // partition/offset of that one
	Message string    `json:"message"`
}

// count writes how many dead letters there are of each reason, the most frequent first.
func (f *deadFlags) count(ctx context.Context, p cli.Process, client *stream.Client) error {
	found := map[[2]string]*deadReason{}
	err := f.chosen(ctx, client, func(l wire.Letter) error {
		r := found[[2]string{l.Reason, l.Stage}]
		if r == nil {
			r = &deadReason{Reason: l.Reason, Stage: l.Stage}
			found[[2]string{l.Reason, l.Stage}] = r
		}
		r.Records++
		if !l.Record.Time.Before(r.Newest) {
			r.Newest, r.Message, r.At = l.Record.Time, l.Message, fmt.Sprintf("%d/%d", l.Record.Partition, l.Record.Offset)
		}
		return nil
	})
	if err != nil {
		return err
	}
	all := slices.SortedFunc(maps.Values(found), func(a, b *deadReason) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Stage, b.Stage))
	})
	if f.JSON {
		for _, r := range all {
			if err := json.NewEncoder(p.Stdout).Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	return f.writeReasons(p, all)
}

// writeReasons writes the counts as a table. A terminal gets as much of the messages as it has room
// for.
func (f *deadFlags) writeReasons(p cli.Process, all []*deadReason) error {
	out := &printer{w: p.Stdout}
	switch {
	case len(all) == 0 && f.Open:
		out.f("%s holds no dead letters that are open\n", f.Topic)
		return out.err
	case len(all) == 0:
		out.f("%s holds no dead letters\n", f.Topic)
		return out.err
	}
	width := 200
	if cli.Terminal(p.Stdout) {
		width, _ = cli.Size(p.Stdout)
	}
	row := func(records, reason, stage, newest, at, message string) {
		cells := table.Cell(records, 9) + table.Cell(reason, 18) + table.Cell(stage, 10) + table.Cell(newest, 21) +
			table.Cell(at, 10)
		out.lines(cells + table.Clip(message, max(8, width-1-table.Width(cells))) + "\n")
	}
	row("RECORDS", "REASON", "WORKER", "NEWEST RECORD", "AT", "WHY")
	for _, r := range all {
		row(strconv.FormatInt(r.Records, 10), r.Reason, r.Stage, r.Newest.Local().Format(time.DateTime), r.At, r.Message)
	}
	return out.err
}
