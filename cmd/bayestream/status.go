package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
	"bayestream/internal/tools/status"
)

type statusFlags struct {
	topicFlags `embed:""`
	JSON       bool   `name:"json" help:"Write everything as one JSON object."`
	Address    string `arg:"" optional:"" name:"address" help:"Address of a serve or a console to ask instead of the brokers, like 127.0.0.1:7430. It is also asked if no brokers are named and none answer."`

	clusterFlags `embed:""`
}

// topicFlags name the topics of a pipeline and its workers.
type topicFlags struct {
	ModelTopic      string   `default:"bayestream-model" placeholder:"TOPIC" help:"Topic of the model log, as for the workers."`
	TrainingTopic   string   `default:"training" placeholder:"TOPIC" help:"Topic of the labelled records, as for ingest."`
	DocumentsTopic  string   `default:"documents" placeholder:"TOPIC" help:"Topic of the documents, as for classify."`
	LabelsTopic     []string `default:"labels" placeholder:"TOPIC" help:"Topics of the decisions, separated by commas: all of them, if classify has a --route."`
	DeadLetterTopic string   `default:"bayestream-dead-letters" placeholder:"TOPIC" help:"Topic of the dead letters, as for the workers."`
	Workers         []string `placeholder:"URL" help:"Addresses of the HTTP of workers, separated by commas, whose health is shown, like 127.0.0.1:7432."`
}

func (f *topicFlags) topics() status.Topics {
	return status.Topics{Model: f.ModelTopic, Training: f.TrainingTopic, Documents: f.DocumentsTopic,
		Labels: f.LabelsTopic, Dead: f.DeadLetterTopic}
}

// usualTopics are the topics if nobody says otherwise.
func usualTopics() status.Topics {
	in, out := config.Default[config.Ingest](), config.Default[config.Classify]()
	return status.Topics{Model: in.ModelTopic, Training: in.TrainingTopic, Documents: out.DocumentsTopic,
		Labels: []string{out.LabelsTopic}, Dead: in.DeadTopic}
}

func (f *topicFlags) problems() (found config.Problems) {
	for _, topic := range []struct{ flag, name string }{
		{"--model-topic", f.ModelTopic}, {"--training-topic", f.TrainingTopic}, {"--documents-topic", f.DocumentsTopic},
		{"--dead-letter-topic", f.DeadLetterTopic},
	} {
		found.If(topic.name == "", "%s is empty: name a topic", topic.flag)
	}
	found.If(len(f.LabelsTopic) == 0 || slices.Contains(f.LabelsTopic, ""),
		"--labels-topic is empty: name the topics of the decisions")
	for _, worker := range f.Workers {
		found = append(found, addressProblem("--workers", worker))
	}
	return found
}

// addressProblem returns what is wrong with the address of a program that serves HTTP.
func addressProblem(flag, address string) error {
	u, err := url.Parse(status.URLOf(address))
	if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") &&
		(strings.Contains(address, "://") || u.Port() != "" && u.User == nil) {
		return nil
	}
	return fmt.Errorf("%s: %q is no address of a worker; want one like 127.0.0.1:7432 or https://HOST:PORT", flag,
		config.Redact(address))
}

var statusVerb = verbOf[statusFlags](config.Command{
	Name:    "status",
	Summary: "Tell how the pipeline is, and the next step to take.",
	About: "Reads the topics and asks the workers, and tells what waits, what was learned, what became dead letters, " +
		"and what to do next. Without --workers it asks the usual addresses, 127.0.0.1:7431 and 127.0.0.1:7432. It changes " +
		"nothing. Exit codes: 0 nothing needs a person, 1 something does, 2 nobody answers, or wrong usage.",
	Examples: []config.Example{
		{What: "How is it, and what is next?", Type: "bayestream status"},
		{What: "The same of bayestream serve", Type: "bayestream status http://127.0.0.1:7430"},
		{What: "For a program", Type: "bayestream status --json"},
	},
}, cli.Watched)

func (f statusFlags) Validate() error {
	found := append(f.Problems(), f.problems()...)
	if f.Address != "" {
		found = append(found, addressProblem("the address", f.Address))
	}
	return errors.Join(found...)
}

