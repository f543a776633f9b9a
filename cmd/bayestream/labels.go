package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
)

type labelsFlags struct {
	Topic []string   `placeholder:"TOPIC" help:"Topics of the decisions to follow, with --route of classify several of them. Default: labels, as for classify."`
	From  topicPoint `default:"end" placeholder:"start|end|TIME" help:"Where to begin: start, end (what comes from now on), a time or how long ago, like 2h."`
	Once  bool       `help:"Stop at the end of the topic, as it is now, instead of waiting for more."`
	Count int        `default:"0" placeholder:"N" help:"Stop after this many decisions; 0 for no limit."`
	JSON  bool       `name:"json" help:"Write JSON Lines on a terminal, too; of a correction or a new name, one object."`

	EnrichField string `name:"enrich-field" default:"bayestream" placeholder:"NAME" help:"Field with the decision in documents of --emit=enrich, as for classify."`

	Forget        bool          `help:"Forget the document: take it out of the counts."`
	New           bool          `help:"The label may be one that no document has yet."`
	Wait          time.Duration `default:"10s" placeholder:"TIME" help:"How long to wait until ingest has learned a correction; 0s: not at all. The exit code is 1 if it was not learned."`
	TrainingTopic string        `placeholder:"TOPIC" help:"Training topic, to which corrections are written. Default: training, as for ingest."`

	Rename bool   `help:"Give a label another name in all counts: labels --rename OLD NEW. If NEW is a label, they become one."`
	Model  string `type:"path" placeholder:"M.db" help:"With --rename: model file that was trained on files, instead of the model log."`
	Why    string `placeholder:"TEXT" help:"With --rename and --brokers: the reason, for those who read the log."`

	Document string `arg:"" optional:"" name:"document" help:"The document to correct: its id, or the place of its record, topic/partition/offset. Without it the decisions are followed."`
	Label    string `arg:"" optional:"" name:"label" help:"The label that it should have."`

	brokerFlags `embed:""`
}

var labelsVerb = verbOf[labelsFlags](config.Command{
	Name:    "labels",
	Summary: "Follow the decisions, correct one, forget a document, or rename a label.",
	About: "Without a document it shows the decisions that classify writes: on a terminal as a table, with the " +
		"words that decided, elsewhere as JSON Lines (docs/formats.md). It reads committed records, so that each " +
		"document has one decision. With a document and a label it writes a training record, which ingest learns. " +
		"A learned document is named by its id, and is counted under the new label instead. Another one is named " +
		"by its id too, or by the source of its decision, like documents/0/42, in a topic that ingest allows " +
		"(--ref-topics). Where the whole value is the text, only the source finds it. With " +
		"--rename all that was counted under a label gets another name, exactly; records with the old label make " +
		"it again, so change first what writes them.",
	Examples: []config.Example{
		{What: "What is decided from now on", Type: "bayestream labels"},
		{What: "The labels of the last hour, counted",
			Type: `bayestream labels --from=1h --once | cut -d '"' -f 8 | sort | uniq -c`},
		{What: "The decisions of classify --route=spam=quarantine,*=inbox",
			Type: "bayestream labels --topic=quarantine,inbox"},
		{What: "A message that was learned under the wrong label", Type: "bayestream labels m7 ham"},
		{What: "A decision that was wrong, by the source that it names",
			Type: "bayestream labels documents/0/0 spam"},
		{What: "A document to forget", Type: "bayestream labels --forget m7"},
		{What: "Another name in the model of the workers",
			Type: "bayestream labels --rename spam junk"},
		{What: "Another name in a model file", Type: "bayestream labels --model=sms.db --rename spam junk"},
	},
})

func (f labelsFlags) Validate() error {
	found := config.Problems{fromZero("count", f.Count)}
	if !f.Rename || f.Model == "" {
		found = append(found, f.Problems()...)
	}
	found.If(f.Document != "" && (len(f.Topic) > 0 || f.Once || f.Count > 0),
		"--topic, --once and --count are for following the decisions, without a document")
	found.If(!f.Rename && (f.Model != "" || f.Why != ""),
		"--model and --why are of use only with --rename: serve and ingest correct documents")
	switch {
	case f.Rename:
		found = append(found, f.renameProblems()...)
	case f.Document != "" || f.Forget:
		found = append(found, f.correctionProblems()...)
	}
	return errors.Join(found...)
}

func (f *labelsFlags) run(ctx context.Context, p cli.Process) error {
	f.Label = strings.TrimSpace(f.Label) // as ingest takes it
	if f.Rename && f.Model != "" {
		return f.rename(p, f.inFile)
	}
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	switch {
	case f.Rename:
		return f.rename(p, func(out *renamed) error { return f.inLog(ctx, client, out) })
	case f.Document != "":
		return f.correct(ctx, p, client)
	}
	return f.follow(ctx, p, client)
}

