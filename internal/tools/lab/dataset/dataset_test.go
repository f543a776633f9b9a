package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/dataset"
)

func parse(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// read returns one line for each record or error of the files.
func read(t *testing.T, o dataset.Options, stdin string, files ...string) []string {
	t.Helper()
	r, err := dataset.Open(o, strings.NewReader(stdin), files...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out []string
	var rec dataset.Record
	for {
		err := r.Read(&rec)
		if errors.Is(err, io.EOF) {
			return out
		}
		var reject *wire.Reject
		if err != nil {
			out = append(out, err.Error())
			if !errors.As(err, &reject) {
				return out // final
			}
			continue
		}
		out = append(out, show(o.Spec, &rec))
	}
}

func show(s *spec.Spec, r *dataset.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d id=%s explicit=%v label=%s weight=%d", filepath.Base(r.File), r.Line, filepath.Base(r.ID), r.Explicit, r.Label, r.Weight)
	for _, x := range r.Input.Segments {
		fmt.Fprintf(&b, " %s%q", x.Mark, x.Text)
	}
	for _, n := range r.Input.Numbers {
		if n.Present {
			fmt.Fprintf(&b, " %v", gaussian.Float(n.Value, s.Digits()))
		} else {
			b.WriteString(" -")
		}
	}
	for _, c := range r.Input.Categories {
		fmt.Fprintf(&b, " [%s]", c.Value)
	}
	return b.String()
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const mixed = "text: {field: text}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: c}]"

func TestJSONLines(t *testing.T) {
	equal(t, read(t, dataset.Options{Spec: parse(t, mixed)}, "\uFEFF"+`{"id":"a","text":"hi","label":"l","weight":3,"numbers":{"x":1.5},"categories":{"c":"v"}}`+"\r\n\n"+
		`{"text":"no id","label":"l"}`+"\n"+`{"text":"x","label":null,"id":"a"}`+"\n"+`{"text":"x","label":7}`+"\n"+`{"text":1,"label":"l"}`+"\n"+`{"id":"last","text":"","label":"l"}`),
		`-:1 id=a explicit=true label=l weight=3 "hi" 1.5 - [v]`,
		`-:3 id=-:3 explicit=false label=l weight=1 "no id" - - []`,
		`-:4: no label: field "label" is null`,
		`-:5: bad label: field "label" is 7, a number; want a string, such as "7", or numbers and booleans too with the label type any`,
		`-:6: no text: field "text" is 1, a number`,
		`-:7 id=last explicit=true label=l weight=1 "" - - []`)
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), TextField: "body", LabelField: "team", IDField: "key"}, `{"key":"k","body":"hi","team":"l","label":5}`),
		`-:1 id=k explicit=true label=l weight=1 "hi"`)
	equal(t, read(t, dataset.Options{Spec: parse(t, "")}, `{"text":"x","label":null}`+"\n"+`{"meta":{},"data":[{"text":"x","label":"l"}]}`),
		`-:1: no label: field "label" is null`,
		`-:2: no label: field "label" is missing; the record has "meta", "data"; the records are inside of "data": write them one a line, as in jq -c '.["data"][]'`)
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Topic: true}, `{"text":"x","label":null}`), `-:1: bad id: a null label forgets a document, but the record has no id of its own`)
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), TextField: "msg.text", LabelField: "the.label"}, `{"msg.text":"x","the":{"label":"l"}}`+"\n"+`{"msg.text":"x","the.label":"l"}`),
		`-:1: no text: field "msg.text" is missing; the record has "msg.text", "the"; a dot leads into a field: write the name as msg\.text`,
		`-:2: no label: field "the.label" is missing; the record has "msg.text", "the.label"; a dot leads into a field: write the name as the\.label`)
	equal(t, read(t, dataset.Options{Spec: parse(t, "text: {fields: [a.b, c]}")}, `{"a.b":"x","label":"l"}`),
		`-:1: nothing found: the record has none of the fields "a.b", "c"; it has "a.b", "label"; a dot leads into a field: write the name as a\.b`)
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Mixed: true}, "{\"text\":\"\xe9\",\"label\":\"l\"}"), `-:1: invalid UTF-8: byte 0xe9 at offset 9 of the value is not UTF-8`)
	stream := dataset.Options{Spec: parse(t, ""), Mixed: true}
	for _, correction := range []string{`{"id":"1","label":"c"}`, `{"label":null,"id":1}`} {
		if got := fmt.Sprint(read(t, stream, correction)); !strings.Contains(got, "stream does not relabel or forget") {
			t.Errorf("%s: %s", correction, got)
		}
	}
	for _, other := range []string{`{"label":"c"}`, `{"id":"1"}`, `{"id":"1","label":"c","body":"x"}`} {
		if got := fmt.Sprint(read(t, stream, other)); !strings.Contains(got, "say --text-field=NAME") {
			t.Errorf("%s: %s", other, got)
		}
	}
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Unlabelled: true}, `{"text":"hi","label":5}`), `-:1 id=-:1 explicit=false label= weight=1 "hi"`)
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Label: "all"}, `{"text":"hi"}`), `-:1 id=-:1 explicit=false label=all weight=1 "hi"`)
}

