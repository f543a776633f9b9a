package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/cli"

	"github.com/klauspost/compress/zstd"
)

// oddData is the folder of files as people have them, and oddAnswers what train and predict make of
// each.
const (
	oddData    = "../../testdata/odd"
	oddAnswers = oddData + "/answers.txt"
)

// oddFlags are the flags with which an odd file is read too: those that the sentence about it
// names, for most of them.
var oddFlags = map[string][]string{
	"kaggle.csv":        {"--label-field=v1", "--text-field=v2"},
	"upper.csv":         {"--label-field=Label", "--text-field=Text"},
	"numbers.jsonl":     {"--label-type=any"},
	"message.jsonl":     {"--text-field=message"},
	"latin1.jsonl":      {"--encoding=windows-1252"},
	"latin1.csv":        {"--encoding=windows-1252"},
	"utf16.csv":         {"--encoding=utf-16"},
	"utf16be.jsonl":     {"--encoding=utf-16be"},
	"one.eml":           {"--label=spam"},
	"inbox.mbox":        {"--label=spam"},
	"lines.txt":         {"--label=ham"},
	"lines-of-json.txt": {"--format=jsonl"},
	"note":              {"--format=text", "--label=ham"},
	"tabs.csv":          {"--separator=tab"},
	"flat":              {"--label=ham"},
	"fasttext.txt":      {"--format=text", "--label=ham"},
	"comma.jsonl":       {"--on-bad=skip"},
}

// tableXZ and tableBzip2 are a table of two rows in packings that no library here writes.
const (
	tableXZ    = "/Td6WFoAAATm1rRGAgAhAQwAAACPmEGcAQAlbGFiZWwsdGV4dApzcGFtLHdpbiBhIHByaXplCmhhbSxsdW5jaAoAAAB3XRlQkOALJgABPiarK06zH7bzfQEAAAAABFla"
	tableBzip2 = "QlpoOTFBWSZTWX4qXbcAAAtRgAAQQAQ6Z17QIAAxTCaaA0xCgMQ9JoyEbAwKJUlwUDKh+8s2pdd/McI9NZ+LuSKcKEg/FS7bgA=="
)

// oddTable is the same unpacked.
const oddTable = "label,text\nspam,win a prize\nham,lunch\n"

// oddFiles returns the odd files that are not text, or large, by name. A name that ends in a slash
// is a folder.
func oddFiles(t *testing.T) map[string]string {
	const line = `{"label": "spam", "text": "win a prize"}` + "\n"
	var wide, wideBig strings.Builder // UTF-16
	for _, c := range []byte(oddTable) {
		wide.Write([]byte{c, 0})
	}
	for _, c := range []byte(line) {
		wideBig.Write([]byte{0, c})
	}
	gzipped := packed(t, oddTable)
	return map[string]string{
		"missing.jsonl": "", // it is taken away
		"bom.csv":       "\uFEFF" + oddTable, "cr.csv": strings.ReplaceAll(oddTable, "\n", "\r"),
		"latin1.jsonl": "{\"label\": \"ham\", \"text\": \"caf\xe9\"}\n", "latin1.csv": "label,text\nham,caf\xe9\n",
		"utf16.csv": "\xff\xfe" + wide.String(), "utf16be.jsonl": wideBig.String(),
		"table.csv.gz": gzipped, "table.gz": gzipped, "table.csv.zst": zstdOf(t, oddTable), "table.csv.xz": fromBase64(t, tableXZ), "table.csv.bz2": fromBase64(t, tableBzip2),
		"named.csv": gzipped, "twice.csv.gz": packed(t, gzipped), "members.jsonl.gz": packed(t, line) + packed(t, line), "plain.jsonl.gz": line,
		"cut.csv.zst": zstdOf(t, oddTable)[:20], "cut.csv.gz": gzipped[:len(gzipped)-6],
		"one.zip": zipOf(t, "table.csv"), "two.zip": zipOf(t, "a.csv", "b.csv"), "apple.zip": zipOf(t, "table.csv", "__MACOSX/._table.csv", ".DS_Store"),
		"book.xlsx": zipOf(t, "[Content_Types].xml", "xl/workbook.xml"), "book.xls": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
		"table.parquet": "PAR1\x15\x04\x15\x10", "table.avro": "Obj\x01\x04\x16avro.schema", "table.feather": "ARROW1\x00\x00", "table.sqlite": "SQLite format 3\x00\x10\x00",
		"paper.pdf": "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "files.tar": "a.csv" + strings.Repeat("\x00", 252) + "ustar\x0000", "files.7z": "7z\xbc\xaf\x27\x1c\x00\x04",
		"picture.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "program": "\x7fELF\x02\x01\x01\x00", "zeros": strings.Repeat("\x00", 1000),
		"empty.jsonl": "", "empty.csv": "", "blank.txt": "\n \n\n", "long.jsonl": `{"label": "ham", "text": "` + strings.Repeat("a ", 1_250_000) + `"}` + "\n" + line,
		"deep.jsonl":     `{"label": "ham", "text": "a", "more": ` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}\n",
		"label300.jsonl": `{"label": "` + strings.Repeat("x", 300) + `", "text": "a"}` + "\n", "control.jsonl": `{"label": "ha\u001bm", "text": "a"}` + "\n",
		"nothing/": "", "flat/a": "lunch", "flat/b": "a prize", "tree/.git/config": "[core]", "tree/ham/a": "lunch", "tree/spam/b": "a prize", "tree/README": "no class",
		"maildir/ham/1.eml": "From: a\nTo: b\nSubject: lunch\n\non friday\n", "maildir/spam/2.eml": "From: a\nTo: b\nSubject: prize\n\nyou won\n",
	}
}

