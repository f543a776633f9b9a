package dataset_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/lab/dataset"
)

func TestMailbox(t *testing.T) {
	s := parse(t, "limits: {record_bytes: 1000}")
	o := dataset.Options{Format: dataset.Mbox, Spec: s, Label: "ham"}
	mail := func(body string) string { return "From a@b Mon Jan  1 00:00:00 2026\nSubject: s\n\n" + body + "\n" }
	long := strings.Repeat("x", 200_000) // longer than the buffer of the reader
	got := read(t, o, mail("one\n>From here\n>>From there")+mail(long+"\nFrom: is no separator")+mail(strings.Repeat("words\n", 1000))+mail(">From the end"))
	if len(got) != 4 {
		t.Fatalf("%d records and errors, want 4: %q", len(got), got)
	}
	for i, want := range []string{"-:2", "-:8: ", "-:13: ", "-:1017"} {
		if isError := i == 1 || i == 2; !strings.Contains(got[i], want) || strings.Contains(got[i], "1000") != isError {
			t.Errorf("record %d is %.200q, want %q", i, got[i], want)
		}
	}
	if !strings.Contains(got[0], `"one\nFrom here\nFrom there\n"`) || !strings.Contains(got[3], "From the end") || strings.Contains(got[3], ">From") {
		t.Errorf("lines that begin with From: %q, %q", got[0], got[3])
	}
}

// TestSeparators: a sentence that begins with From is no separator, whatever stands before it; one
// with a date, or before a header, is.
func TestSeparators(t *testing.T) {
	const first = "From dana@shop.example Tue Mar  3 10:00:00 2026\nFrom: Dana <dana@shop.example>\nSubject: one\n\nHello,\n"
	for _, c := range []struct {
		name, line string
		mails      int
	}{
		{"a sentence", "From memory we should buy the blue one.\nIt is cheaper.\n", 1},
		{"behind an empty line", "\nFrom memory we should buy the blue one.\nIt is cheaper.\n", 1},
		{"before what looks like a field", "\nFrom memory we should buy the blue one.\nNote: it is cheaper.\n", 1},
		{"with a time", "From 10:00 on we are there.\n", 1},
		{"with a year", "From 2026 on we are there.\n", 1},
		{"quoted", ">From dana@shop.example Tue Mar  3 10:00:00 2026\n", 1},
		{"a separator", "\nFrom dana@shop.example Tue Mar  3 10:00:01 2026\nSubject: two\n\nbody\n", 2},
		{"without an empty line", "From dana@shop.example Tue Mar  3 10:00:01 2026\nSubject: two\n\nbody\n", 2},
		{"with a zone", "\nFrom 17@xxx Tue Mar 03 10:00:01 +0000 2026\nX-GM-Labels: a\n\nbody\n", 2},
		{"without a sender", "\nFrom - Tue Mar  3 10:00:01 2026\nX-Mozilla-Status: 1\n\nbody\n", 2},
		{"bare", "\nFrom \nReturn-Path: <dana@shop.example>\n\nbody\n", 2},
		{"CR LF", "\r\nFrom dana@shop.example Tue Mar  3 10:00:01 2026\r\nSubject: two\r\n\r\nbody\r\n", 2},
	} {
		got := read(t, dataset.Options{Format: dataset.Mbox, Spec: parse(t, "format: mail"), Label: "ham"}, first+c.line)
		if len(got) != c.mails {
			t.Errorf("%s: %d mails, want %d: %q", c.name, len(got), c.mails, got)
		}
	}
}

