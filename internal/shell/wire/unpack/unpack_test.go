package unpack_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/testing/alloctest"

	"github.com/klauspost/compress/zstd"
)

// xzMega is a mebibyte of the letter x as xz, with a dictionary of 256 KiB; there is no library
// here that writes it.
const xzMega = "/Td6WFoAAATm1rRGAgAhAQwAAACPmEGc7///ANldADxv+7/+o7Fe5fg/sqomVfhocEFwFQ+N/R5MG4pCtxn0aRhxrmYjiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/VkA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1Iq9+SVJQAAAAAAeJSW/OB273gAAfUBgIBAAHmXf0exxGf7AgAAAAAEWVo="

// bzip2Mega is a mebibyte of the letter x as bzip2.
const bzip2Mega = "QlpoMTFBWSZTWe0tAGYACApAgIAEAEAACCAAMMwFSepxBgFAYB4u5IpwoSHaWgDM"

func decoded(tb testing.TB, text string) []byte {
	tb.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func packed(tb testing.TB, to func(w io.Writer) io.WriteCloser, content []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := to(&b)
	_, err := w.Write(content)
	if err = errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func asGzip(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func asZstd(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithWindowSize(1<<17), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z
}

// mega is a mebibyte in each packing.
func mega(tb testing.TB) map[string][]byte {
	content := bytes.Repeat([]byte("x"), 1<<20)
	return map[string][]byte{
		"gzip": packed(tb, asGzip, content), "zstd": packed(tb, asZstd, content),
		"xz": decoded(tb, xzMega), "bzip2": decoded(tb, bzip2Mega),
	}
}

// Each packing is read, also byte by byte, and several packed files one after the other are one.
func TestReader(t *testing.T) {
	for name, file := range mega(t) {
		for _, r := range []io.Reader{bytes.NewReader(file), iotest.OneByteReader(bytes.NewReader(file))} {
			in, err := unpack.Reader(io.MultiReader(r, bytes.NewReader(file)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := io.ReadAll(in)
			if err != nil || len(got) != 2<<20 || strings.Trim(string(got), "x") != "" {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
	}
}

// A file that is cut off or damaged says so, whatever the packing, and a file that cannot be read
// is not called damaged.
func TestReaderErrors(t *testing.T) {
	read := func(r io.Reader) error {
		in, err := unpack.Reader(r)
		if err == nil {
			_, err = io.Copy(io.Discard, in)
		}
		return err
	}
	gone := errors.New("disk gone")
	for name, file := range mega(t) {
		var failure *unpack.Error
		if err := read(bytes.NewReader(file[:len(file)/2])); !errors.As(err, &failure) || failure.Packing != name || !strings.Contains(err.Error(), "the "+name+" data ends early") {
			t.Errorf("%s, cut: %v", name, err)
		}
		broken := bytes.Clone(file)
		broken[len(broken)/2] ^= 0x55
		if err := read(bytes.NewReader(broken)); !errors.As(err, &failure) {
			t.Errorf("%s, damaged: %v", name, err)
		}
		if err := read(io.MultiReader(bytes.NewReader(file[:len(file)/2]), iotest.ErrReader(gone))); !errors.Is(err, gone) || errors.As(err, &failure) {
			t.Errorf("%s, unreadable: %v", name, err)
		}
	}
	// The header of a zstd frame with a window of 2 GiB, and that of an xz block with a dictionary of
	// 1.5 GiB.
	for _, file := range []string{"\x28\xb5\x2f\xfd\x00\xa8" + strings.Repeat("\x00", 20), "\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x25\x00\x00\x00\x3b\x78\x7b\x41\x01\x00\x00\x78"} {
		if err := read(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), "needs a dictionary of more than 128 MiB") {
			t.Errorf("%.4q: %v", file, err)
		}
	}
	if err := read(strings.NewReader("PK\x03\x04")); err == nil || !strings.Contains(err.Error(), "give its name") {
		t.Errorf("zip: %v", err)
	}
}

// What is not packed is left as it is.
func TestReaderOfText(t *testing.T) {
	for _, text := range []string{"", "B", "BZh", "BZh9 is a text", "\x1f", "PK", "text", "\uFEFFtext"} {
		in, err := unpack.Reader(iotest.OneByteReader(strings.NewReader(text)))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

// 16 MiB that were packed take no more memory than the dictionary.
func TestBombs(t *testing.T) {
	const dictionary = 5 << 20 // of bzip2, which has the largest here
	for name, file := range mega(t) {
		bomb := bytes.Repeat(file, 16)
		alloctest.Bound(t, dictionary/32, func() {
			in, err := unpack.Reader(bytes.NewReader(bomb))
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, in); n != 16<<20 || err != nil {
				t.Fatalf("%s: %d bytes, %v", name, n, err)
			}
		})
	}
}

func zipped(tb testing.TB, names ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err == nil && !strings.HasSuffix(name, "/") {
			_, err = io.WriteString(w, "in "+name)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestZip(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a/", "a/spam.csv", "__MACOSX/a/._spam.csv", "a/.DS_Store"}, "a/spam.csv: in a/spam.csv"},
		{[]string{"a/"}, "the zip archive holds no file"},
		{[]string{"a", "b"}, "the zip archive holds 2 files (a, b): unpack it and name those to read"},
		{[]string{"a", "b", "c", "d", "e"}, "the zip archive holds 5 files (a, b, c, ...): unpack it and name those to read"},
		{[]string{"[Content_Types].xml", "xl/a.xml"}, "this is an office document, such as of Excel: save the sheet as CSV"},
	} {
		file := zipped(t, c.names...)
		got := ""
		in, name, err := unpack.Zip(bytes.NewReader(file), int64(len(file)))
		if err == nil {
			var text []byte
			text, err = io.ReadAll(in)
			got = name + ": " + string(text)
			err = errors.Join(err, in.Close())
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.names, got, c.want)
		}
	}
	file := zipped(t, "a")
	if _, _, err := unpack.Zip(bytes.NewReader(file[:len(file)-5]), int64(len(file)-5)); err == nil || !strings.Contains(err.Error(), "the zip data is damaged") {
		t.Errorf("cut: %v", err)
	}
}
