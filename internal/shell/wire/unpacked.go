package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"bayestream/internal/shell/wire/unpack"
)

// UnpackedText returns the text of a file, unpacked if it is packed and without a byte order mark.
// file is its name in errors, each a *LineError.
func UnpackedText(file string, r io.Reader) (*bufio.Reader, error) {
	in, err := unpack.Text(r)
	if err != nil {
		return nil, &LineError{File: file, Line: 1, Err: Unreadable(err)}
	}
	return in, nil
}

// Unreadable explains an error of reading a file, packed or not.
func Unreadable(err error) error {
	if packed := (*unpack.Error)(nil); errors.As(err, &packed) {
		return err
	}
	return fmt.Errorf("read: %w", err)
}
