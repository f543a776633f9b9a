package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli"
)

// badData is the folder of files that are broken, each in its own way.
const badData = "../../testdata/bad"

// fault is what is wrong with a file, and what the verbs make of it.
type fault struct {
	says    string // by every verb that looks, after the name of the file
	skipped int    // records that --on-bad=skip passes over; 0: none, the file cannot be read on
	predict bool   // labels it all the same: it is the label, or the set of records, that is wrong
	numbers bool   // it is read by a spec of the number x
	measure bool   // only verbs that measure refuse it
}

var faults = map[string]fault{
	"cut.jsonl.gz":     {says: ":28: the gzip data ends early: the file is cut off; fetch or pack it again"},
	"cut.csv.gz":       {says: ":29: the gzip data ends early: the file is cut off; fetch or pack it again"},
	"short.jsonl.gz":   {says: ":1: the gzip data ends early: the file is cut off"},
	"damaged.jsonl.gz": {says: ":61: the gzip data is damaged: gzip: invalid checksum"},
	"nul.jsonl":        {says: ":2: not a JSON object: ", skipped: 1},
	"nul.csv":          {says: ":3: bad row: column 1 has a zero byte: it is not text", skipped: 1},
	"latin1.jsonl":     {says: ":2: invalid UTF-8: byte 0xe9 at offset 13", skipped: 1},
	"latin1.csv":       {says: ":3: invalid UTF-8: column 1 is not UTF-8 text", skipped: 1},
	"latin1.txt":       {says: ":2: invalid UTF-8: byte 0xe9 at offset 3", skipped: 1},
	"huge.jsonl.gz":    {says: ":2: record too large: the line has more than 1048576 bytes, the limit", skipped: 1},
	"ragged.csv":       {says: ":3: bad row: the header has 2 columns and this row has 3", skipped: 1},
	"quotes.csv":       {says: `:4: a cell in quotes is not closed, or a quote inside of it is not doubled: write "" for a quote`},
	"bare.csv":         {says: `:3: bad row: byte 2 is a quote in a cell that does not begin with one`, skipped: 1},
	"columns.csv":      {says: `:1: there is no column `},
	"twice.csv":        {says: `:1: two columns are called "text"`},
	"empty.csv":        {says: ":1: the file is empty: want a header that names the columns"},
	"header.csv":       {says: ": no labelled documents", predict: true},
	"empty.jsonl":      {says: ": no labelled documents", predict: true},
	"blank.jsonl":      {says: ": no labelled documents", predict: true},
	"oneclass.jsonl":   {says: `: all documents have the label "ham": want at least two classes`, predict: true, measure: true},
	"nan.csv":          {says: `:3: bad number: column "x" is "NaN"; want a decimal number`, skipped: 1, numbers: true},
	"inf.csv":          {says: `:3: bad number: column "x" is "Inf"; want a decimal number`, skipped: 1, numbers: true},
	"range.csv":        {says: `:3: number out of range: column "x" is 1e10`, skipped: 1, numbers: true},
	"nan.jsonl":        {says: ":2: not a JSON object: ", skipped: 1, numbers: true},
	"inf.jsonl":        {says: `:2: number out of range: field "numbers", "x" is 1e999`, skipped: 1, numbers: true},
	"label.jsonl":      {says: `:2: bad label: field "label" is 1, a number; want a string`, skipped: 1, predict: true},
	"unlabelled.jsonl": {says: `:2: no label: field "label" is missing`, skipped: 1, predict: true},
	"unlabelled.csv":   {says: ":3: no label: the column of the label is empty", skipped: 1, predict: true},
	"weight.jsonl":     {says: `:2: bad weight: field "weight" is 0`, skipped: 1, predict: true},
	"twins.jsonl":      {says: `:3: bad id: id "x" is the id of `, skipped: 1, predict: true},
	"twins.csv":        {says: `:4: bad id: id "x" is the id of `, skipped: 1, predict: true},
	"prose.jsonl":      {says: ":2: not a JSON object: ", skipped: 1},
	"notext.jsonl":     {says: `:2: no text: field "text" is missing`, skipped: 1},
	"noheader.eml":     {says: ":1: not a mail: ", skipped: 1},
	"broken.mbox":      {says: ":8: not a mail: ", skipped: 1},
	"folder":           {says: " holds no subfolders with files: want a subfolder for each class", predict: true},
}

// bench is a folder with what the verbs need beside the broken file.
type bench struct{ words, numbers, wordSpec, pairSpec, numberSpec, page string }

func newBench(t *testing.T) bench {
	t.Helper()
	dir := t.TempDir()
	b := bench{}
	for name, path := range map[string]*string{"words.db": &b.words, "numbers.db": &b.numbers, "words.yaml": &b.wordSpec, "pairs.yaml": &b.pairSpec, "numbers.yaml": &b.numberSpec, "page.html": &b.page} {
		*path = filepath.Join(dir, name)
	}
	words, rows := filepath.Join(dir, "words.jsonl"), filepath.Join(dir, "rows.csv")
	for name, text := range map[string]string{
		words: `{"text":"lunch on friday","label":"ham"}` + "\n" + `{"text":"cheap pills","label":"spam"}` + "\n", rows: "x,label\n1,a\n2,a\n4,b\n5,b\n",
		b.wordSpec: "text: {}\n", b.pairSpec: "text: {ngrams: 2}\n", b.numberSpec: "numbers: [{fields: [x]}]\n",
	} {
		filetest.Write(t, name, text)
	}
	_, err := run(t, "train", "--model="+b.words, words)
	_, err2 := run(t, "train", "--model="+b.numbers, "--spec="+b.numberSpec, rows)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return b
}

