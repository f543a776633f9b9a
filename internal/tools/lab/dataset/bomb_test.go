package dataset_test

import (
	"archive/zip"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
	"bayestream/internal/tools/lab/dataset"

	"github.com/klauspost/compress/zstd"
)

// A line of text, a mebibyte of the letter x, and the end of a line with another one, as xz and as
// bzip2, which no library here writes. Both are read as one where they stand one after the other.
const (
	xzFirst    = "/Td6WFoAAATm1rRGAgAhAQwAAACPmEGcAQADb25lCgD1XLtWH8b9hgABHARvLJzBH7bzfQEAAAAABFla"
	xzMega     = "/Td6WFoAAATm1rRGAgAhAQwAAACPmEGc7///ANldADxv+7/+o7Fe5fg/sqomVfhocEFwFQ+N/R5MG4pCtxn0aRhxrmYjiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1Iq9+SVJQAAAAAAeJSW/OB273gAAfUBgIBAAHmXf0exxGf7AgAAAAAEWVo="
	xzLast     = "/Td6WFoAAATm1rRGAgAhAQwAAACPmEGcAQAECnR3bwoAAAAA2Bg1B5Mw4OsAAR0FuC2Arx+2830BAAAAAARZWg=="
	bzip2First = "QlpoMTFBWSZTWXgTwIIAAAHBAAAQAgGgACGaaDNNDLxdyRThQkHgTwII"
	bzip2Mega  = "QlpoMTFBWSZTWe0tAGYACApAgIAEAEAACCAAMMwFSepxBgFAYB4u5IpwoSHaWgDM"
	bzip2Last  = "QlpoMTFBWSZTWX1QtCwAAADBgAAQAACEgCAAIZpoM00BHi7kinChIPqhaFg="
)

// megas is how many mebibytes the line in the middle has.
const megas = 8

// bomb returns a packed file of a line, megas of x and another line, of which the parts are packed
// already, in base64.
func bomb(t *testing.T, first, mega, last string) string {
	t.Helper()
	var b strings.Builder
	for _, part := range append(append([]string{first}, strings.Fields(strings.Repeat(mega+" ", megas))...), last) {
		decoded, err := base64.StdEncoding.DecodeString(part)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(decoded)
	}
	return b.String()
}

// plain returns the same file as it is.
func plain() io.Reader {
	return io.MultiReader(strings.NewReader("one\n"), io.LimitReader(endless{}, megas<<20), strings.NewReader("\ntwo\n"))
}

// zstdBomb returns the file as zstd.
func zstdBomb(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(1<<17), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(z, plain()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipBomb returns the name of a zip archive with the file.
func zipBomb(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bomb.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("bomb.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, plain()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// A line that unpacks to 800 times the limit takes the memory of the dictionary and no more,
// whatever packed it, and the
// line behind it is read.
func TestRecordLimitOfPackedFiles(t *testing.T) {
	const dictionary = 5 << 20 // of bzip2, which has the largest here
	o := dataset.Options{Spec: parse(t, fmt.Sprintf("limits: {record_bytes: %d}", recordLimit)), Format: dataset.Text, Label: "l"}
	want := []string{"1 ", ":2: record too large: the line has more than 10000 bytes, the limit", "3 "}
	for name, content := range map[string]string{"xz": bomb(t, xzFirst, xzMega, xzLast), "bzip2": bomb(t, bzip2First, bzip2Mega, bzip2Last), "zstd": zstdBomb(t)} {
		t.Run(name, func(t *testing.T) {
			alloctest.Bound(t, dictionary/32, func() { expect(t, read(t, o, content), want) })
		})
	}
	archive := zipBomb(t)
	t.Run("zip", func(t *testing.T) {
		alloctest.Bound(t, dictionary/32, func() { expect(t, read(t, o, "", archive), want) })
	})
}

// An object of an array that is over the limit takes no more memory than the limit allows, and the
// objects behind it are read.
func TestRecordLimitInArrays(t *testing.T) {
	o := dataset.Options{Spec: parse(t, fmt.Sprintf("limits: {record_bytes: %d}", recordLimit)), Format: dataset.JSONL}
	says := strings.NewReader
	huge := func() io.Reader { return io.LimitReader(endless{}, bombSize) }
	array := gzipped(t, says(`[{"label":"l","text":"one"}, {"text":"`), huge(), says(`"},`+"\n"+`{"label":"l","text":"two"}]`))
	nested := gzipped(t, says(`[{"label":"l","text":"one"}, {"text":`), says(strings.Repeat("[", bombSize/4)+strings.Repeat("]", bombSize/4)), says(`},`+"\n"+`{"label":"l","text":"two"}]`))
	open := gzipped(t, says(`[{"label":"l","text":"one"}, {"text":"`), huge())
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"a text":       {array, []string{"1 ", ":1: record too large: the object has more than 10000 bytes, the limit", "2 "}},
		"nested":       {nested, []string{"1 ", ":1: record too large", "2 "}},
		"never an end": {open, []string{"1 ", ":1: the array or the object is not closed: the file is cut off"}},
	} {
		t.Run(name, func(t *testing.T) {
			alloctest.Bound(t, 0, func() { expect(t, read(t, o, c.content), c.want) })
		})
	}
}
