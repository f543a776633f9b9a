package offline

import (
	"errors"
	"io"

	"bayestream/internal/lab/dataset"
	"bayestream/internal/wire"
)

// OnBad says what to do with a record that cannot be used.
type OnBad struct {
	Skip    bool
	Report  func(err error) // of each record that is passed over
	Skipped int64
}

// pass counts a record that is passed over; an error that is not to be passed over it returns.
func (bad *OnBad) pass(err error) error {
	if !bad.Skip || !isReject(err) {
		return err
	}
	bad.Skipped++
	if bad.Report != nil {
		bad.Report(err)
	}
	return nil
}

// isReject reports whether an error concerns one record alone.
func isReject(err error) bool {
	var reject *wire.Reject
	return errors.As(err, &reject)
}

// Each reads all records and calls f for each. Records that cannot be used, by the reader or by f, stop
// it or are passed over as bad says.
func Each(r dataset.Reader, bad *OnBad, f func(rec *dataset.Record) error) error {
	var rec dataset.Record
	for {
		err := r.Read(&rec)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(&rec)
		}
		if err != nil {
			if err := bad.pass(err); err != nil {
				return err
			}
		}
	}
}