func (f *statusFlags) run(ctx context.Context, p cli.Process) error {
	s, err := f.find(ctx, p)
	if err != nil {
		return err
	}
	err = result(p, f.JSON, s, func(out *printer) { out.err = writeStatus(p.Stdout, s) })
	switch {
	case err != nil:
		return err
	case s.Away != "":
		return cli.WrongInput(errors.New("nobody answers"))
	case !s.IsWell():
		return errors.New("something needs a person")
	}
	return nil
}

// usualConsole is where serve and console listen, if nobody says otherwise.
const usualConsole = "http://127.0.0.1:7430"

// find asks the address, or the brokers, or a serve on this machine.
func (f *statusFlags) find(ctx context.Context, p cli.Process) (*status.Status, error) {
	if f.Address != "" {
		s, err := askConsole(ctx, f.Address)
		if err != nil {
			err = cli.WrongInput(fmt.Errorf("%s: %w", config.Redact(f.Address), err))
		}
		return s, err
	}
	client, err := f.dial(p)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	s, err := lookAt(ctx, client, f.topics(), f.Workers)
	usual := config.Default[config.Ingest]().Kafka.Brokers
	if err == nil && s.Away != "" && !f.Named && slices.Equal(f.Brokers, usual) {
		if served, err := askConsole(ctx, usualConsole); err == nil {
			return served, nil
		}
	}
	return s, err
}

// askConsole returns what a serve or a console says.
func askConsole(ctx context.Context, address string) (*status.Status, error) {
	var stats struct {
		Status *status.Status `json:"status"`
	}
	if err := status.Get(ctx, status.URLOf(address)+"/v1/stats", &stats); err != nil {
		return nil, err
	}
	if stats.Status == nil {
		return nil, errors.New("it has not looked yet: ask again in a few seconds")
	}
	return stats.Status, nil
}

