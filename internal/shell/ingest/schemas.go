package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/shell/schema"
	"bayestream/internal/shell/wire"
)

// errOwed says that a document cannot be taken out yet: the registry does not know the schema any
// more that it was counted with. It stays owed, whatever the registry says and for how long.
var errOwed = errors.New("a document can be taken out when the registry knows its schema again")

// readNeeds reads the records again that an opened one needs. The error is errFull if the records
// before it are to be counted first, because one that it needs waits for its schema.
func (p *partition) readNeeds(ctx context.Context, o *opened, next func(n int) []place) (texts, error) {
	read, err := p.reader.recent.read(ctx, o.needs, next)
	if err == nil {
		err = checkSchemas(read, func(at place) bool {
			isRef := o.training.Ref != nil && at == o.refAt || at == o.labelled.at
			return isRef && !(o.known && at == o.beforeAt)
		})
	}
	isWaiting := errors.As(err, new(*schema.WaitError)) || errors.Is(err, errOwed)
	switch {
	case o.isDenied(err):
		return nil, nil
	case isWaiting && !p.batch.isEmpty():
		return nil, errFull
	}
	return read, err
}

// checkSchemas returns errOwed if the schema of a record that was counted is not known any more. A
// record that is read for the first time is refused instead, as any new one is.
func checkSchemas(read texts, isFirst func(at place) bool) error {
	for at, rec := range read {
		if rec == nil || rec.Schema == nil || isFirst(at) {
			continue
		}
		_, _, err := rec.Schema.JSON(rec, nil)
		if reject, ok := errors.AsType[*wire.Reject](err); ok && reject.Reason == wire.UnknownSchema {
			return fmt.Errorf("%w: %s: %w", errOwed, at, reject)
		}
	}
	return nil
}
