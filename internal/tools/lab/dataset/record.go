package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/jsonread"
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

	Row    []byte // of CSV, as it is in the file, without its line break; nil unless Options.Header is there
	Others []Cell // of CSV for a documents topic, what else the row has
}

// Cell is one of a row of CSV.
type Cell struct{ Column, Value string }

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
	out.Others = slices.Clone(r.Others)
	out.Input = model.Input{}
	out.Input.Copy(&r.Input, slices.Clone)
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

// setLabel gives a record a label, or rejects it if there is none.
func (r *Record) setLabel(o *Options, label string) error {
	r.Weight = 1
	if o.Unlabelled {
		return nil
	}
	if label == "" {
		return wire.Rejectf(wire.NoLabel, "this format has no place for it: use --label, or a folder with a subfolder for "+
			"each class, or --format=csv (with a header), labelled (a label, a tab, a text) or jsonl")
	}
	return r.checkLabel(label, o.Spec)
}

// checkLabel sets the label to what Label makes of one.
func (r *Record) checkLabel(label string, s *spec.Spec) (err error) {
	r.Label, err = Label(s, label)
	return err
}

// Label returns a label without the space around it, as the class that it is a spelling of. It
// rejects one that no class can have, or that is none of the classes of the spec, if that names
// them.
func Label(s *spec.Spec, label string) (string, error) {
	isClass := func(name []byte) bool { return s.Classes == nil || slices.Contains(s.Classes, string(name)) }
	text, bad := wire.CheckLabel([]byte(s.Class(strings.TrimSpace(label))), isClass)
	if bad != nil {
		return "", bad.At("it")
	}
	return string(text), nil
}

// Body returns the value of the record of a topic that workers with a spec read: an object, with
// the label or without, or for a spec of the format mail or text the mail or the line itself, which
// has no place for a label. It shares memory with the record.
func (r *Record) Body(s *spec.Spec, labelled bool) ([]byte, error) {
	switch {
	case !s.IsJSON() && r.Format != s.Format:
		return nil, r.Error(fmt.Errorf("the model reads records of the format %s, and this file holds others: see --format",
			s.Format))
	case !s.IsJSON():
		return r.Value, nil
	case r.Format == wire.FormatMail:
		return nil, r.Error(errors.New("the model reads records of the format json, which have no parts of a mail: a model " +
			"of mails has a spec with format: mail"))
	}
	return r.Object(s, labelled)
}

