package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/escape"
	"bayestream/internal/tools/cli/table"
	"bayestream/internal/tools/status"
)

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
	p.line(table.Cell("TOPIC", 32), table.Cell("PARTITIONS", 12), table.Cell("RECORDS", 12), "WAITING")
	for _, t := range all[:min(len(all), statusTopics)] {
		switch {
		case t.Trouble != "":
			p.line(table.Cell(t.Name, 32), "cannot be read")
			continue
		case t.Partitions == 0:
			p.line(table.Cell(t.Name, 32), "does not exist")
			continue
		}
		waiting := ""
		if t.Waiting != nil {
			waiting = strconv.FormatInt(*t.Waiting, 10)
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
	labelled := "not known"
	if s.Labelled != nil {
		labelled = counted(*s.Labelled, "document")
	}
	p.line(table.Cell("learned", 14), counted(s.Learned, "document"), fmt.Sprintf(" in %s", counted(s.Classes, "label")))
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