func TestCSV(t *testing.T) {
	o := dataset.Options{Spec: parse(t, mixed), Format: dataset.CSV}
	equal(t, read(t, o, "\uFEFFid,label, text ,x,y,c,weight,other\n"+
		"a,1,\"two\nlines, \"\"quoted\"\"\",1e3,, v\t,2,\n"+
		",l,t,0.1,-2,,,\n"+
		"b,,t,1,1,v,,\n"+
		"b,l,t,one,1,v,,\n"+
		"b,l,t,1,1,v,0,\n"+
		"b,l\n"+
		"c,l,t,1, 2 ,v,,x\n"),
		`-:2 id=a explicit=true label=1 weight=2 "two\nlines, \"quoted\"" 1000 - [v]`,
		`-:4 id=-:4 explicit=false label=l weight=1 "t" 0.1 -2 []`,
		`-:5: no label: the column of the label is empty; --on-bad=skip leaves such records out`,
		`-:6: bad number: column "x" is "one"; want a decimal number, or nothing if it is missing`,
		`-:7: bad weight: column "weight" is "0"; want an integer from 1 to 1000`,
		`-:8: bad row: the header has 8 columns and this row has 2`,
		`-:9 id=c explicit=true label=l weight=1 "t" 1 2 [v]`)
	o = dataset.Options{Spec: parse(t, "classes: [a, b]"), Format: dataset.CSV}
	equal(t, read(t, o, "text,label\nt,a\nt,c\n"), `-:2 id=-:2 explicit=false label=a weight=1 "t"`, `-:3: unknown class: it is "c", which is not among the spec's classes`)
}

// A table without a column of a number or a category is read as records without it, and says so;
// one that has the column in another case, or no text, is refused.
func TestCSVWithoutAColumn(t *testing.T) {
	var warned []string
	o := dataset.Options{Spec: parse(t, mixed), Format: dataset.CSV, Warn: func(s string) { warned = append(warned, s) }}
	equal(t, read(t, o, "text,label,y\nt,l,1\n"), `-:2 id=-:2 explicit=false label=l weight=1 "t" - 1 []`)
	if want := []string{`-: there is no column "x", "c": every row is read as one without it`}; !slices.Equal(warned, want) {
		t.Errorf("warned of %q, want %q", warned, want)
	}
	equal(t, read(t, o, "text,label,y,X\nt,l,1,2\n"),
		`-:1: there is no column "x", "c"; the header names "text", "label", "y", "X"; "X" is not "x", since upper and lower case differ`)
	equal(t, read(t, o, "label,y,x,c\nl,1,2,v\n"),
		`-:1: there is no column "text"; the header names "label", "y", "x", "c"; columns of other names are named by --text-field`)
	two := dataset.Options{Spec: parse(t, "text: {fields: [subject, body]}\ncategories: [{field: c}]"), Format: dataset.CSV}
	equal(t, read(t, two, "body,label\nt,l\n"), `-:2 id=-:2 explicit=false label=l weight=1 "" "t" []`)
	equal(t, read(t, two, "c,label\nv,l\n"), `-:1: there is no column "subject", "body"; the header names "c", "label"`)
}

// A feature is no label.
func TestLabelIsNoFeature(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "categories: [{field: c}]"), LabelField: "c"}
	if _, err := dataset.Open(o, nil); err == nil || !strings.Contains(err.Error(), `the label is at "c", which the spec reads as a feature`) {
		t.Errorf("the label is a category: %v", err)
	}
	o.Unlabelled = true
	if _, err := dataset.Open(o, nil); err != nil {
		t.Errorf("without labels: %v", err)
	}
}

