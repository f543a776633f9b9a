package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/config"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// Schema says how records are read: what the spec says, and where the worker was told to look.
func Schema(c config.Worker, s *spec.Spec, labelField, labelHeader string) wire.Schema {
	schema := wire.Schema{
		Format: s.Format, HasText: s.Text != nil, LabelField: labelField, LabelHeader: labelHeader,
		IDField: c.IDField, IDHeader: c.IDHeader, IDFromKey: c.IDFrom == "key",
		NumberFields: s.NumberFields(), CategoryFields: s.CategoryFields(), Digits: s.Digits(),
		MaxRecordBytes: s.Limits.RecordBytes, Classes: s.Classes,
	}
	if s.Text != nil {
		schema.TextField = s.Text.Field
	}
	if c.Format != "" {
		schema.Format = c.Format
	}
	return schema
}

// DeadLetters writes dead letters and returns when all replicas have them.
func (w *Worker) DeadLetters(ctx context.Context, partition int32, records []stream.Record) error {
	for chunk := range slices.Chunk(records, deadChunk) {
		if _, err := w.Client.ProduceRetry(ctx, w.config.DeadTopic, int(partition)%w.deadPart, chunk); err != nil {
			return fmt.Errorf("dead letters: %w", err)
		}
	}
	for i := range records {
		w.Metrics.DeadLetter(wire.DeadReason(&records[i]))
	}
	return nil
}

// deadChunk keeps a batch of dead letters of the largest size, one, below a topic's limit.
const deadChunk = 1

// Read returns the record at an offset, nil if the topic does not hold it any more.
func (w *Worker) Read(ctx context.Context, topic string, partition int32, offset int64) (*stream.Record, error) {
	got, err := w.Client.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: int(partition), Offset: offset, MaxBytes: 1, Committed: true})
	switch {
	case errors.Is(err, stream.ErrOffsetOutOfRange), errors.Is(err, stream.ErrUnknownTopic), errors.Is(err, stream.ErrUnknownPartition):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s/%d/%d again: %w", topic, partition, offset, err)
	case len(got.Records) == 0 || got.Records[0].Offset != offset:
		return nil, nil
	}
	return &got.Records[0], nil
}
