package dataset_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bayestream/internal/tools/lab/dataset"
)

// warnedTexts is texts of files, behind the warnings.
func warnedTexts(t *testing.T, o dataset.Options, files ...string) string {
	t.Helper()
	warnings := ""
	o.Warn = func(sentence string) { warnings += "warning: " + sentence + "\n" }
	got := texts(t, o, "", files...)
	return warnings + got
}

// texts returns label and text of each record, or the error.
func texts(t *testing.T, o dataset.Options, stdin string, files ...string) string {
	t.Helper()
	r, err := dataset.Open(o, strings.NewReader(stdin), files...)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var rec dataset.Record
	for {
		err := r.Read(&rec)
		switch {
		case err == nil:
			out = append(out, fmt.Sprintf("%d %s %s", rec.Line, rec.Label, rec.Input.Segments[0].Text))
			continue
		case !errors.Is(err, io.EOF):
			out = append(out, err.Error())
		}
		if !dataset.IsReject(err) {
			return strings.Join(out, "\n")
		}
	}
}

// otherFormat is said of a line of a file that is JSON Lines only because nothing tells what it is.
const otherFormat = "; it is read as JSON Lines: if it has another format, say --format=NAME"

// What a file is shows in what it begins with.
func TestGuess(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "")}
	const spamAndHam = "2 spam win; a prize\n3 ham lunch, today"
	for _, c := range []struct{ name, in, want string }{
		{"comma", "label,text\nspam,win; a prize\nham,\"lunch, today\"\n", spamAndHam},
		{"semicolon", "label;text\nspam;\"win; a prize\"\nham;lunch, today\n", spamAndHam},
		{"tab", "x\tlabel\ttext\n\tspam\twin; a prize\n\tham\tlunch, today\n", spamAndHam},
		{"bar", "text|label\nwin; a prize|spam\nlunch, today|ham\n", spamAndHam},
		{"unused columns of one name", "label,text,,\nspam,win; a prize,,\nham,\"lunch, today\",,\n", spamAndHam},
		{"labelled", "ham\tsay \"hi\nspam\twin\tit\nham\t\"ok\"\n", "1 ham say \"hi\n2 spam win\tit\n3 ham \"ok\""},
		{"array", `[{"label":"spam","text":"a [} \" b"}, {"text":"c","label":"ham"}]`, "1 spam a [} \" b\n1 ham c"},
		{"pretty array", "[\n  {\n    \"label\": \"spam\",\n    \"text\": \"a\"\n  },\n  {\n    \"label\": \"ham\", \"text\": \"b\"}\n]\n", "2 spam a\n6 ham b"},
		{"pretty objects", "{\n  \"label\": \"spam\", \"text\": \"a\"\n}\n{\"label\": \"ham\",\n\"text\": \"b\"}\n", "1 spam a\n4 ham b"},
		{"empty array", "[ ]\n", ""},
		{"object in the array that is none", `[{"label":7,"text":"a"},{"label":"ham","text":"b"}]`,
			`-:1: bad label: field "label" is 7, a number; want a string, such as "7", or numbers and booleans too with the label type any` + "\n1 ham b"},
		{"element", `[{"label":"ham","text":"b"}, 7]`, "1 ham b\n-:1: here begins '7': want an object, in braces"},
		{"no comma", `[{"label":"ham","text":"b"} {"label":"ham","text":"b"}]`, "1 ham b\n-:1: after an object stands '{': want a comma, or the end of the array"},
		{"behind the array", `[{"label":"ham","text":"b"}]` + "\n7", "1 ham b\n-:2: after the array stands '7': want one array, or objects one after the other without brackets around them"},
		{"cut array", "[{\"label\":\"ham\",\"text\":\"b\"},\n{\"label\":\"ham\"", "1 ham b\n-:2: the array or the object is not closed: the file is cut off"},
		{"header in another case", "Label,Text\na,b\n", `-:1: not a JSON object: the value "Label,Text" is not valid JSON` + otherFormat + "\n" + `-:2: not a JSON object: the value "a,b" is not valid JSON` + otherFormat},
		{"Python", "{'label': 'a'}\n", `-:1: not a JSON object: the value "{'label': 'a'}" is not valid JSON; this looks like Python: write it with json.dumps`},
		{"comma behind an object", "{\"label\":\"ham\",\"text\":\"b\"},\n", `-:1: not a JSON object: the value "{\"label\":\"ham\",\"text\":\"b\"}," is not valid JSON; leave out the comma behind the object, or put the objects between [ and ]`},
		{"comma before a brace", "{\"label\":\"ham\",}\n", `-:1: not a JSON object: the value "{\"label\":\"ham\",}" is not valid JSON; leave out the comma before the brace`},
		{"two objects on a line", "{\"label\":1} {\"label\":2}\n", `-:1: not a JSON object: the value "{\"label\":1} {\"label\":2}" is not valid JSON; behind the first object is more: put each object on a line of its own`},
		{"table by columns", `{"label":{"0":"ham"},"text":{"0":"b"}}`, `-:1: bad label: field "label" is {"0":"ham"}, an object; want a string, such as "spam"; a table by columns is not read: ` +
			`write one object per row, in pandas to_json("out.jsonl", orient="records", lines=True)`},
		{"no such field", `{"class":"ham","text":"b"}` + "\n" + `{"label":"ham","body":"b"}`, "-:1: no label: field \"label\" is missing; the record has \"class\", \"text\"; if one of these is the label, say --label-field=NAME\n" +
			"-:2: no text: field \"text\" is missing; the record has \"label\", \"body\"; if one of these is the text, say --text-field=NAME"},
		{"fastText", "__label__ham a\n", `-:1: this is a file of fastText: write a label, a tab and the text: sed -E 's/^__label__([^ ]+) /\1\t/' FILE; --format=text reads the labels as words`},
		{"picture", "\x89PNG\r\n", "-:1: this is a picture: want a file of text"},
		{"zeros", "a\x00\x00", "-:1: this is no text, it has zero bytes: want a file of text"},
		{"label with space", "label,text\n spam ,a\n\"  \",b\n,c\n", "2 spam a\n-:3: bad label: it is empty\n-:4: no label: the column of the label is empty; --on-bad=skip leaves such records out"},
		{"label with space in JSON", `{"label":"\t spam\u00a0","text":"a"}` + "\n" + `{"label":" ","text":"b"}`, "1 spam a\n-:2: bad label: field \"label\" is empty"},
		{"parquet", "PAR1\x15\x04", `-:1: this is a Parquet file: convert it: duckdb -c "COPY 'in.parquet' TO 'out.csv'", or pandas.read_parquet("in.parquet").to_json("out.jsonl", orient="records", lines=True)`},
		{"UTF-16", "\xff\xfel\x00", "-:1: this is UTF-16, by its byte order mark: use --encoding=utf-16"},
		{"UTF-16 without a mark", "{\x00\"\x00", "-:1: this looks like UTF-16 without a byte order mark: use --encoding=utf-16le"},
		{"UTF-16 with the high byte first", "\x00{\x00\"", "-:1: this looks like UTF-16 without a byte order mark: use --encoding=utf-16be"},
		{"Latin-1", "label,text\nham,caf\xe9\n", "-:2: invalid UTF-8: column 2 is not UTF-8 text; a file in Windows-1252 or Latin-1 is read with --encoding=windows-1252"},
		{"tar", "a" + strings.Repeat("\x00", 256) + "ustar\x0000", "-:1: this is a tar archive: unpack it, and name the files or the folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := texts(t, o, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The advice to name a field by a flag is for those who have not done so.
func TestNamedFieldIsMissing(t *testing.T) {
	named := dataset.Options{Format: dataset.JSONL, Spec: parse(t, ""), TextField: "foo", LabelField: "team"}
	got := texts(t, named, `{"label":"ham","foo":"b"}`+"\n"+`{"team":"ham","text":"b"}`)
	want := `-:1: no label: field "team" is missing; the record has "label", "foo"` + "\n" + `-:2: no text: field "foo" is missing; the record has "team", "text"`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A file that was packed twice is told, and is not taken for text.
func TestPackedTwice(t *testing.T) {
	twice := gzipped(t, strings.NewReader(gzipped(t, strings.NewReader("label,text\n"))))
	if got := texts(t, dataset.Options{Spec: parse(t, "")}, twice); got != "-:1: the file is packed twice: unpack it once, so that it is gzip alone" {
		t.Errorf("got %s", got)
	}
}

// The line by which Excel is told the separator is none of the table, and lines are counted with
// it.
func TestExcelSeparator(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "")}
	if got := texts(t, o, "sep=#\r\nlabel#text\r\na#b,c\r\n"); got != "3 a b,c" {
		t.Errorf("got %s", got)
	}
	if got := texts(t, o, "sep=;\nx;y\n"); got != `-:2: there is no column "label", "text"; the header names "x", "y"; columns of other names are named by --label-field and --text-field` {
		t.Errorf("got %s", got)
	}
	o.Format = dataset.CSV
	if got := texts(t, o, "label,text\ra,b\r"); !strings.HasPrefix(got, "-:1: lines end with a carriage return alone") {
		t.Errorf("got %s", got)
	}
}

// The header alone tells the separator, however often the cells of other rows have another one.
func TestSeparatorIsThatOfTheHeader(t *testing.T) {
	const rows = 1100
	for _, c := range []struct{ header, row, want string }{
		{"label;text", `x;"a, b word"`, "x a, b word"},
		{"label;text", "x;284,755.50", "x 284,755.50"},
		{"\n\"label\"\t\"text\"", "x\ta; b | c", "x a; b | c"},
	} {
		o := dataset.Options{Spec: parse(t, ""), Format: dataset.CSV}
		got := strings.Split(texts(t, o, c.header+"\n"+strings.Repeat(c.row+"\n", rows)), "\n")
		if len(got) != rows || !strings.HasSuffix(got[0], c.want) {
			t.Errorf("%d rows below %q, the first %.100q, want %q", len(got), c.header, got[0], c.want)
		}
	}
}

// A warning names the header of a table that is read as lines of text. It is refused where lines have no
// label.
func TestHeaderOfLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("label\ttext\nham\tlunch\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const warning = "warning: FILE:1: the line is read as a document: if it names the columns of a table, say --format=csv\n"
	for _, c := range []struct {
		o    dataset.Options
		want string
	}{
		{dataset.Options{}, "FILE:1: the line names the columns of a table: say --format=csv"},
		{dataset.Options{Unlabelled: true}, warning + "1  label\ttext\n2  ham\tlunch"},
		{dataset.Options{Label: "l", Format: dataset.Text}, "1 l label\ttext\n2 l ham\tlunch"},
		{dataset.Options{Format: dataset.Labelled}, warning + "1 label text\n2 ham lunch"},
		{dataset.Options{Format: dataset.CSV}, "2 ham lunch"},
	} {
		c.o.Spec = parse(t, "")
		if got := strings.ReplaceAll(warnedTexts(t, c.o, file), file, "FILE"); got != c.want {
			t.Errorf("%+v: got\n%s\nwant\n%s", c.o, got, c.want)
		}
	}
}

// A name in another case is no column, but is named.
func TestHints(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "text: {}\nnumbers: [{fields: [age]}]"), Format: dataset.CSV}
	want := `-:1: there is no column "label", "text", "age"; the header names "Label", "TEXT", "Age"; for "Label" say --label-field=Label; for "TEXT" say --text-field=TEXT; "Age" is not "age", since upper and lower case differ`
	if got := texts(t, o, "Label,TEXT,Age\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSeparatorAndEncoding(t *testing.T) {
	o := dataset.Options{Spec: parse(t, ""), Format: dataset.CSV, Separator: "#"}
	if got := texts(t, o, "label#text\na#b,c\n"); got != "2 a b,c" {
		t.Errorf("got %s", got)
	}
	for encoding, in := range map[string]string{
		"utf-16": "\xff\xfel\x00a\x00b\x00e\x00l\x00,\x00t\x00e\x00x\x00t\x00\n\x00a\x00,\x00\xe9\x00\n\x00", "utf-16be": "\x00l\x00a\x00b\x00e\x00l\x00,\x00t\x00e\x00x\x00t\x00\n\x00a\x00,\x00\xe9\x00\n",
		"windows-1252": "label,text\na,\xe9\n", "Latin-1": "label,text\na,\xe9\n", "iso-8859-2": "label,text\na,\xe9\n", "UTF-8": "label,text\na,é\n",
	} {
		if got := texts(t, dataset.Options{Spec: parse(t, ""), Encoding: dataset.Encoding(encoding)}, in); got != "2 a é" {
			t.Errorf("%s: got %s", encoding, got)
		}
	}
	for _, bad := range []string{"ab", "\"", "\n", "ä", ""} {
		if err := new(dataset.Separator).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("separator %q is not refused", bad)
		}
	}
	if err := new(dataset.Encoding).UnmarshalText([]byte("latin-3000")); err == nil {
		t.Error("an unknown encoding is not refused")
	}
}

