package stream

import (
	"context"
	"maps"
	"slices"
)

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

// DropConnections closes the connections of a client, which opens others for its next requests.
func DropConnections(c *Client) {
	c.connections.mutex.Lock()
	open := slices.Collect(maps.Keys(c.connections.open))
	c.connections.mutex.Unlock()
	for _, conn := range open {
		conn.Close()
	}
}

// StartSASL returns a function that starts an exchange and returns the first message.
func StartSASL(s SASL) func(context.Context) ([]byte, error) {
	exchange := ExchangeSASL(s)
	return func(ctx context.Context) ([]byte, error) {
		first, _, err := exchange(ctx)
		return first, err
	}
}

// ExchangeSASL returns a function that starts an exchange, and returns the first message and what
// answers the broker.
func ExchangeSASL(s SASL) func(context.Context) (first []byte, answer func(challenge []byte) (done bool, err error), err error) {
	m := s.mechanism()
	return func(ctx context.Context) ([]byte, func([]byte) (bool, error), error) {
		exchange, first, err := m.Start(ctx)
		answer := func(challenge []byte) (bool, error) {
			done, _, err := exchange.Next(ctx, challenge)
			return done, err
		}
		return first, answer, err
	}
}
