package exchange

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"bayestream/internal/bow"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/tokenize"
	"bayestream/internal/tools/cli/progress"

	"google.golang.org/protobuf/proto"
)

// line is any line of an export. The first has the spec, the last the number of lines; the others add
// counts, in any order.
type line struct {
	Spec     *string `json:"spec,omitempty"`     // YAML, in full
	Revision *uint32 `json:"revision,omitempty"` // of the tokenizer; missing: counted by another program

	// Scores of internal/shell/modellog/logpb/log.proto: what the records that were scored come to
	Scores []byte `json:"scores,omitempty"`

	Class     *string  `json:"class,omitempty"`
	Documents *int64   `json:"documents,omitempty"`
	Corrected *int64   `json:"corrected,omitempty"` // documents that correct for the class or against it
	Term      *string  `json:"term,omitempty"`
	Table     *string  `json:"table,omitempty"` // categories[0], histograms[0], corrections
	Value     *string  `json:"value,omitempty"`
	Count     *int64   `json:"count,omitempty"`
	Block     *string  `json:"block,omitempty"` // numbers[0]
	N         []int64  `json:"n,omitempty"`
	Sum       []string `json:"sum,omitempty"`      // decimal integers, in units of the scale
	Products  []string `json:"products,omitempty"` // the same, of the scale squared
	Lines     *int64   `json:"lines,omitempty"`    // before this one: detects a truncated file
}

// The lines of cells, of which an export has most, with their own fields alone: these are encoded
// faster.
type (
	termLine struct {
		Class string `json:"class"`
		Term  string `json:"term"`
		Count int64  `json:"count"`
	}
	valueLine struct {
		Class string `json:"class"`
		Table string `json:"table"`
		Value string `json:"value"`
		Count int64  `json:"count"`
	}
)

// encoder writes lines and counts them.
type encoder struct {
	*json.Encoder
	lines int64
}

func newEncoder(w io.Writer) *encoder {
	e := &encoder{Encoder: json.NewEncoder(w)}
	e.SetEscapeHTML(false)
	return e
}

func (e *encoder) write(line any) error {
	e.lines++
	return e.Encode(line)
}

// WriteLines writes a model as JSON lines: the spec, the sums of the race, unless scores is nil,
// the documents of each class, every count, and the number of these lines. Equal models give equal
// bytes. Adding the lines of two exports adds the models.
func WriteLines(ctx context.Context, w io.Writer, m *model.Model, scores *fold.Scores) error {
	out := newEncoder(w)
	task := showProgress(ctx, m)
	defer task.End()
	err := out.write(&line{Spec: new(string(m.Spec().YAML())), Revision: new(uint32(tokenize.Revision))})
	if err == nil {
		err = writeScores(out, scores)
	}
	if err == nil {
		err = writeCounts(out, m, task)
	}
	if err == nil {
		err = out.write(&line{Lines: new(out.lines)})
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func writeCounts(out *encoder, m *model.Model, task *progress.Task) error {
	classes := m.Classes()
	for _, c := range classes.Live() {
		if err := out.write(&line{Class: new(classes.Name(c)), Documents: new(classes.Documents(c))}); err != nil {
			return err
		}
	}
	if of := m.Corrections(); of != nil {
		for _, c := range of.Classes.Live() {
			if err := out.write(&line{Class: new(of.Classes.Name(c)), Corrected: new(of.Classes.Documents(c))}); err != nil {
				return err
			}
		}
	}
	for c := range cells(m, task) {
		var l any = termLine{c.class, string(c.term), c.count}
		if c.value != "" {
			l = valueLine{c.class, c.value, string(c.term), c.count}
		}
		if err := out.write(l); err != nil {
			return err
		}
	}
	for i := range m.Spec().Numbers {
		for _, c := range classes.Live() {
			s := m.Numbers(i).Sums(c)
			if s == nil {
				continue
			}
			if err := out.write(&line{Class: new(classes.Name(c)), Block: new(m.NumbersName(i)), N: s.N, Sum: decimals(s.Sum),
				Products: decimals(s.Products)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// showProgress shows how many of the terms are written.
func showProgress(ctx context.Context, m *model.Model) *progress.Task {
	terms := 0
	for _, table := range m.Tables() {
		terms += table.Vocabulary()
	}
	if c := m.Corrections(); c != nil {
		terms += c.Table.Vocabulary()
	}
	return progress.From(ctx).Begin("writing counts", "terms", int64(terms))
}

// A cell is one count of a table.
type cell struct {
	value string // name of a table of values, "" for the table of the text, or corrections
	term  []byte
	class string
	count int64
}

// cells yields all counts of all tables, ordered by table, term and class name, and then the
// corrections. It adds each term to the task.
func cells(m *model.Model, task *progress.Task) func(yield func(cell) bool) {
	return func(yield func(cell) bool) {
		for i, table := range m.Tables() {
			if !eachCell(table, m.Classes(), cell{value: valueName(m, i)}, task, yield) {
				return
			}
		}
		if c := m.Corrections(); c != nil {
			eachCell(c.Table, &c.Classes, cell{value: corrections}, task, yield)
		}
	}
}

// corrections is the name of the table of corrections.
const corrections = "corrections"

// enters reports whether a correction enters the scores of the leader: it reads them, and the model
// has counted the class and the word.
func (c *cell) enters(m *model.Model) bool {
	_, isClass := m.Classes().ID(c.class)
	row := m.Text().Lookup(bow.Hash(c.term), c.term)
	return m.Lambda() != 0 && isClass && row >= 0 && len(m.Text().Cells(row)) > 0
}

// eachCell yields the counts of a table of classes; of is what they have in common.
func eachCell(table *counts.Table, classes *counts.Classes, of cell, task *progress.Task, yield func(cell) bool) bool {
	for term, row := range table.Sorted {
		task.Add(1)
		for _, id := range classes.Live() {
			for _, c := range row {
				if c.Class() != id {
					continue
				}
				of.term, of.class, of.count = term, classes.Name(id), c.Count()
				if !yield(of) {
					return false
				}
			}
		}
	}
	return true
}

// valueName returns the name of the i-th of Model.Tables, "" for the text.
func valueName(m *model.Model, i int) string {
	if m.Text() != nil {
		i--
	}
	if i < 0 {
		return ""
	}
	return m.ValuesName(i)
}

// writeScores writes the sums of a race, if there are any.
func writeScores(out *encoder, s *fold.Scores) error {
	if s == nil {
		return nil
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(codec.ScoresProto(s.List, s.Sums))
	if err != nil {
		return err
	}
	return out.write(&line{Scores: text})
}
