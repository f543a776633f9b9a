package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/testing/modeltest"

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

func TestItems(t *testing.T) {
	d := mustDecoder(t, Schema{HasText: true, MaxRecordBytes: 60})
	in := `{"id":"a","label":"ham","text":"x\ty","extra":1}

{"label":"spam","text":""}
{"label":7,"text":"b"}
{"label":null,"id":"a","text":"b"}
{"ref":{"topic":"t","partition":0,"offset":0},"label":"b"}
{"label":"` + strings.Repeat("x", 60) + `","text":"b"}
{"id":3,"label":"ham","text":"last"}`
	items, err := NewItems("f.jsonl", bufio.NewReader(strings.NewReader(in)), d)
	if err != nil {
		t.Fatal(err)
	}
	var got []Item
	var errs []string
	for {
		var item Item
		err := items.Next(&item)
		if err == io.EOF {
			break
		}
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		got = append(got, item)
	}
	want := []Item{
		{ID: "a", Label: "ham", Text: "x\ty", Line: 1},
		{ID: "f.jsonl:3", Label: "spam", Text: "", Line: 3},
		{ID: "3", Label: "ham", Text: "last", Line: 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	wantErrs := []string{
		`f.jsonl:4: bad label: field "label" is 7, a number; want a string, such as "7", or numbers and booleans too with the label type any`,
		`f.jsonl:5: bad label: field "label" is null; a line of a file has nothing to forget`,
		`f.jsonl:6: bad ref: a line of a file must hold its document itself`,
		`f.jsonl:7: record too large: the line has more than 60 bytes, the limit`,
	}
	if diff := cmp.Diff(wantErrs, errs); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if _, err := NewItems("f", nil, mustDecoder(t, Schema{})); err == nil {
		t.Error("a schema without text was accepted")
	}
}

// TestItemsOfRealData reads a public corpus.
func TestItemsOfRealData(t *testing.T) {
	f, err := os.Open(modeltest.Data(t, "sms_spam.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := unpack.Text(f)
	if err != nil {
		t.Fatal(err)
	}
	items, err := NewItems("sms_spam.jsonl.gz", text, mustDecoder(t, Schema{HasText: true}))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]int{}
	for {
		var item Item
		if err := items.Next(&item); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		labels[item.Label]++
	}
	if labels["ham"] != 4827 || labels["spam"] != 747 || len(labels) != 2 {
		t.Errorf("got %v, want ham 4827 and spam 747", labels)
	}
}

// TestAppendValues: what is written for the topics is what the decoder reads.
func TestAppendValues(t *testing.T) {
	d := mustDecoder(t, Schema{HasText: true})
	const id, label, words = "i\"d", "l\\abel", "te\nxt\u2028 <b>\U0001F600"
	for _, value := range [][]byte{AppendTraining(nil, id, label, words), AppendDocument(nil, id, words)} {
		if !json.Valid(value) {
			t.Errorf("not JSON: %s", value)
		}
	}
	var tr Training
	if err := d.Training(recordOf(string(AppendTraining(nil, id, label, words))), &tr); err != nil || tr.ID != id || tr.Label != label || text(tr.Input) != words || tr.Kind != Learn {
		t.Errorf("training: %+v, %v", tr, err)
	}
	var doc Document
	if err := d.Document(recordOf(string(AppendDocument(nil, id, words))), &doc); err != nil || doc.ID != id || text(doc.Input) != words {
		t.Errorf("document: %+v, %v", doc, err)
	}
}
