package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/dataset"
)

const (
	recordLimit = 10_000
	bombSize    = 8 << 20
)

// gzipped returns the parts one after the other as gzip.
func gzipped(t *testing.T, parts ...io.Reader) string {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for _, part := range parts {
		if _, err := io.Copy(z, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// A record that unpacks to 800 times the limit takes no more memory than the limit allows, in every
// format, and the records behind it are read.
func TestRecordLimitHoldsWhileReading(t *testing.T) {
	huge := func() io.Reader { return io.LimitReader(endless{}, bombSize) }
	says := strings.NewReader
	for _, c := range []struct {
		name, format string
		content      string
		want         []string
	}{
		{"a line", dataset.JSONL, gzipped(t, says(`{"label":"l","text":"one"}`+"\n"+`{"text":"`), huge(), says("\"}\n"+`{"label":"l","text":"two"}`)),
			[]string{"1 ", ":2: record too large", "3 "}},
		{"a text", dataset.Text, gzipped(t, says("one\n"), huge(), says("\ntwo")), []string{"1 ", ":2: record too large", "3 "}},
		{"a cell", dataset.CSV, gzipped(t, says("label,text\nl,one\nl,"), huge(), says("\nl,two\n")), []string{"2 ", ":3: record too large", "4 "}},
		{"a cell in quotes", dataset.CSV, gzipped(t, says("label,text\nl,one\nl,\"two\n\"\"lines"), huge(), says("\"\nl,two\n")),
			[]string{"2 ", ":3: record too large", "5 "}},
		{"cells", dataset.CSV, gzipped(t, says("label,text\nl,one\nl,"), strings.NewReader(strings.Repeat(`"a",`, bombSize/4)), says("\nl,two\n")),
			[]string{"2 ", ":3: record too large", "4 "}},
		{"a header", dataset.CSV, gzipped(t, huge(), says("\nl,two\n")), []string{":1: record too large: the row has more than 10000 bytes, the limit: want a header"}},
		{"an open quote", dataset.CSV, gzipped(t, says("label,text\nl,one\n\"l\nl\",\"x"), huge()), []string{"2 ", ":4: a cell in quotes is not closed"}},
		{"an open quote before others", dataset.CSV, gzipped(t, says("label,text\nl,\"one\n"), huge(), says("\nl,\"two\"\nl,three\n")),
			[]string{":2: a cell in quotes is not closed"}},
		{"a mail", dataset.Mbox, gzipped(t, says("From a\nSubject: one\n\nx\n"+"From b\nSubject: y\n\n"), huge(), says("\nFrom c\nSubject: two\n\nx\n")),
			[]string{"2 ", ":6: record too large", "10 "}},
		{"mail of one file", dataset.Mail, gzipped(t, says("Subject: y\n\n"), huge()), []string{":1: record too large"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := dataset.Options{Spec: parse(t, fmt.Sprintf("limits: {record_bytes: %d}", recordLimit)), Format: c.format}
			if c.format != dataset.JSONL && c.format != dataset.CSV {
				o.Label = "l"
			}
			inMemory(t, func() { expect(t, read(t, o, c.content), c.want) })
		})
	}
}

// A folder is bounded likewise.
func TestRecordLimitInFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ham")
	bomb := gzipped(t, io.LimitReader(endless{}, bombSize))
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "a"), []byte(bomb), 0o600), os.WriteFile(filepath.Join(dir, "b"), []byte("one"), 0o600)); err != nil {
		t.Fatal(err)
	}
	o := dataset.Options{Spec: parse(t, fmt.Sprintf("limits: {record_bytes: %d}", recordLimit))}
	inMemory(t, func() { expect(t, read(t, o, "", filepath.Dir(dir)), []string{":1: record too large", "b:1 "}) })
}

// inMemory checks that f allocates at most a megabyte, which is a hundred times the limit and an
// eighth of the record; the buffers of the reader are part of it.
func inMemory(t *testing.T, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}

// expect checks that each line holds what is wanted of it.
func expect(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %.300q, want %d records and errors", got, len(want))
	}
	for i := range got {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("record %d is %.200q, want %q", i, got[i], want[i])
		}
	}
}

// However a file is cut into pieces by the reader, its rows are those of encoding/csv.
func TestRowsAtTheEdges(t *testing.T) {
	o := dataset.Options{Spec: parse(t, "limits: {record_bytes: 70000}"), Format: dataset.CSV}
	for size := 65520; size <= 65540; size++ { // about the buffer of the reader
		word := strings.Repeat("x", size)
		for _, text := range []string{word, `"` + word + `"`, `"` + word + `""y"`, "\"" + word + "\r\n\""} {
			got := read(t, o, "label,text\r\nl,"+text+"\r\n\r\nl,two")
			if len(got) != 2 || !strings.HasPrefix(got[1], "-:4 ") && !strings.HasPrefix(got[1], "-:5 ") || !strings.Contains(got[0], word) {
				t.Fatalf("%d bytes: %.100q", size, got)
			}
		}
	}
	o.Spec = parse(t, "limits: {record_bytes: 6}")
	o.LabelField, o.TextField = "l", "t"
	equal(t, read(t, o, "l,t\r\na,1234\r\na,12345\r\n\"a\",4\n"),
		`-:2 id=-:2 explicit=false label=a weight=1 "1234"`,
		"-:3: record too large: the row has more than 6 bytes, the limit",
		`-:4 id=-:4 explicit=false label=a weight=1 "4"`)
}
