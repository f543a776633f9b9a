package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
)

// A setting of records that an old configuration has is refused, wherever it is, with a block that
// a spec reads.
func TestMovedSettings(t *testing.T) {
	file := write(t, "label-field: is.team\nlabel-type: any\nid-from: key\nmax-records: 7\n")
	inPlace := environment{"BAYESTREAM_ID_HEADER": "i"}
	args := []string{"--config", file, "--label-header=l", "--format=json", "--id-field", "a.id"}
	_, err := Parse[Ingest]("ingest", args, inPlace.lookup)
	var usage *UsageError
	if !errors.As(err, &usage) || len(usage.Problems) != 1 {
		t.Fatalf("got %v, want one problem", err)
	}
	says, block, _ := strings.Cut(usage.Problems[0], "\n\n")
	want := "--format, " + file + ":1: label-field, --label-header, " + file + ":2: label-type, --id-field, BAYESTREAM_ID_HEADER, " +
		file + ":3: id-from: the spec says how records are read. Put this into the spec of ingest (--spec), from which all programs have it:"
	if says != want {
		t.Errorf("it says\n%s\nwant\n%s", says, want)
	}
	s, err := spec.Parse([]byte(block))
	if err != nil {
		t.Fatalf("%v\n%s", err, block)
	}
	places := spec.Records{
		Label: spec.LabelPlace{Field: "is.team", Header: "l", Type: "any"}, ID: spec.IDPlace{Field: "a.id", Header: "i", From: "key"},
		Weight: spec.Place{Field: "weight"}, By: spec.Place{Field: "by"},
	}
	if s.RecordPlaces() != places {
		t.Errorf("the block says %+v, want %+v", s.RecordPlaces(), places)
	}
}

// Of the programs that had such settings each refuses them; others do not look at the variables.
func TestMovedSettingsOfEachProgram(t *testing.T) {
	format := environment{"BAYESTREAM_FORMAT": "mail"}
	if _, err := Parse[Classify]("classify", nil, format.lookup); err == nil || !strings.HasSuffix(err.Error(), "\n\nformat: mail\n") {
		t.Errorf("classify: %v", err)
	}
	for _, records := range []bool{true, false} {
		var dst struct{ Connection }
		c := Command{Name: "verb", Records: records}
		if err := c.Parse(&dst, nil, format.lookup); err != nil {
			t.Errorf("a verb that reads no variables: %v", err)
		}
		err := c.Parse(&dst, []string{"--id-field=x"}, format.lookup)
		if err == nil || strings.Contains(err.Error(), "records:\n") != records {
			t.Errorf("a verb that had the flags: %v, got %v", records, err)
		}
	}
	flags := flagsOf(&Ingest{})
	if slices.ContainsFunc(flags, isMoved) {
		t.Error("settings that are refused are among those of ingest")
	}
}