// lookAt asks the brokers and the workers, by default those at the usual addresses.
func lookAt(ctx context.Context, client *stream.Client, topics status.Topics, named []string) (*status.Status, error) {
	workers := []status.Worker{
		status.NewWorker("http://127.0.0.1:7431", httpapi.Ingest, false),
		status.NewWorker("http://127.0.0.1:7432", httpapi.Classify, false),
	}
	if len(named) > 0 {
		workers = nil
	}
	for _, address := range named {
		workers = append(workers, status.NewWorker(address, "", true))
	}
	workers = status.AskAll(ctx, workers)
	watcher := status.NewWatcher(client, topics, false)
	var model *status.Model
	if watcher.Ping(ctx) == nil {
		var err error
		model, err = foldedModel(ctx, client, topics.Model, workers)
		if errors.As(err, new(*stream.RightError)) {
			watcher.Bar(topics.Model, err)
			err = nil
		}
		if err == nil {
			err = watcher.ReadLabels(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	s := watcher.Look(ctx, time.Now(), model)
	s.Workers = workers
	s.Agree = status.Agree(nil, s.Workers)
	s.Judge()
	return s, nil
}

// foldedModel folds the model log. Where that is not possible, because its start or all of it was
// deleted, or the user may not read it, a worker may know the model; nil: none does. The error may be
// a *stream.RightError beside the model.
func foldedModel(ctx context.Context, client *stream.Client, topic string, workers []status.Worker) (*status.Model,
	error) {
	state := fold.New(false)
	err := replay(ctx, client, topic, state)
	switch {
	case errors.As(err, new(*modellog.TruncatedError)):
		return status.ModelOfWorkers(ctx, workers, topic), nil
	case errors.As(err, new(*stream.RightError)):
		return status.ModelOfWorkers(ctx, workers, topic), err
	case errors.Is(err, stream.ErrUnknownTopic):
		if m := status.ModelOfWorkers(ctx, workers, topic); m != nil {
			return m, nil
		}
	case err != nil:
		return nil, err
	}
	return status.ModelOf(state), nil
}

// Bounds of the page, so that it fits on one screen of 80 columns and 25 lines.
const (
	statusWidth   = 80
	statusLines   = 25
	statusTopics  = 6
	statusWorkers = 3
	statusReasons = 2
)

func writeStatus(w io.Writer, s *status.Status) error {
	out := &statusPage{}
	out.printer.w = &out.page
	if s.Away == "" {
		out.topics(s.Topics)
		out.figures(s)
		out.letters(s.Letters)
	}
	out.workers(s.Workers)
	out.next(s)
	_, err := w.Write(out.page.Bytes())
	return err
}

type statusPage struct {
	printer
	page bytes.Buffer
}

// line writes a line, cut to the width.
func (p *statusPage) line(cells ...string) {
	p.f("%s\n", strings.TrimRight(table.Clip(strings.Join(cells, ""), statusWidth), " "))
}

func (p *statusPage) topics(all []status.Topic) {
	p.line(table.Cell("TOPIC", 32), table.Cell("PARTITIONS", 12), table.Cell("OFFSETS", 12), "WAITING")
	for _, t := range all[:min(len(all), statusTopics)] {
		switch {
		case t.Trouble != "":
			p.line(table.Cell(t.Name, 32), "cannot be read")
			continue
		case t.Deleted:
			p.line(table.Cell(t.Name, 32), "was deleted")
			continue
		case t.Partitions == 0:
			p.line(table.Cell(t.Name, 32), "does not exist")
			continue
		}
		waiting := ""
		switch {
		case t.Waiting != nil:
			waiting = strconv.FormatInt(*t.Waiting, 10)
		case t.IsInput():
			waiting = "not known"
		}
		p.line(table.Cell(t.Name, 32), table.Cell(strconv.Itoa(t.Partitions), 12),
			table.Cell(strconv.FormatInt(t.Records, 10), 12), waiting)
	}
	p.more(len(all), statusTopics, "topic")
}

// more says how many of a list are not shown.
func (p *statusPage) more(all, most int, one string) {
	if all > most {
		p.line(table.Cell("", 14), "and ", counted(all-most, "other "+one))
	}
}

func (p *statusPage) figures(s *status.Status) {
	p.line("")
	learned, labelled := "not known", "not known"
	if s.Learned != nil && s.Classes != nil {
		learned = counted(*s.Learned, "document") + " in " + counted(*s.Classes, "label")
	}
	if s.Labelled != nil {
		labelled = counted(*s.Labelled, "document")
	}
	p.line(table.Cell("learned", 14), learned)
	p.line(table.Cell("labelled", 14), labelled)
	if s.Drifts > 0 {
		last := s.Drifted.UTC().Format("2006-01-02 15:04")
		p.line(table.Cell("drifts", 14), fmt.Sprintf("%d, the last on %s", s.Drifts, last))
	}
}

func (p *statusPage) letters(l status.Letters) {
	head := "dead letters"
	for _, r := range l.Reasons[:min(len(l.Reasons), statusReasons)] {
		p.line(table.Cell(head, 14), table.Cell(strconv.FormatInt(r.Records, 10), 8), r.Reason, ": ", r.Message)
		head = ""
	}
	p.more(len(l.Reasons), statusReasons, "reason")
}

func (p *statusPage) workers(all []status.Worker) {
	head := "workers"
	for _, w := range all[:min(len(all), statusWorkers)] {
		state := "does not answer"
		switch {
		case w.Ready:
			state = "ready"
		case w.Up:
			state = "not ready"
		}
		p.line(table.Cell(head, 14), table.Cell(w.Role, 10), table.Cell(w.Name, 24), state)
		head = ""
	}
	p.more(len(all), statusWorkers, "worker")
}

// next writes what a person should do, as far as there is room; where nothing needs one, what else
// there is to know.
func (p *statusPage) next(s *status.Status) {
	p.line("")
	isWell := s.IsWell()
	if isWell {
		p.line("Nothing needs a person.")
	}
	for i, f := range s.Findings {
		if !isWell && f.Level == status.LevelNote {
			continue
		}
		text := wrapped(f.Says)
		if f.Next != "" {
			text += wrapped("Next: " + f.Next)
		}
		if i > 0 && bytes.Count(p.page.Bytes(), []byte("\n"))+strings.Count(text, "\n") > statusLines {
			break
		}
		p.lines(text)
	}
}

// wrapped breaks a text into lines of the page, and words that are longer: they come from records.
func wrapped(text string) string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		for word = escape.Text(word); len(word) > statusWidth; {
			end := statusWidth // in bytes: no character takes more columns
			for !utf8.RuneStart(word[end]) {
				end--
			}
			words = append(words, word[:end])
			word = word[end:]
		}
		words = append(words, word)
	}
	return config.Wrap(strings.Join(words, " "), "", statusWidth)
}
