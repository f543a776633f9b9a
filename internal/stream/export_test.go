package stream

import "context"

// ProduceRaw sends an encoded batch as it is, for tests of what Fetch makes of
// batches that Produce would never write.
func (c *Client) ProduceRaw(ctx context.Context, topic string, partition int, batch []byte) (int64, error) {
	size := uint32(len(batch))
	set := append([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}, batch...)
	return c.produce(ctx, "", topic, partition, set)
}

// NewBatch encodes a batch whose packed records and header the test made.
func NewBatch(codec int8, count int, packed []byte) []byte {
	return testBatch{attributes: int16(codec), count: count, payload: packed, producer: -1}.encode()
}

// PlainRecord encodes one record of a batch.
func PlainRecord(offsetDelta int, key, value []byte) []byte {
	return appendRecord(nil, offsetDelta, 0, key, value)
}

// TransactionsPossible says whether a coordinator of transactions that is away can come back.
func (c *Client) TransactionsPossible(ctx context.Context) error { return c.transactionsPossible(ctx) }
