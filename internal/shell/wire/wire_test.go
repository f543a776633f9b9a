package wire

import (
	"cmp"
	"errors"
	"flag"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
)

// update rewrites the golden files: go test ./internal/shell/wire/ -update
var update = flag.Bool("update", false, "rewrite the golden files in testdata and docs")

// mustDecoder makes a Decoder of what a test says of a Schema.
func mustDecoder(s Schema) *Decoder {
	return NewDecoder(usual(s))
}

// usual fills in what a spec says that says nothing else.
func usual(s Schema) Schema {
	s.Format = cmp.Or(s.Format, FormatJSON)
	s.LabelType = cmp.Or(s.LabelType, LabelString)
	s.LabelField = cmp.Or(s.LabelField, "label")
	s.IDField = cmp.Or(s.IDField, "id")
	s.WeightField = cmp.Or(s.WeightField, "weight")
	if len(s.TextFields) == 0 {
		s.TextFields = []string{"text"}
	}
	if s.TextMarks == nil {
		s.TextMarks = make([]string, len(s.TextFields))
	}
	s.MaxRecordBytes = cmp.Or(s.MaxRecordBytes, 1<<20)
	return s
}

// fullSchema uses every part of a record.
func fullSchema() Schema {
	return Schema{
		HasText: true, NumberFields: []string{"length", "a.b", "weird*key"}, CategoryFields: []string{"country", "x|y"},
		Digits: 9, LabelHeader: "label", IDHeader: "id", MaxRecordBytes: 2000,
	}
}

// record is a record at documents/3/42.
func recordOf(value string, headers ...stream.Header) *stream.Record {
	return &stream.Record{Topic: "documents", Partition: 3, Offset: 42, Value: []byte(value), Headers: headers}
}

// header is one header.
func header(key, value string) stream.Header {
	return stream.Header{Key: key, Value: []byte(value)}
}

// wantReject checks that err is a Reject for this reason and returns its sentence.
func wantReject(t *testing.T, err error, want Reason) string {
	t.Helper()
	var reject *Reject
	if !errors.As(err, &reject) {
		t.Fatalf("got error %v, want a Reject %q", err, want)
	}
	if reject.Reason != want {
		t.Fatalf("got reason %q (%v), want %q", reject.Reason, err, want)
	}
	return err.Error()
}

// text is the unmarked text of an input.
func text(in model.Input) string {
	for _, s := range in.Segments {
		if s.Mark == "" {
			return string(s.Text)
		}
	}
	return ""
}
