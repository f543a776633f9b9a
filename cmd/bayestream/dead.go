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
	"bayestream/internal/tools/cli/progress"
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
	r := wire.Reason(f.Reason)
	found.If(r != "" && r != wire.Other && !slices.Contains(wire.Reasons(), r), "--reason=%s: no dead letter has this "+
		"reason; bayestream dead without --reason lists those that there are", f.Reason)
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

type deadAgain struct {
	Sent       int64 `json:"sent"`
	SentBefore int64 `json:"sent_before"` // they were sent again already
	Superseded int64 `json:"superseded"`  // a later record has their key
	Incomplete int64 `json:"incomplete"`  // a part of them is missing
}

// origin is a partition that dead letters came from.
type origin struct {
	topic     string
	partition int
}

func (f *deadFlags) sendAgain(ctx context.Context, p cli.Process, client *stream.Client) error {
	var out deadAgain
	letters, err := f.byOrigin(ctx, client, func(l *wire.Letter) bool {
		if l.Truncated {
			out.Incomplete++
		}
		return !l.Truncated
	})
	if err != nil {
		return err
	}
	for from, list := range letters {
		if err := f.sendTo(ctx, client, from, list, &out); err != nil {
			return err
		}
	}
	verb := "sent again"
	if f.DryRun {
		verb = "would be sent again"
	}
	return result(p, f.JSON, out, func(o *printer) {
		o.f("%d %s; left out: %d that were sent again before, %d whose key came again, %d of which a part is missing\n",
			out.Sent, verb, out.SentBefore, out.Superseded, out.Incomplete)
	})
}

// byOrigin returns the dead letters that the flags choose and keep does not leave out, those of a
// partition in the order in which they stood there.
func (f *deadFlags) byOrigin(ctx context.Context, client *stream.Client,
	keep func(*wire.Letter) bool) (map[origin][]wire.Letter, error) {
	letters := map[origin][]wire.Letter{}
	err := f.each(ctx, client, func(l wire.Letter) error {
		if keep(&l) {
			from := origin{l.Topic, l.Partition}
			letters[from] = append(letters[from], l)
		}
		return nil
	})
	for _, list := range letters {
		slices.SortStableFunc(list, func(a, b wire.Letter) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return letters, err
}

// eachOpen calls do for the dead letters that the flags choose, and of which nothing came again: in
// the order of their topic.
func (f *deadFlags) eachOpen(ctx context.Context, client *stream.Client, do func(wire.Letter) error) error {
	letters, err := f.byOrigin(ctx, client, func(*wire.Letter) bool { return true })
	if err != nil {
		return err
	}
	var open []wire.Letter
	for from, list := range letters {
		later, err := readLater(ctx, client, from, list[0].Offset+1)
		if err != nil {
			return err
		}
		for i := range list {
			if later.fateOf(list, i) == isOpen {
				open = append(open, list[i])
			}
		}
	}
	slices.SortFunc(open, func(a, b wire.Letter) int {
		return cmp.Or(cmp.Compare(a.Record.Partition, b.Record.Partition), cmp.Compare(a.Record.Offset, b.Record.Offset))
	})
	for _, l := range open {
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}

// sendTo writes the records that came from a partition, in their order.
func (f *deadFlags) sendTo(ctx context.Context, client *stream.Client, from origin, letters []wire.Letter,
	out *deadAgain) error {
	later, err := readLater(ctx, client, from, letters[0].Offset+1)
	if err != nil {
		return err
	}
	writer, err := client.NewKeyedWriter(ctx, from.topic)
	if err != nil {
		return err
	}
	for i := range letters {
		switch later.fateOf(letters, i) {
		case wasSentAgain:
			out.SentBefore++
			continue
		case keyCameAgain:
			out.Superseded++
			continue
		case isThereTwice:
			continue
		}
		out.Sent++
		if f.DryRun {
			continue
		}
		if err := writer.WriteTo(ctx, from.partition, letters[i].Again()); err != nil {
			return err
		}
	}
	return writer.Flush(ctx)
}

// fate is what became of the record of a dead letter since.
type fate int

const (
	isOpen fate = iota
	wasSentAgain
	keyCameAgain
	isThereTwice // the letter before is of the same record
)

// fateOf returns that of the i-th of the letters of a partition, which are in their order.
func (r *later) fateOf(letters []wire.Letter, i int) fate {
	l := &letters[i]
	switch {
	case r.places[l.Place()] > l.Offset:
		return wasSentAgain
	case l.Record.Key != nil && r.keys[string(l.Record.Key)] > l.Offset:
		return keyCameAgain
	case i > 0 && letters[i-1].Offset == l.Offset:
		return isThereTwice
	}
	return isOpen
}

// later is what follows a place of a partition: the last offset of each key, and of each
// first place.
type later struct {
	keys   map[string]int64
	places map[string]int64
}

func readLater(ctx context.Context, client *stream.Client, from origin, next int64) (*later, error) {
	found := &later{map[string]int64{}, map[string]int64{}}
	first, end, err := client.Offsets(ctx, from.topic, from.partition)
	if err != nil {
		return nil, fmt.Errorf("%s/%d: %w", from.topic, from.partition, err)
	}
	next = max(next, first)
	task := progress.From(ctx).Begin("reading "+from.topic, "records", max(0, end-next))
	defer task.End()
	// nothing of those before
	tail := stream.Tail{Topic: from.topic, From: make([]int64, from.partition+1), Until: make([]int64, from.partition+1)}
	tail.From[from.partition], tail.Until[from.partition] = next, end
	err = client.EachOf(ctx, tail, func(r *stream.Record) error {
		if r.Key != nil {
			found.keys[string(r.Key)] = r.Offset
		}
		for _, h := range r.Headers {
			if h.Key == wire.FirstPlace {
				found.places[string(h.Value)] = r.Offset
			}
		}
		task.Add(1)
		return nil
	})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return nil, fmt.Errorf("%s/%d changes while it is read: %w", from.topic, from.partition, err)
	}
	return found, err
}