// TestTextNamedMailbox: of a folder that was said to hold texts each file is one, whatever its name.
func TestTextNamedMailbox(t *testing.T) {
	folder := t.TempDir()
	const text = "From a@b Mon Jan  1 00:00:00 2026\nSubject: s\n\none\nFrom a@b Mon Jan  1 00:00:00 2026\nSubject: s\n\ntwo\n"
	if err := os.WriteFile(filepath.Join(folder, "x.mbox"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := read(t, dataset.Options{Format: dataset.Text, Spec: parse(t, ""), Label: "ham"}, "", folder)
	if len(got) != 1 || !strings.Contains(got[0], "one") || !strings.Contains(got[0], "two") {
		t.Errorf("got %q", got)
	}
}

// A mailbox of one endless line takes no more memory than the limit of a mail.
func TestMailboxIsBounded(t *testing.T) {
	const size = 64 << 20
	s := parse(t, "limits: {record_bytes: 1000}")
	r, err := dataset.Open(dataset.Options{Format: dataset.Mbox, Spec: s, Label: "ham"}, io.LimitReader(endless{}, size))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var rec dataset.Record
	var reject *wire.Reject
	if err := r.Read(&rec); !errors.As(err, &reject) || reject.Reason != wire.TooLarge || !strings.Contains(err.Error(), "the document has more than 1000 bytes") {
		t.Errorf("got the error %v", err)
	}
	if err := r.Read(&rec); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated to read a line of %d", got, size)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A file that begins as a mailbox does is one, whatever its name: on standard input, by itself, and
// in a folder. A single mail with a line of the body that begins with From stays one.
func TestMailboxByItsContent(t *testing.T) {
	const header = "From a@b Mon Jan  1 00:00:00 2026\nFrom: a@b\nTo: c\nSubject: "
	const two = header + "one\n\nfirst\nFrom here on\n\nFrom now on it is late\n\n" + header + "two\n\nsecond\n"
	s := parse(t, "")
	for format, want := range map[string]int{dataset.Auto: 2, dataset.Mail: 1} {
		if got := read(t, dataset.Options{Format: format, Spec: s, Label: "ham"}, two); len(got) != want {
			t.Errorf("by the format %q %d mails, want %d: %q", format, len(got), want, got)
		}
	}
	root := t.TempDir()
	for _, name := range []string{"ham/Inbox", "spam/cur/1", "spam/new/2", "spam/tmp/3", "ham/2001/deep/Old"} {
		write(t, filepath.Join(root, name), two)
	}
	r, err := dataset.Open(dataset.Options{Spec: s}, nil, root)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]int{}
	var rec dataset.Record
	for err = r.Read(&rec); err == nil; err = r.Read(&rec) {
		labels[rec.Label]++
	}
	if labels["ham"] != 4 || labels["spam"] != 4 || len(labels) != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("%v, %v; want four mails of each class", labels, err)
	}
}

// A Maildir is one folder: it has no classes of its own.
func TestMaildir(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"cur/1:2,S", "new/2", "tmp/3"} {
		write(t, filepath.Join(root, name), "From: a@b\nTo: c\nSubject: s\n\nbody\n")
	}
	var rec dataset.Record
	var missing *dataset.FolderError
	r, err := dataset.Open(dataset.Options{Spec: parse(t, "")}, nil, root)
	if err == nil {
		err = r.Read(&rec)
	}
	if !errors.As(err, &missing) {
		t.Errorf("without a label: %v", err)
	}
	r, err = dataset.Open(dataset.Options{Spec: parse(t, ""), Label: "ham"}, nil, root)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Read(&rec) == nil {
		n++
		if rec.Label != "ham" {
			t.Errorf("the label of a mail is %q, want ham", rec.Label)
		}
	}
	if n != 2 {
		t.Errorf("%d mails, want those of cur and new", n)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// What is learned from a file is looked for by workers, so both read all of a mail that the spec
// says.
func TestMailOfAFileIsThatOfATopic(t *testing.T) {
	s := parse(t, "{format: mail, scoring: {}, text: {corrections: true, characters: true}}")
	const mail = "Received: from a.example\nSubject: one\n\nbody\n"
	var want wire.Document
	if err := wire.NewDecoder(wire.SchemaOf(s)).Document(&record.Record{Value: []byte(mail)}, &want); err != nil {
		t.Fatal(err)
	}
	r, err := dataset.Open(dataset.Options{Spec: s, Format: dataset.Mail, Label: "l"}, strings.NewReader(mail), "-")
	if err != nil {
		t.Fatal(err)
	}
	var got dataset.Record
	if err := r.Read(&got); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(want.Input.Whole), "a.example") || !reflect.DeepEqual(got.Input, want.Input) {
		t.Errorf("of a file %+v, of a topic %+v", got.Input, want.Input)
	}
}