func zstdOf(t *testing.T, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

func fromBase64(t *testing.T, text string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// zipOf returns an archive with the table under each name.
func zipOf(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, oddTable); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// oddBench makes a folder with all odd files and a small model, goes there, and returns the names
// of what is to be read.
func oddBench(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(oddData)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := errors.Join(os.Remove("README.md"), os.RemoveAll(filepath.Base(oddAnswers))); err != nil {
		t.Fatal(err)
	}
	for name, content := range oddFiles(t) {
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if !strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.WriteFile(name, []byte(content), 0o600))
		} else {
			err = errors.Join(err, os.MkdirAll(name, 0o700))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err := os.Remove("missing.jsonl"); err != nil {
		t.Fatal(err)
	}
	words := filepath.Join(t.TempDir(), "words.jsonl")
	filetest.Write(t, words, `{"text":"you won a prize","label":"spam"}`+"\n"+`{"text":"lunch on friday","label":"ham"}`+"\n")
	mustRun(t, "train", "--model=words.db", words)
	return names
}

// answer runs a command line and returns it with what it writes, as it would stand on a terminal,
// and its exit code.
func answer(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := ends(t, nil, args...)
	if err := os.RemoveAll("new.db"); err != nil {
		t.Fatal(err)
	}
	written, err := rounded(stdout)
	if err != nil {
		t.Fatal(err)
	}
	text := "$ bayestream " + strings.Join(args, " ") + "\n" + written + stderr
	if code != cli.Done {
		text += fmt.Sprintf("exit code %d\n", code)
	}
	return text + "\n"
}

// Each odd file is learned and labelled, or is refused with a sentence that says what it is: word
// for word as in the file of the answers.
func TestOddInput(t *testing.T) {
	recorded, err := os.ReadFile(oddAnswers)
	if err != nil && !*update {
		t.Fatal(err)
	}
	path, err := filepath.Abs(oddAnswers)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, a := range strings.SplitAfter(string(recorded), "\n\n") {
		if a != "" {
			want[a] = true
		}
	}
	var got []string
	names := oddBench(t)
	for _, name := range names {
		lines := [][]string{{"train", "--model=new.db", name}, {"predict", "--model=words.db", name}}
		if flags := oddFlags[name]; flags != nil {
			lines = append(lines, slices.Concat([]string{"train", "--model=new.db"}, flags, []string{name}))
		}
		for _, args := range lines {
			a := answer(t, args...)
			got = append(got, a)
			if !want[a] && !*update {
				t.Errorf("%s has another answer than recorded:\n%s", name, a)
			}
			delete(want, a)
		}
	}
	if *update {
		filetest.Write(t, path, strings.Join(got, ""))
		return
	}
	for a := range want {
		t.Errorf("this answer was recorded and is not given:\n%s", a)
	}
	for name := range oddFlags {
		if !slices.Contains(names, name) {
			t.Errorf("%s has flags and is not there", name)
		}
	}
}

// What is no text, packed or in another encoding is opened by init as it is by train.
func TestInitOfOddFiles(t *testing.T) {
	oddBench(t)
	for name, want := range map[string]string{
		"one.zip": "", "table.csv.xz": "", "bom.csv": "",
		"utf16.csv":     "utf16.csv:1: this is UTF-16, by its byte order mark: use --encoding=utf-16",
		"latin1.csv":    "latin1.csv:2: the text is not UTF-8; a file in Windows-1252 or Latin-1 is read with --encoding=windows-1252",
		"table.parquet": "table.parquet:1: this is a Parquet file: convert it",
		"program":       "program:1: this is a program: want a file of text",
		"zeros":         "zeros:1: this is no text, it has zero bytes",
		"two.zip":       "two.zip:1: ",
		"long.jsonl":    "long.jsonl:1: record too large",
	} {
		code, stdout, stderr := ends(t, nil, "init", name)
		if want == "" && (code != cli.Done || !strings.Contains(stdout, "field: text")) || want != "" && (code != cli.Wrong || !strings.Contains(stderr, want)) {
			t.Errorf("init %s: exit code %d, %s%s, want %q", name, code, stdout, stderr, want)
		}
	}
	for _, args := range [][]string{{"init", "--encoding=utf-16", "utf16.csv"}, {"init", "--encoding=windows-1252", "latin1.csv"}} {
		if code, stdout, stderr := ends(t, nil, args...); code != cli.Done || !strings.Contains(stdout, "need: "+args[1]) && !strings.Contains(stdout, args[1]) {
			t.Errorf("%q: exit code %d, %s%s", args, code, stdout, stderr)
		}
	}
	for in, want := range map[string]string{
		`[{"text": "some words here", "label": "a"},` + "\n" + `{"text": "more words here", "label": "b"}]`: "What 2 records of",
		"{\n\"text\": \"some words here\"\n}\n{\"text\": \"more of them\"}":                                 "What 2 records of",
		"[{\"text\": \"a\"},\n[1]]":               "-:2: here begins '[': want an object",
		"[{\"text\": \"a\"},\n{\"te":              "-:2: the array or the object is not closed",
		"ham;a text\nham;other text\nspam;\u20ac": `-:1: the first row is a document, since "ham" is a value of its column too`,
	} {
		_, stdout, stderr := ends(t, []byte(in), "init", "-")
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("init of %q: %s%s, want %q", in, stdout, stderr, want)
		}
	}
	if code, _, stderr := ends(t, []byte("ham\tlunch\nham\tlunch again\nspam\ta prize\n"), "init", "-"); code != cli.Wrong || !strings.Contains(stderr, "a label, a tab and a text on each line") {
		t.Errorf("labelled lines: exit code %d, %s", code, stderr)
	}
}
