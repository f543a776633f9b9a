package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
)

// deadReason counts the dead letters of a reason.
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
	err := f.each(ctx, client, func(l wire.Letter) error {
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
	var all []*deadReason
	for _, r := range found {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *deadReason) int {
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
	return writeReasons(p, f.Topic, all)
}

// writeReasons writes the counts as a table. A terminal gets as much of the messages as it has room
// for.
func writeReasons(p cli.Process, topic string, all []*deadReason) error {
	out := &printer{w: p.Stdout}
	if len(all) == 0 {
		out.f("%s holds no dead letters\n", topic)
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