func (f *labelsFlags) follow(ctx context.Context, p cli.Process, client *stream.Client) error {
	if len(f.Topic) == 0 {
		f.Topic = []string{config.Default[config.Classify]().LabelsTopic}
	}
	tails, err := f.tails(ctx, client)
	if err != nil {
		return err
	}
	show := showLine
	if cli.Terminal(p.Stdout) && !f.JSON {
		show = (&labelTable{size: func() int { columns, _ := cli.Size(p.Stdout); return columns }}).show
	}
	shown, shows := 0, f.explained(ctx, p, client)
	err = client.EachOfAll(ctx, tails, func(rec *stream.Record) error {
		if rec.Value == nil {
			return nil
		}
		shows()
		if err := show(p.Stdout, rec, f.EnrichField); err != nil {
			return err
		}
		if shown++; shown == f.Count {
			return stream.ErrStop
		}
		return nil
	})
	shows()
	if err == nil && f.Once && shown == 0 && f.From.End {
		fmt.Fprintln(p.Stderr, "no decision came: with --once, name where to begin, like --from=start or --from=2h")
	}
	if f.Once || f.Count > 0 {
		return err // stopped before the end is not done
	}
	return cli.Stopped(ctx, err)
}

// explained says what the verb waits for, if no decision came for some seconds. shows is to be called
// when there is one, or none will be.
func (f *labelsFlags) explained(ctx context.Context, p cli.Process, client *stream.Client) (shows func()) {
	if f.Once {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() {
		select {
		case <-p.Timer(explainAfter):
			topics := usualTopics()
			topics.Model, topics.Labels = f.ModelTopic, f.Topic
			explainWait(ctx, p, client, topics, "no decision yet")
		case <-ctx.Done():
		}
	})
	return func() {
		cancel()
		wait.Wait()
	}
}

func (f *labelsFlags) tails(ctx context.Context, client *stream.Client) (tails []stream.Tail, err error) {
	for _, topic := range f.Topic {
		tail, err := client.TailFrom(ctx, topic, f.From.TailStart)
		if err != nil {
			return nil, err
		}
		if !f.Once {
			tail.Until = nil
		}
		tails = append(tails, tail)
	}
	return tails, nil
}

type labelTable struct {
	size func() int // columns of the terminal
	rows int
}

// The table has its header again after so many rows.
const headerEach = 100

func (l *labelTable) show(w io.Writer, rec *stream.Record, field string) error {
	d, _ := wire.ReadDecision(rec, field)
	width := max(l.size()-1, 40)
	var b strings.Builder
	if l.rows%headerEach == 0 {
		b.WriteString(l.row(width, "TIME", "ID", "LABEL", "POSTERIOR", "STATUS",
			func(int) string { return "WORDS THAT DECIDED" }))
	}
	l.rows++
	label, posterior := "none yet", ""
	switch {
	case d.Labelled:
		label = d.Label
		posterior = fmt.Sprintf("%.4f", d.Confidence())
	case d.Status == model.StatusImpossible:
		label = "none"
	}
	b.WriteString(l.row(width, rec.Time.Local().Format(time.TimeOnly), d.ID, label, posterior, d.Status,
		func(width int) string { return table.Words(d.Evidence, width) }))
	_, err := io.WriteString(w, b.String())
	return err
}

// row lays out a row. A wide terminal has room for long ids and labels.
func (l *labelTable) row(width int, at, id, label, posterior, status string, words func(width int) string) string {
	cells := table.Cell(at, 10) + table.Cell(id, min(max(width/5, 12), 40)) +
		table.Cell(label, min(max(width/7, 10), 26)) + table.Cell(posterior, 11) + table.Cell(status, 8)
	return strings.TrimRight(table.Cut(cells+table.Cut(words(width-table.Width(cells)), width-table.Width(cells)), width),
		" ") + "\n"
}

// showLine writes a decision as a line of JSON: its own bytes, or what the headers say beside the
// document. field holds the decision in a document.
func showLine(w io.Writer, rec *stream.Record, field string) error {
	d, raw := wire.ReadDecision(rec, field)
	if raw != nil { // nil of one in headers
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			_, err := w.Write(append(compact.Bytes(), '\n'))
			return err
		}
	}
	out := struct {
		ID         string   `json:"id"`
		Label      *string  `json:"label"`
		Status     string   `json:"status"`
		Confidence *float64 `json:"confidence"`
		Model      string   `json:"model"`
		Source     string   `json:"source"`
		Document   any      `json:"document"`
	}{ID: d.ID, Status: d.Status, Model: d.Version(), Document: string(rec.Value)}
	if d.Labelled {
		out.Label = &d.Label
	}
	if confidence := d.Confidence(); d.Labelled && !math.IsNaN(confidence) {
		out.Confidence = &confidence
	}
	if at := d.Source.Place(); at != nil {
		out.Source = at.String()
	}
	if json.Valid(rec.Value) {
		out.Document = json.RawMessage(rec.Value)
	}
	return json.NewEncoder(w).Encode(out)
}