// Object returns the document as a JSON object that workers with a spec read, with the label or
// without: numbers and categories in the objects of these names, texts at the fields of the spec.
// The id is in it if the file says it, and so are Others.
func (r *Record) Object(s *spec.Spec, labelled bool) ([]byte, error) {
	fields, at := map[string]any{}, s.RecordPlaces()
	if r.Explicit && at.ID.Header == "" {
		put(fields, at.ID.Field, r.ID)
	}
	if labelled && at.Label.Header == "" {
		put(fields, at.Label.Field, r.Label)
	}
	if labelled && r.Weight > 1 && at.Weight.Header == "" {
		put(fields, at.Weight.Field, r.Weight)
	}
	if numbers := r.numbers(s); len(numbers) > 0 {
		fields["numbers"] = numbers
	}
	if categories := r.categories(s); len(categories) > 0 {
		fields["categories"] = categories
	}
	for i, name := range s.TextFields() {
		if i < len(r.Input.Segments) {
			put(fields, name, string(r.Input.Segments[i].Text))
		}
	}
	for _, other := range r.Others {
		if _, ok := fields[other.Column]; !ok {
			fields[other.Column] = other.Value
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return nil, r.Error(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// put sets the value at a path.
func put(fields map[string]any, path string, value any) {
	names := jsonread.SplitPath(path)
	for i, name := range names {
		if i == len(names)-1 {
			fields[name] = value
			return
		}
		inner, ok := fields[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			fields[name] = inner
		}
		fields = inner
	}
}

// numbers returns the numbers that the document has, by name.
func (r *Record) numbers(s *spec.Spec) map[string]json.Number {
	out := map[string]json.Number{}
	for i, name := range s.NumberFields() {
		if i < len(r.Input.Numbers) && r.Input.Numbers[i].Present {
			out[name] = json.Number(gaussian.FormatFixed(r.Input.Numbers[i].Value, s.Digits()))
		}
	}
	return out
}

// categories returns the categories that the document has, by name.
func (r *Record) categories(s *spec.Spec) map[string]string {
	out := map[string]string{}
	for i, name := range s.CategoryFields() {
		if i < len(r.Input.Categories) && r.Input.Categories[i].Present {
			out[name] = string(r.Input.Categories[i].Value)
		}
	}
	return out
}

// Places are where each id was first read.
type Places map[string]place

type place struct {
	file string
	line int64
}

// Add rejects a record whose id was read before. advice is what can be done about it.
func (p Places) Add(rec *Record, advice string) error {
	if first, ok := p[rec.ID]; ok {
		return rec.Error(wire.Rejectf(wire.BadID, "id %q is the id of %s:%d already: %s", rec.ID, first.file, first.line,
			advice))
	}
	p[strings.Clone(rec.ID)] = place{rec.File, rec.Line}
	return nil
}

// OnBad decides what happens to a record that cannot be used.
type OnBad struct {
	Skip    bool
	Report  func(err error) // called for each skipped record; may be nil
	Skipped int64
}

// Pass counts and reports a record that is skipped and returns nil. It returns err if the record
// must not be skipped.
func (bad *OnBad) Pass(err error) error {
	if !bad.Skip || !IsReject(err) {
		if reject, is := errors.AsType[*wire.Reject](err); is && reject.Reason == wire.TooLarge {
			reject.Detail += " (limits.record_bytes); --on-bad=skip passes over it"
		}
		return err
	}
	bad.Skipped++
	if bad.Report != nil {
		bad.Report(err)
	}
	return nil
}

// IsReject reports whether an error concerns one record alone, or one file of a folder, so that
// reading may go on.
func IsReject(err error) bool {
	return errors.As(err, new(*wire.Reject)) || errors.As(err, new(fileError))
}

// Each reads all records and calls f for each. A record that the reader or f rejects is skipped or
// ends the loop, as bad says. Any other error ends it.
func Each(r Reader, bad *OnBad, f func(rec *Record) error) error {
	var rec Record
	for {
		err := r.Read(&rec)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(&rec)
		}
		if err == nil {
			continue
		}
		if err := bad.Pass(err); err != nil {
			return err
		}
	}
}

// Order is the order in which labelled documents come. The zero value has none.
type Order struct {
	documents int
	changes   int // of label, from one document to the next
	last      string
	counts    map[string]int // documents by label
}

// Add adds the next document.
func (o *Order) Add(label string) {
	if o.counts == nil {
		o.counts = map[string]int{}
	}
	if o.documents > 0 && label != o.last {
		o.changes++
	}
	o.documents++
	o.last = label
	o.counts[label]++
}

// Changes returns how often the label changed from one document to the next, and how often it is
// expected to in a random order of the documents.
func (o *Order) Changes() (found int, expected float64) {
	n := float64(o.documents)
	for _, k := range o.counts {
		expected += float64(k) * (n - float64(k)) / n
	}
	return o.changes, expected
}

const (
	fewDocuments = 20  // of fewer than these nothing is said
	fewChanges   = .25 // share of the changes of a random order below which documents come class after class
)

// Warning returns a sentence about documents that come class after class, "" about others: they are
// no stream, and what is measured on them says nothing about one.
func (o *Order) Warning() string {
	found, expected := o.Changes()
	if o.documents < fewDocuments || float64(found) >= fewChanges*expected {
		return ""
	}
	times := "once"
	if found != 1 {
		times = fmt.Sprintf("%d times", found)
	}
	return fmt.Sprintf("the documents come class after class: the label changes %s, in a random order it would some "+
		"%.0f times; --shuffle=1 mixes them", times, expected)
}