// A table of ids and labels alone is one of corrections, for a topic; an id is needed then.
func TestCSVOfLabelsAlone(t *testing.T) {
	o := dataset.Options{Spec: parse(t, ""), Format: dataset.CSV, Topic: true}
	equal(t, read(t, o, "id,label\na,l\n,l\n"), `-:2 id=a explicit=true label=l weight=1`,
		`-:3: bad id: the column of the id is empty, and a label alone is for the document of an id`)
	equal(t, read(t, o, "id,label,by\na,l,x\n"),
		`-:1: there is no column "text"; the header names "id", "label", "by"; columns of other names are named by --text-field`)
	o.Topic = false
	equal(t, read(t, o, "id,label\na,l\n"),
		`-:1: there is no column "text"; the header names "id", "label"; columns of other names are named by --text-field`)
}

// A table has the limits of records: a row with a longer id or category is refused, not the file.
func TestCSVHasTheLimitsOfRecords(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "categories: [{field: c}]"), Format: dataset.CSV}
	long := strings.Repeat("x", 513)
	equal(t, read(t, o, "id,label,c\na,l,"+long+"\n"+long+",l,v\nb,l,v\n"),
		`-:2: bad category: column 3 has 513 bytes, the limit is 512`, `-:3: bad id: the id has 513 bytes, the limit is 512`,
		`-:4 id=b explicit=true label=l weight=1 [v]`)
}

// What a text or a mail says has no place in a spec without a text block.
func TestTextNeedsTextBlock(t *testing.T) {
	for _, format := range []string{dataset.Text, dataset.Mail} {
		o := dataset.Options{Spec: parse(t, "numbers: [{fields: [x]}]"), Format: format, Unlabelled: true}
		if got := read(t, o, "Subject: a\n\nb\n"); len(got) != 1 || !strings.Contains(got[0], "no text block") {
			t.Errorf("%s: got %q", format, got)
		}
	}
}

func TestTextAndMail(t *testing.T) {
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Format: dataset.Text, Label: "l"}, "one\n\ntwo"),
		`-:1 id=-:1 explicit=false label=l weight=1 "one"`, `-:3 id=-:3 explicit=false label=l weight=1 "two"`)
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Format: dataset.Text}, "one"),
		`-:1: no label: this format has no place for it: use --label, or a folder with a subfolder for each class, or --format=csv (with a header), labelled (a label, a tab, a text) or jsonl`)
	box := "From a Thu Jan  1 00:00:00 2026\nSubject: one\n\nbody\n>From me\n\nFrom b Thu Jan  1 00:00:00 2026\nSubject: two\n\nrest\n"
	got := read(t, dataset.Options{Spec: parse(t, "format: mail"), Format: dataset.Mbox, Label: "l"}, box)
	if len(got) != 2 || !strings.HasPrefix(got[0], "-:2 ") || !strings.Contains(got[0], "one") || !strings.Contains(got[0], `\nFrom me`) ||
		!strings.HasPrefix(got[1], "-:8 ") || !strings.Contains(got[1], "rest") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	equal(t, read(t, dataset.Options{Spec: parse(t, ""), Format: dataset.Mbox, Label: "l"}, ""))
}

