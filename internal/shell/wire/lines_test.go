package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"bayestream/internal/shell/wire/unpack"

	"github.com/google/go-cmp/cmp"
)

// packed is text as a gzip file.
func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readLines reads all lines and errors, as "number: text".
func readLines(t testing.TB, r io.Reader, limit int) []string {
	t.Helper()
	in, err := unpack.Text(r)
	if err != nil {
		return []string{(&LineError{"f", 1, Unreadable(err)}).Error()}
	}
	lines := NewLines("f", in, limit)
	var got []string
	for {
		line, err := lines.Next()
		var reject *Reject
		switch {
		case err == io.EOF:
			return got
		case errors.As(err, &reject):
			got = append(got, err.Error())
		case err != nil:
			if _, again := lines.Next(); again != err {
				t.Errorf("after %v came %v", err, again)
			}
			return append(got, err.Error())
		default:
			got = append(got, string(line))
			if len(got) > 100 {
				t.Fatal("no end")
			}
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 100000)
	two := append(packed(t, "a\n"), packed(t, "b\n")...)
	cut := packed(t, long+"\n")
	damaged := packed(t, "some text that is long enough to be packed\n")
	damaged[len(damaged)-8] ^= 1 // checksum
	for _, c := range []struct {
		name  string
		in    []byte
		limit int
		want  []string
	}{
		{"empty", nil, 9, nil},
		{"blank lines", []byte("\n \r\n\t\n"), 9, nil},
		{"two lines", []byte("a\nb\n"), 9, []string{"a", "b"}},
		{"no break at the end", []byte("a\nb"), 9, []string{"a", "b"}},
		{"carriage returns", []byte("a\r\n\r\nb\r\n"), 1, []string{"a", "b"}},
		{"carriage returns without end", []byte(long + "\n" + strings.Repeat("\r", 200000) + "\na"), 100000, []string{long, "f:2: record too large: the line has more than 100000 bytes, the limit", "a"}},
		{"byte order mark", []byte("\uFEFFa\n"), 9, []string{"a"}},
		{"gzip", packed(t, "a\nb\n"), 9, []string{"a", "b"}},
		{"gzip with byte order mark", packed(t, "\uFEFFa"), 9, []string{"a"}},
		{"two gzip members", two, 9, []string{"a", "b"}},
		{"empty gzip", packed(t, ""), 9, nil},
		{"one byte of the magic", []byte{0x1f}, 9, []string{"\x1f"}},
		{"longer than the buffer", []byte(long + "\n" + long), 100000, []string{long, long}},
		{"too long", []byte("ab\nabc\n" + long + "\nab"), 2, []string{"ab", "f:2: record too large: the line has more than 2 bytes, the limit", "f:3: record too large: the line has more than 2 bytes, the limit", "ab"}},
		{"gzip cut off", cut[:len(cut)/2], 1 << 20, []string{"f:1: the gzip data ends early: the file is cut off; fetch or pack it again"}},
		{"gzip header cut off", cut[:5], 9, []string{"f:1: the gzip data ends early: the file is cut off; fetch or pack it again"}},
		{"gzip damaged", damaged, 99, []string{"some text that is long enough to be packed", "f:2: the gzip data is damaged: gzip: invalid checksum; fetch or pack the file again"}},
		{"no gzip after all", []byte{0x1f, 0x8b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 9, []string{"f:1: the gzip data is damaged: gzip: invalid header; fetch or pack the file again"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, readLines(t, bytes.NewReader(c.in), c.limit)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if diff := cmp.Diff(c.want, readLines(t, iotest.OneByteReader(bytes.NewReader(c.in)), c.limit)); diff != "" {
				t.Errorf("byte by byte: want -, got +:\n%s", diff)
			}
		})
	}
}

func TestLinesReadError(t *testing.T) {
	r := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("disk gone")))
	want := []string{"a", "f:2: read: disk gone"}
	if diff := cmp.Diff(want, readLines(t, r, 9)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