// A label of JSON that is a number or a boolean is taken if asked for, as it is written.
func TestLabelType(t *testing.T) {
	o := dataset.Options{Spec: parse(t, ""), LabelType: "any"}
	got := texts(t, o, `{"label":1,"text":"a"}`+"\n"+`{"label":true,"text":"b"}`+"\n"+`{"label":"x","text":"c"}`+"\n"+`{"label":[1],"text":"d"}`)
	if want := "1 1 a\n2 true b\n3 x c\n-:4: bad label: field \"label\" is [1], an array; want a string, such as \"spam\""; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What comes down a pipe is read when it comes: guessing waits for no more than the first line.
func TestGuessOfAPipe(t *testing.T) {
	for _, first := range []string{"label,text\n", "label;text\n", `{"label":"a","text":"b"}` + "\n"} {
		in, out := io.Pipe()
		r, err := dataset.Open(dataset.Options{Spec: parse(t, ""), Unlabelled: true}, in)
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan error, 1)
		go func() { read <- r.Read(&dataset.Record{}) }()
		_, _ = io.WriteString(out, first)
		if first[0] != '{' {
			_, _ = io.WriteString(out, strings.Replace("a,b\n", ",", first[5:6], 1))
		}
		select {
		case err := <-read:
			if err != nil {
				t.Errorf("%q: %v", first, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%q: nothing is read while the pipe is open", first)
		}
		_ = out.Close()
	}
}

// However the bytes come, an array is read alike.
func TestArrayByteByByte(t *testing.T) {
	r, err := dataset.Open(dataset.Options{Spec: parse(t, ""), Format: dataset.JSONL}, iotest.OneByteReader(strings.NewReader(` [{"label":"a","text":"\\"},{"label":"b","text":"\"}"}]`)))
	if err != nil {
		t.Fatal(err)
	}
	var rec dataset.Record
	for _, want := range []string{`\`, `"}`} {
		if err := r.Read(&rec); err != nil || string(rec.Input.Segments[0].Text) != want {
			t.Errorf("got %+v, %v", rec.Input.Segments, err)
		}
	}
}

// A folder of mail is mail without being told, hidden folders are no classes, and other texts that
// begin with From: and Subject: are none.
func TestFolderOfMail(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	mail := "From a@b Mon\nReceived: from x\n\tby y\nFrom: a@b\nSubject: s\n\nbody\n"
	put("mail/ham/0001.abc", mail)
	put("mail/spam/0001.def", mail)
	put("mail/.git/config", "x")
	put("news/a/1", "From: a@b\nSubject: s\nOrganization: none\n\nbody\n")
	put("one/0001", mail)
	show := func(name, format string) string {
		return strings.Join(read(t, dataset.Options{Spec: parse(t, ""), Format: format}, "", filepath.Join(dir, name)), "\n")
	}
	if got := show("mail", ""); strings.Count(got, `subject:"s" from:"a@b" type:"text/plain" "body`) != 2 || strings.Contains(got, "git") {
		t.Errorf("a folder of mail: %s", got)
	}
	if got := show("mail", dataset.Text); !strings.Contains(got, `"From a@b Mon\nReceived`) {
		t.Errorf("mail as text: %s", got)
	}
	if got := show("news", ""); !strings.Contains(got, `"From: a@b\nSubject`) {
		t.Errorf("a folder of news: %s", got)
	}
	o := dataset.Options{Spec: parse(t, ""), Unlabelled: true}
	if got := strings.Join(read(t, o, "", filepath.Join(dir, "one", "0001")), ""); !strings.Contains(got, `subject:"s"`) {
		t.Errorf("a mail: %s", got)
	}
}

// TestUTF16WithoutAFlag: what to do about UTF-16 is what the format and the verb can do.
func TestUTF16WithoutAFlag(t *testing.T) {
	const mail = "From: a@b\nTo: c@d\n\nhello\n"
	wide := "\xff\xfe"
	for _, c := range []byte(mail) {
		wide += string([]byte{c, 0})
	}
	const iconv = "convert it: iconv -f utf-16 -t utf-8 FILE"
	for name, c := range map[string]struct {
		options dataset.Options
		want    string
	}{
		"a mail":                  {dataset.Options{Format: dataset.Mail}, "by its byte order mark: " + iconv},
		"a mailbox":               {dataset.Options{Format: dataset.Mbox}, "by its byte order mark: " + iconv},
		"a spec of mails":         {dataset.Options{Spec: parse(t, "format: mail")}, "by its byte order mark: " + iconv},
		"a stream":                {dataset.Options{Format: dataset.JSONL, Mixed: true}, "by its byte order mark: " + iconv},
		"any file":                {dataset.Options{}, "by its byte order mark: use --encoding=utf-16"},
		"a mail with an encoding": {dataset.Options{Encoding: "utf-16"}, "mails are read without --encoding: " + iconv},
	} {
		if c.options.Spec == nil {
			c.options.Spec = parse(t, "")
		}
		c.options.Unlabelled = true
		if got := fmt.Sprint(read(t, c.options, wide)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	got := fmt.Sprint(read(t, dataset.Options{Spec: parse(t, ""), Format: dataset.Mail, Encoding: "utf-16"}, mail))
	if !strings.Contains(got, "leave out --encoding") {
		t.Errorf("a mail in ASCII: %s", got)
	}
}
