package dataset

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// What is read ahead is what there is, with the error behind it.
func TestAnnouncedReadsAll(t *testing.T) {
	want := bytes.Repeat([]byte("a line of some length\n"), aheadBytes/4)
	broken := errors.New("broken")
	for name, in := range map[string]io.Reader{
		"whole": bytes.NewReader(want), "halves": iotest.HalfReader(bytes.NewReader(want)), "with its end": iotest.DataErrReader(bytes.NewReader(want)),
		"broken": io.MultiReader(bytes.NewReader(want), iotest.ErrReader(broken)),
	} {
		got, err := io.ReadAll(iotest.HalfReader(&announced{in: in, waiting: func() {}}))
		if !bytes.Equal(got, want) || errors.Is(err, broken) != (name == "broken") {
			t.Errorf("%s: %d bytes and %v, want %d", name, len(got), err, len(want))
		}
	}
}

// Whoever writes when it is announced that the reader waits is read at once.
func TestAnnouncedBeforeItWaits(t *testing.T) {
	in, out := io.Pipe()
	pieces := []string{"one", "two", "three"}
	a := &announced{in: in, waiting: func() {
		if len(pieces) == 0 {
			_ = out.Close() // it returns nil
			return
		}
		piece := pieces[0]
		pieces = pieces[1:]
		if _, err := io.WriteString(out, piece); err != nil {
			t.Error(err)
		}
	}}
	got, err := io.ReadAll(a)
	if string(got) != "onetwothree" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
