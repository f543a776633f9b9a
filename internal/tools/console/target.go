package console

import (
	"context"

	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// wasOf returns what an undo needs to know of an entry of a ledger.
func (c *Console) wasOf(h *worker.Holder) *wasSo {
	if h == nil {
		return nil
	}
	text := wire.Ref{Topic: h.Put.Topic, Partition: int(h.Put.Partition), Offset: h.Put.Offset}
	own := wire.Ref{Topic: c.options.Topics.Training, Partition: h.Partition, Offset: h.Offset}
	return &wasSo{Label: h.Put.Label, Weight: h.Put.Weight, Place: text.String(), Own: own.String()}
}

// finder finds documents of corrections, in any topic that a decision names.
func (c *Console) finder(decoder *wire.Decoder) *worker.Finder {
	partitions := func(ctx context.Context) (int, error) {
		info, err := c.client.Topic(ctx, c.options.Topics.Training)
		return info.Partitions, err
	}
	return &worker.Finder{Topic: c.options.Topics.Training, Partitions: partitions, Decoder: decoder, Key: c.options.Key,
		Replica: c.replica, Fetcher: c.client}
}

// holders returns the entries that the ledgers of the training topic have under an id.
func (c *Console) holders(id string) []worker.Holder { return c.finder(nil).Holders(id) }
