package mail

import (
	"bytes"
	"strings"
	"testing"
)

// Whatever ends its lines, and wherever a reader sees the end of a header, no field of the name is
// left before the first empty line; everything else stays as it is.
func TestWithoutFields(t *testing.T) {
	for in, want := range map[string]string{
		"A: b\n\nX-B: c\n":                            "A: b\n\nX-B: c\n",
		"A: b\nX-B: c\nD: e\n\nf":                     "A: b\nD: e\n\nf",
		"X-B: c\r\n continued\r\nA: b\r\n\r\nf":       "A: b\r\n\r\nf",
		"X-B: c\n \tcontinued\n \n goes on\nA: b\n\n": " \n goes on\nA: b\n\n",
		"A: b\rX-B: c\rD: e\r\rX-B: f":                "A: b\rD: e\r\rX-B: f",
		"A: b\r\r\nX-B: c\r\r\n\r\r\nX-B: f":          "A: b\r\r\n\r\r\nX-B: f",
		"From a Thu\nx-b : c\nA: b\nx-B-c: d\n\n":     "From a Thu\nA: b\nx-B-c: d\n\n",
		"\n\nX-B: c\nA: b\n\n":                        "\n\nA: b\n\n",
		"A: b\nno field\nX-B: c\nA: d":                "A: b\nno field\nA: d",
		"A: b\rX-B: c\n\nX-B: d":                      "A: b\r\n\nX-B: d",
		"A: b\rX-B: c\r\n\r\nX-B: d":                  "A: b\r\n\r\nX-B: d",
		"X-B: c\r\rX-B: d\n \n\tX-B: e\nA: b\n\nX-B:": "\r \n\tA: b\n\nX-B:",
		"From a\n\nX-B: c\n":                          "From a\n\nX-B: c\n",
		"A: b\n continued\nX-B:":                      "A: b\n continued\n",
		"":                                            "",
	} {
		if got := WithoutFields([]byte(in), "X-B", "X-C"); string(got) != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestWithoutFieldsOfBlankLines takes minutes if each line looks at all that follow it.
func TestWithoutFieldsOfBlankLines(t *testing.T) {
	in := []byte("A: b\n" + strings.Repeat(" \n", 1<<20) + "X-B: c\n\n")
	if got := WithoutFields(in, "X-B"); len(got) != len(in)-len("X-B: c\n") {
		t.Errorf("%d bytes of %d are left", len(got), len(in))
	}
}

func TestWithField(t *testing.T) {
	for in, want := range map[string]string{
		"A: b\n\nc":                   "X-B: c\nA: b\n\nc",
		"A: b\r\n\r\nc":               "X-B: c\r\nA: b\r\n\r\nc",
		"From a Thu\r\nA: b\r\n\r\nc": "From a Thu\r\nX-B: c\r\nA: b\r\n\r\nc",
		"From : a@b.c\n d\n\ne":       "X-B: c\nFrom : a@b.c\n d\n\ne",
		"A: b":                        "X-B: c\nA: b",
		"\nfree money\n":              "X-B: c\n\nfree money\n",
		"From a Thu\rA: b\r\rc":       "From a Thu\rX-B: c\nA: b\r\rc",
		"":                            "X-B: c\n\n",
	} {
		if got := WithField([]byte(in), "X-B", "c"); string(got) != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// A mail that was stamped is stamped anew without a trace of the first, and its text is not touched.
func FuzzStamp(f *testing.F) {
	f.Add([]byte("From a\nA: b\r\nX-B: c\n\n\nd"))
	f.Fuzz(func(t *testing.T, message []byte) {
		clean := WithoutFields(message, "X-B")
		if again := WithoutFields(clean, "X-B"); !bytes.Equal(again, clean) {
			t.Errorf("%q becomes %q, and that %q", message, clean, again)
		}
		if parse(WithoutEnvelope(clean)) == nil {
			return // it does not begin with a field, and is refused
		}
		if again := WithoutFields(WithField(clean, "X-B", "c"), "X-B"); !bytes.Equal(again, clean) {
			t.Errorf("%q stamped and cleaned is %q", clean, again)
		}
	})
}

// TestWhole: what filters and mailboxes say of a mail is no part of it; what the sender says is.
func TestWhole(t *testing.T) {
	const sent = "From: a@b.example\r\nReceived: from x\r\n by y\r\nSubject: Status: X-Spam\r\n"
	const added = "X-Bayestream: spam, posterior=0.9\r\nx-spam-status: Yes,\r\n score=9\r\n" +
		"X-Keywords: Junk\r\nStatus: RO\r\n"
	const body = "\r\nX-Spam-Flag: in the body\r\n"
	if got := string(Whole([]byte(added+sent+added+body), 1000)); got != sent+body {
		t.Errorf("%q, want %q", got, sent+body)
	}
	if got := Whole([]byte(sent+body), 10); string(got) != sent[:10] {
		t.Errorf("%q of ten bytes", got)
	}
}
