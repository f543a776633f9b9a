package stream

import "time"

// Record is one Kafka record, read or to be written.
//
// A nil Key or Value is Kafka's null, which is not the same as an empty one: a
// null value under a key is a tombstone, an empty value is an empty document.
// Both directions keep them apart, in headers too.
//
// The byte slices of a fetched record point into the buffer of its batch: keep
// a copy of what must outlive the batch, for one kept key keeps it all alive.
type Record struct {
	Topic     string
	Partition int
	Offset    int64
	Time      time.Time
	Key       []byte
	Value     []byte
	Headers   []Header
}

// Header is one header of a record. Kafka allows the same key several times and
// keeps the order.
type Header struct {
	Key   string
	Value []byte
}
