package dataset

import (
	"errors"
	"io"

	"bayestream/internal/shell/wire"
)

// OnBad decides what happens to a record that cannot be used.
type OnBad struct {
	Skip    bool
	Report  func(err error) // called for each skipped record; may be nil
	Skipped int64
}

// Pass counts and reports a record that is skipped and returns nil. It returns err if the record
// must not be skipped.
func (bad *OnBad) Pass(err error) error {
	if !bad.Skip || !IsReject(err) {
		return err
	}
	bad.Skipped++
	if bad.Report != nil {
		bad.Report(err)
	}
	return nil
}

// IsReject reports whether an error concerns one record alone, so that reading may go on.
func IsReject(err error) bool {
	var reject *wire.Reject
	return errors.As(err, &reject)
}

// Each reads all records and calls f for each. A record that the reader or f rejects is skipped or
// ends the loop, as bad says. Any other error ends it.
func Each(r Reader, bad *OnBad, f func(rec *Record) error) error {
	var rec Record
	for {
		err := r.Read(&rec)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(&rec)
		}
		if err == nil {
			continue
		}
		if err := bad.Pass(err); err != nil {
			return err
		}
	}
}
