package dataset

import (
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
)

// Record is one document of a file. It may be used until the next one is read.
type Record struct {
	ID       string // what the file says, else file:line
	Explicit bool   // the file says it
	Label    string
	Weight   int64
	Input    model.Input
	Bare     bool // for a topic: a null label, a ref or a label alone, which has no document of its own
	Part     int  // which of the files that Open was given, or which folder, from 0
	File     string
	Line     int64 // from 1

	// Value is what the file holds of the document: an object of JSON Lines, a line of text or a mail;
	// nil for other formats. Format is that of the value, as package wire names it.
	Value  []byte
	Format string

	Row []byte // of CSV, as it is in the file, without its line break; nil unless Options.Header is there
}

// Location returns file:line of the record.
func (r *Record) Location() string {
	return r.File + ":" + strconv.FormatInt(r.Line, 10)
}

// Error returns err as an error at the record's file and line.
func (r *Record) Error(err error) error {
	return &wire.LineError{File: r.File, Line: r.Line, Err: err}
}

// Clone returns a copy that shares no memory with the reader.
func (r *Record) Clone() *Record {
	out := *r
	out.ID = strings.Clone(r.ID)
	out.Label = strings.Clone(r.Label)
	out.Value = slices.Clone(r.Value)
	out.Row = slices.Clone(r.Row)
	out.Input = model.Input{Numbers: slices.Clone(r.Input.Numbers)}
	for _, s := range r.Input.Segments {
		out.Input.Segments = append(out.Input.Segments,
			model.Segment{Mark: s.Mark, Text: slices.Clone(s.Text), Lines: s.Lines})
	}
	for _, c := range r.Input.Categories {
		out.Input.Categories = append(out.Input.Categories, model.Category{Value: slices.Clone(c.Value), Present: c.Present})
	}
	return &out
}

// place sets the file and line of a record, and its id if the file does not say one.
func (r *Record) place(file string, line int64) {
	r.File = file
	r.Line = line
	if !r.Explicit {
		r.ID = r.Location()
	}
}

// setLabel gives a record the label of all records, or rejects it if there is none.
func (r *Record) setLabel(o *Options) error {
	r.Weight = 1
	if o.Unlabelled {
		return nil
	}
	if o.Label == "" {
		return wire.Rejectf(wire.NoLabel, "this format has no place for it: use --label, or a folder with a subfolder for "+
			"each class; lines with a label, a tab and a text are --format=labelled, lines of JSON --format=jsonl")
	}
	return r.checkLabel(o.Label, o.Spec.Classes)
}

// checkLabel sets the label without the space around it. It rejects one that no class can have, or
// that is none of the classes of the spec, if that names them.
func (r *Record) checkLabel(label string, classes []string) error {
	isClass := func(name []byte) bool { return classes == nil || slices.Contains(classes, string(name)) }
	text, bad := wire.CheckLabel([]byte(label), isClass)
	if bad != nil {
		return bad.At("it")
	}
	r.Label = string(text)
	return nil
}
