package unpack

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"bayestream/internal/shell/escape"
)

// ArchiveError reports an archive from which no file is read.
type ArchiveError struct{ Why string }

func (e *ArchiveError) Error() string { return e.Why }

// errZipStream is the error of an archive that cannot be read from any place: its list of files
// is at its end.
var errZipStream = &ArchiveError{Why: "a zip archive is read from a file only: give its name, or unpack it first"}

// IsZip reports whether a file begins as a zip archive.
func IsZip(in *bufio.Reader) bool { return starts(in, "PK\x03\x04") || starts(in, "PK\x05\x06") }

// Zip returns the only file of a zip archive, and its name. The error is an *Error.
func Zip(archive io.ReaderAt, size int64) (file io.ReadCloser, name string, err error) {
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, "", &Error{Packing: "zip", Err: err}
	}
	member, err := only(z.File)
	if err != nil {
		return nil, "", &Error{Packing: "zip", Err: err}
	}
	in, err := member.Open()
	if err != nil {
		return nil, "", &Error{Packing: "zip", Err: err}
	}
	return &zipped{in}, member.Name, nil
}

// zipped is a file in a zip archive.
type zipped struct{ io.ReadCloser }

// Read reads unpacked bytes.
func (z *zipped) Read(p []byte) (int, error) {
	n, err := z.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &Error{Packing: "zip", Err: err}
	}
	return n, err
}

// only returns the only file of an archive, without regard to folders, hidden files and what macOS
// adds.
func only(files []*zip.File) (*zip.File, error) {
	var found []*zip.File
	var names []string
	for _, f := range files {
		switch {
		case f.Name == "[Content_Types].xml":
			return nil, &ArchiveError{Why: "this is an office document, such as of Excel: save the sheet as CSV"}
		case strings.HasSuffix(f.Name, "/"), strings.HasPrefix(f.Name, "__MACOSX/"), strings.HasPrefix(path.Base(f.Name),
			"."):
		default:
			found = append(found, f)
			names = append(names, escape.Text(f.Name))
		}
	}
	switch {
	case len(found) == 0:
		return nil, &ArchiveError{Why: "the zip archive holds no file"}
	case len(found) > 3:
		names = append(names[:3], "...")
		fallthrough
	case len(found) > 1:
		return nil, &ArchiveError{Why: fmt.Sprintf("the zip archive holds %d files (%s): unpack it and name those to read",
			len(found), strings.Join(names, ", "))}
	case found[0].Flags&1 != 0:
		return nil, &ArchiveError{Why: "the file in the zip archive is encrypted: unpack it first"}
	}
	return found[0], nil
}