// A folder is read in the order of its names, gzip is recognised whatever a file is called, and the
// ending chooses the format.
func TestFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("text,label\nhi,l\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	csv, jsonl := put("a.csv.gz", packed.String()), put("b", `{"text":"hi","label":"l"}`)
	put("tree/spam/2", "pills")
	put("tree/spam/.hidden", "x")
	put("tree/ham/1", "lunch\non friday")
	put("tree/readme", "x")
	equal(t, read(t, dataset.Options{Spec: parse(t, "")}, "", csv, jsonl, filepath.Join(dir, "tree")),
		`a.csv.gz:2 id=a.csv.gz:2 explicit=false label=l weight=1 "hi"`,
		`b:1 id=b:1 explicit=false label=l weight=1 "hi"`,
		`1:1 id=1:1 explicit=false label=ham weight=1 "lunch\non friday"`,
		`2:1 id=2:1 explicit=false label=spam weight=1 "pills"`)
	var folder *dataset.FolderError
	r, err := dataset.Open(dataset.Options{Spec: parse(t, "")}, nil, filepath.Join(dir, "tree", "ham"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Read(&dataset.Record{}); !errors.As(err, &folder) {
		t.Errorf("a folder without subfolders: %v", err)
	}
	cut := put("cut.csv", packed.String()[:packed.Len()-9])
	if got := read(t, dataset.Options{Spec: parse(t, "")}, "", cut); len(got) == 0 || !strings.Contains(got[len(got)-1], "cut.csv:") {
		t.Errorf("a file that is cut off: %q", got)
	}
}

// A folder with files that are probably not documents is refused, or a warning names them.
func TestFoldersThatWereNotMeant(t *testing.T) {
	const advice = "; name files of records themselves, or say --format=text"
	for _, c := range []struct {
		name, files string
		o           dataset.Options
		want        string
	}{
		{"a readme", "spam/1 ham/2 readme", dataset.Options{}, "warning: DIR: the files beside its subfolders are left out: readme\n1 ham x\n1 spam x"},
		{"most files beside", "spam/1 ham/2 a b c .d", dataset.Options{}, "DIR holds more files beside its subfolders (3) than in them (2): want a subfolder for each class, or --label=NAME for all files"},
		{"all files with a label", "spam/1 a b", dataset.Options{Label: "l"}, "1 l x\n1 l x\n1 l x"},
		{"records", "a.jsonl b.tsv.gz c", dataset.Options{Unlabelled: true}, "DIR holds a.jsonl, and 1 more, each of which would be one document: name files of records themselves, or say --format=text"},
		{"records in a format", "a.jsonl b.jsonl", dataset.Options{Unlabelled: true, Format: dataset.JSONL}, "DIR is a folder: name its files to read them with --format=jsonl"},
		{"records as text", "a.jsonl", dataset.Options{Unlabelled: true, Format: dataset.Text}, "1  x"},
		{"an index", "a.csv b", dataset.Options{Unlabelled: true}, "warning: DIR: files of records are read as one document each: a.csv" + advice + "\n1  x\n1  x"},
	} {
		dir := t.TempDir()
		for _, name := range strings.Fields(c.files) {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		c.o.Spec = parse(t, "")
		if got := strings.ReplaceAll(warnedTexts(t, c.o, dir), dir, "DIR"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// A file of a folder that cannot be read is one that may be passed over.
func TestUnreadableFilesOfFolders(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"2": "x", "3": "\x89PNG", "4": "\x1f\x8b", "6": "y"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("nowhere", filepath.Join(dir, "1")), os.Symlink(t.TempDir(), filepath.Join(dir, "5"))); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(texts(t, dataset.Options{Spec: parse(t, ""), Unlabelled: true}, "", dir), dir+"/", "")
	const want = "1:1: this is a link to a file that does not exist\n1  x\n3:1: this is a picture: want a file of text\n" +
		"4:1: the gzip data ends early: the file is cut off; fetch or pack it again\n5:1: this is a link to a folder\n1  y"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tests.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := parse(t, mixed)
	write("# what it must know\ntests:\n  - {text: hi, label: l}\n  - text: |\n      two\n      lines\n    label: m\n    numbers: {x: 0.1, y: 3}\n    categories: {c: v}\n")
	got, err := dataset.Cases(s, path)
	if err != nil || len(got) != 2 {
		t.Fatalf("got %d tests, %v", len(got), err)
	}
	equal(t, []string{show(s, &got[0]), show(s, &got[1])},
		`tests.yaml:3 id=tests.yaml:3 explicit=false label=l weight=1 "hi" - - []`,
		`tests.yaml:4 id=tests.yaml:4 explicit=false label=m weight=1 "two\nlines\n" 0.1 3 [v]`)
	write("tests: [{text: hi, label: 1}, {text: ho, label: true}]")
	if got, err = dataset.Cases(s, path); err != nil || got[0].Label != "1" || got[1].Label != "true" {
		t.Errorf("labels that YAML takes for a number and a boolean: %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"tests: []\nmore: 1":                     ":1: want tests: and a list of documents with labels, and no other key",
		"tests: [{label: l, words: a}]":          `:1: no text: field "text" is missing; the record has "label", "words"`,
		"":                                       ":1: want tests:",
		"tests: 3":                               ":1: want tests:",
		"test: []":                               ":1: want tests:",
		"tests: [hello]":                         ":1: want a document",
		"tests:\n- {text: a}":                    ":2: no label",
		"tests:\n- {text: a, label: [1]}":        ":2: bad label",
		"tests:\n- {text: 1, label: l}":          ":2: no text",
		"tests:\n- {label: l, text: a, x: .nan}": ":2: a field cannot be part of a document",
	} {
		write(text)
		var line *wire.LineError
		if _, err := dataset.Cases(s, path); !errors.As(err, &line) || !strings.Contains(err.Error(), "tests.yaml"+want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
