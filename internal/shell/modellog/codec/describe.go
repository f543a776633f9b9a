package codec

import (
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/logpb"
)

// Description is what a record of the log says by itself, for those who read the log: without a
// state, so that a record that cannot be folded has one too.
type Description struct {
	Kind    string `json:"kind"`              // spec, delta, upkeep, rollback, void, reset or rename; unreadable
	Problem string `json:"problem,omitempty"` // why the fold does not take it

	Spec string `json:"spec,omitempty"` // YAML

	// Of a delta.
	Ranges    []Range          `json:"ranges,omitempty"`
	Documents map[string]int64 `json:"documents,omitempty"` // by class: by how much they change
	Cells     []Cell           `json:"cells,omitempty"`
	Scored    int64            `json:"scored,omitempty"` // records that were scored before they were learned

	// Of a control.
	Why  string `json:"why,omitempty"`
	From int64  `json:"from,omitempty"` // of the records that a void takes out
	To   int64  `json:"to,omitempty"`
	Old  string `json:"old,omitempty"` // of the class that is renamed
	New  string `json:"new,omitempty"`
}

// Range is the records [Start, End) of a partition.
type Range struct {
	Topic      string         `json:"topic"`
	Partition  int32          `json:"partition"`
	Generation uint32         `json:"generation,omitempty"`
	Start      int64          `json:"start"`
	End        int64          `json:"end"`
	Skipped    map[string]int `json:"skipped,omitempty"` // by reason
	Lost       int64          `json:"lost,omitempty"`
	Ledger     []LedgerLine   `json:"ledger,omitempty"`
}

// Cell is the change of one count.
type Cell struct {
	Table string `json:"table"` // text, or categories[0] and so on
	Class string `json:"class"`
	Term  string `json:"term"`
	Count int64  `json:"count"`
}

// LedgerLine is one change of a ledger.
type LedgerLine struct {
	Offset int64   `json:"offset"`
	ID     string  `json:"id"`
	Label  *string `json:"label"`        // null: the id was forgotten
	By     string  `json:"by,omitempty"` // who said the label
}

// IsControl reports whether the record changes what records before it count for.
func (d *Description) IsControl() bool {
	return slices.Contains([]string{"rollback", "void", "reset", "rename"}, d.Kind)
}

// Describe says what a record of the log at an offset holds.
func Describe(value []byte, offset int64) Description {
	d := Description{Kind: "unreadable"}
	if err := checkFormat(value, offset); err != nil {
		d.Problem = err.Error()
		return d
	}
	var r logpb.Record
	unknown, err := parse(value, &r)
	if err != nil {
		d.Problem = err.Error()
		return d
	}
	switch k := r.Kind.(type) {
	case *logpb.Record_Spec:
		d.Kind = "spec"
		d.Spec = string(k.Spec.GetYaml())
	case *logpb.Record_Delta:
		d.delta(k.Delta)
	case *logpb.Record_Control:
		d.control(k.Control)
	}
	if unknown != "" {
		d.Problem = (&NewerError{Offset: offset, What: unknown}).Error()
	}
	return d
}

func (d *Description) delta(p *logpb.Delta) {
	d.Kind = "delta"
	d.Ranges = make([]Range, len(p.GetRanges()))
	for i, r := range p.GetRanges() {
		d.Ranges[i] = d.rangeOf(r)
	}
	switch {
	case len(d.Ranges) == 0:
		d.Problem = errNoRange.Error()
	case len(d.Ranges) == 1 && d.Ranges[0].Start == d.Ranges[0].End:
		d.Kind = "upkeep"
	}
	d.Scored = p.GetScores().GetScored()
	d.Documents = map[string]int64{}
	c := p.GetCounts()
	for i, class := range c.GetClasses() {
		if i < len(c.GetDocuments()) {
			d.Documents[class] = c.GetDocuments()[i]
		}
	}
	classes := slices.Clone(c.GetClasses())
	for i := range min(len(c.GetCorrected()), len(classes)) {
		classes = append(classes, classes[i]+" (correction)")
	}
	for _, t := range c.GetTables() {
		if t.GetKind() == logpb.Kind_VALUES {
			d.terms(fmt.Sprintf("categories[%d]", t.GetNumber()), c.GetClasses(), t.GetTerms())
		} else {
			d.terms("text", classes, t.GetTerms())
		}
	}
}

func (d *Description) rangeOf(p *logpb.Range) Range {
	r := Range{Topic: p.GetTopic(), Partition: p.GetPartition(), Generation: p.GetGeneration(), Start: p.GetStart(),
		End: p.GetEnd(), Lost: p.GetLost()}
	if skipped, err := readSkipped(p); err == nil && len(skipped) > 0 {
		r.Skipped = map[string]int{}
		for _, s := range skipped {
			r.Skipped[s.Reason]++
		}
	}
	if err := r.ledger(p.GetLedger()); err != nil {
		d.Problem = err.Error()
	}
	return r
}

func (r *Range) ledger(p *logpb.LedgerPart) error {
	columns, err := ledgerColumns(p)
	if err != nil {
		return err
	}
	changes, err := readColumns(columns, fold.Source{})
	for _, c := range changes {
		line := LedgerLine{Offset: c.Offset, ID: c.ID}
		if c.Put != nil {
			line.Label = &c.Put.Label
			line.By = c.Put.By
		}
		r.Ledger = append(r.Ledger, line)
	}
	return err
}

// terms adds the cells of a table. What a hostile record has in it may be anything: it is checked
// as the fold does.
func (d *Description) terms(table string, classes []string, p *logpb.Terms) {
	t, err := readTerms(p)
	if err == nil {
		err = t.Validate(len(classes))
	}
	if err != nil {
		d.Problem = fmt.Sprintf("%s: %v", table, err)
		return
	}
	d.Cells = appendCells(d.Cells, table, classes, &t)
}

func appendCells(cells []Cell, table string, classes []string, t *counts.Terms) []Cell {
	for i := range t.Len() {
		begin, end := t.Range(i)
		for j := begin; j < end; j++ {
			cells = append(cells, Cell{Table: table, Class: classes[t.Class[j]], Term: string(t.Term(i)), Count: t.Count[j]})
		}
	}
	return cells
}

func (d *Description) control(p *logpb.Control) {
	d.Kind = "control"
	d.Why = p.GetWhy()
	switch k := p.Kind.(type) {
	case *logpb.Control_Void:
		d.Kind = "rollback"
		if k.Void.GetRecount() {
			d.Kind = "void"
		}
		d.From = k.Void.GetFrom()
		d.To = k.Void.GetTo()
	case *logpb.Control_Reset_:
		d.Kind = "reset"
	case *logpb.Control_Rename:
		d.Kind = "rename"
		d.Old = k.Rename.GetFrom()
		d.New = k.Rename.GetTo()
	}
}
