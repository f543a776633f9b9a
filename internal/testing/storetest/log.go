package storetest

import (
	"context"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// Log is a model log in memory: a modellog.Broker of one topic, whatever its name.
type Log struct {
	Records []stream.Record
}

// Append appends a record and returns its offset.
func (l *Log) Append(value []byte) int64 {
	offset := int64(len(l.Records))
	l.Records = append(l.Records, stream.Record{Offset: offset, Value: value})
	return offset
}

// Offsets returns the first offset and the end of the log.
func (l *Log) Offsets(context.Context, string, int) (first, end int64, err error) {
	return 0, int64(len(l.Records)), nil
}

// Fetch returns all records from an offset on. Their leader epoch is not known.
func (l *Log) Fetch(_ context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	end := int64(len(l.Records))
	return stream.Fetched{Records: l.Records[request.Offset:], Next: end, LastStable: end, HighWatermark: end,
		LeaderEpoch: -1}, nil
}

// Produce appends records and returns the offset of the first.
func (l *Log) Produce(_ context.Context, _ string, _ int, records []stream.Record) (base int64, err error) {
	base = int64(len(l.Records))
	for i := range records {
		l.Append(records[i].Value)
	}
	return base, nil
}

// FoldRecord folds a record of a log, of a batch with that leader epoch (-1: unknown), into a
// state. It does not settle the state. The errors are those of fold.State.Fold and codec.Decode.
func FoldRecord(s *fold.State, rec *stream.Record, epoch int32) (fold.Entry, fold.Outcome, error) {
	e, err := codec.Decode(rec.Value, rec.Offset, s.Reading())
	if err != nil {
		return e, "", err
	}
	e.Offset = rec.Offset
	e.Epoch = epoch
	e.CRC = codec.Checksum(rec.Value)
	e.Sum = codec.Sum(rec.Value)
	e.Time = max(0, rec.Time.UnixMilli())
	outcome, err := s.Fold(e)
	return e, outcome, err
}
