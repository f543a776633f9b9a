package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli"
)

// The number of records in the tag of the flag, which can be no constant, is that of the constant.
func TestRecordsOfInit(t *testing.T) {
	f, _ := reflect.TypeFor[initFlags]().FieldByName("Records")
	if got := f.Tag.Get("default"); got != strconv.Itoa(defaultRecords) {
		t.Errorf("the default of --records is %s, and patterns look at %d", got, defaultRecords)
	}
}

// Init reads a table as train does: the same columns, the same errors, the same rows passed over.
func TestInitReadsAsTrainDoes(t *testing.T) {
	code, stdout, stderr := ends(t, nil, "init", filepath.Join(badData, "quotes.csv"))
	if want := "quotes.csv" + faults["quotes.csv"].says; code != cli.Wrong || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, %s%s, want %s", code, stdout, stderr, want)
	}
	ragged := filepath.Join(t.TempDir(), "ragged.csv")
	filetest.Write(t, ragged, "label,text\na,some words here\nb,hello,world\nb,other words here\n")
	want := `label: "a", "b".` + "\n# Rows that cannot be used: 1. The first is " + ragged +
		":3: bad row: the header has 2 columns and this row has 3. train and eval need --on-bad=skip.\n"
	if out := mustRun(t, "init", ragged); !strings.Contains(out, want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	var rows strings.Builder
	for i := range 600 {
		fmt.Fprintf(&rows, "%d;\"commas, %d,5, in words\";%c\n", i, i, 'a'+i%2)
	}
	for _, said := range []string{"", "sep=;\r\n"} {
		table := filepath.Join(t.TempDir(), "table.csv")
		filetest.Write(t, table, said+"id;text;label\n"+rows.String())
		if out := mustRun(t, "init", table); !strings.Contains(out, `label: "a", "b".`) || !strings.Contains(out, "field: text\n") {
			t.Errorf("init of a table with semicolons: %s", out)
		}
	}
}

// Init says with which format the other verbs read a file as it does, if the name says another one.
func TestInitSaysTheFormat(t *testing.T) {
	const table, lines = "label|text\na|some words here\nb|other words\n", `{"text":"some words here","label":"a"}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"table.txt", table, "csv"}, {"table.jsonl", table, "csv"}, {"table.tsv", table, ""}, {"table", table, ""},
		{"lines.txt", lines, "jsonl"}, {"lines.csv", lines, "jsonl"}, {"lines.json", lines, ""},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		filetest.Write(t, file, c.text)
		_, format, found := strings.Cut(mustRun(t, "init", file), "\n# So train, eval and send need: --format=")
		format, _, _ = strings.Cut(format, "\n")
		if format != c.want || found != (c.want != "") {
			t.Errorf("%s needs %q, want %q", c.name, format, c.want)
		}
	}
}