// lines returns the command lines that read data with this fault.
func (b bench) lines(t *testing.T, f fault, file string) [][]string {
	model, spec, both := b.words, b.wordSpec, []string{"compare", "--cv=2", "--spec=" + b.wordSpec, "--spec=" + b.pairSpec}
	if f.numbers {
		model, spec, both = b.numbers, b.numberSpec, []string{"compare", "--rounds=1", "--points=1", "--spec=" + b.numberSpec}
	}
	all := [][]string{
		{"train", "--spec=" + spec, "--model=" + filepath.Join(t.TempDir(), "new.db")},
		{"predict", "--model=" + model},
		{"eval", "--cv=2", "--spec=" + spec},
		{"eval", "--prequential", "--spec=" + spec},
		{"eval", "--loo", "--spec=" + spec},
		{"eval", "--cv=2", "--grid=prior=uniform,empirical", "--spec=" + spec},
		{"eval", "--cv=2", "--spec=" + spec, "--html=" + b.page},
		both,
	}
	switch filepath.Ext(file) {
	case ".txt", ".eml", ".mbox":
		for i := range all {
			all[i] = append(all[i], "--label=ham")
		}
	}
	return all
}

// ends runs a verb, and returns its exit code and what it writes.
func ends(t *testing.T, stdin []byte, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	err := toolbox(t.Context(), cli.Process{Args: args, LookupEnv: os.LookupEnv, Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &said})
	if err != nil {
		fmt.Fprintln(&said, err)
		code = cli.Failed
	}
	if wrong(err) {
		code = cli.Wrong
	}
	return code, out.String(), said.String()
}

func TestEveryBrokenFileIsKnown(t *testing.T) {
	files, err := os.ReadDir(badData)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := faults[f.Name()]; !ok && f.Name() != "README.md" {
			t.Errorf("%s is in no test", f.Name())
		}
	}
	if len(files) < len(faults) {
		t.Errorf("%d files, and %d faults", len(files), len(faults))
	}
}

// Each verb that reads data says what is wrong with it and where, ends with code 2, and writes no
// model.
func TestBrokenFiles(t *testing.T) {
	b := newBench(t)
	for name, f := range faults {
		for _, args := range b.lines(t, f, name) {
			file := filepath.Join(badData, name)
			code, stdout, stderr := ends(t, nil, append(args, file)...)
			fine := f.predict && args[0] == "predict" || f.measure && args[0] == "train"
			switch {
			case fine && code != cli.Done:
				t.Errorf("%s %s: code %d, %s", args[0], name, code, stderr)
			case !fine && (code != cli.Wrong || !strings.Contains(stderr, file+f.says)):
				t.Errorf("%s %s: code %d, want 2 and %q, got:\n%s", args[0], name, code, f.says, stderr)
			}
			if args[0] == "train" && !fine {
				if _, err := os.Stat(strings.TrimPrefix(args[2], "--model=")); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("train %s: a model file is there: %v", name, err)
				}
			}
			if args[0] != "predict" && !fine && stdout != "" {
				t.Errorf("%s %s: wrote %q", args[0], name, stdout)
			}
		}
	}
}

// The same from standard input, whose name is a dash.
func TestBrokenStandardInput(t *testing.T) {
	b := newBench(t)
	for name, f := range faults {
		kind := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(name, ".gz")), ".")
		format, known := map[string]string{"jsonl": "jsonl", "csv": "csv", "txt": "text", "eml": "mail", "mbox": "mbox"}[kind]
		if !known {
			continue
		}
		data := filetest.Read(t, filepath.Join(badData, name))
		for _, args := range b.lines(t, f, name) {
			if f.predict && args[0] == "predict" || f.measure && args[0] == "train" {
				continue
			}
			code, _, stderr := ends(t, data, append(args, "--format="+format, "-")...)
			says := "-" + f.says
			if strings.HasPrefix(f.says, ": no labelled") {
				says = "standard input" + f.says
			}
			if code != cli.Wrong || !strings.Contains(stderr, says) {
				t.Errorf("%s %s: code %d, want 2 and %q, got:\n%s", args[0], name, code, says, stderr)
			}
		}
	}
}

// What is passed over is told record by record, and counted.
func TestBrokenRecordsAreSkippedAndCounted(t *testing.T) {
	b := newBench(t)
	for name, f := range faults {
		for _, args := range b.lines(t, f, name) {
			if f.measure || f.predict && args[0] == "predict" {
				continue
			}
			file := filepath.Join(badData, name)
			args = append(args, "--on-bad=skip", file)
			code, stdout, stderr := ends(t, nil, slices.Insert(slices.Clone(args), 1, "--json")...)
			if f.skipped == 0 {
				if code != cli.Wrong || !strings.Contains(stderr, file+f.says) {
					t.Errorf("%s %s: code %d, want 2: it cannot be read on; got:\n%s", args[0], name, code, stderr)
				}
				continue
			}
			if want := "skipped: " + file + f.says; !strings.Contains(stderr, want) {
				t.Errorf("%s %s: want %q, got:\n%s", args[0], name, want, stderr)
			}
			if want := "\n" + counted(f.skipped, "record") + " skipped\n"; code == cli.Done && !strings.Contains(stderr, want) {
				t.Errorf("%s %s: want %q, got:\n%s", args[0], name, want, stderr)
			}
			want := fmt.Sprintf(`"skipped":%d`, f.skipped)
			if code == cli.Done && args[0] != "predict" && !strings.Contains(stdout, want) {
				t.Errorf("%s %s: want %s, got:\n%s", args[0], name, want, stdout)
			}
			if code == cli.Failed {
				t.Errorf("%s %s: code 1, %s", args[0], name, stderr)
			}
		}
	}
}
