package dataset_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"bayestream/internal/lab/dataset"
	"bayestream/internal/wire"
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
	if !strings.Contains(got[0], `"one\nFrom here\n>From there\n"`) || !strings.Contains(got[3], "From the end") || strings.Contains(got[3], ">From") {
		t.Errorf("lines that begin with From: %q, %q", got[0], got[3])
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
	if err := r.Read(&rec); !errors.As(err, &reject) || reject.Reason != wire.TooLarge {
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
