// Package stream is all that Bayestream uses of Kafka: topics, offsets, fetching
// from and producing to one partition, and consumer groups. It stands on
// [github.com/segmentio/kafka-go], but not on its Reader and Writer: the Reader
// delivers aborted records, skips holes silently and keeps messages of partitions
// that it has lost, and the Writer repeats and reorders.
//
//   - A [Client] is safe for concurrent use. It opens connections when they are
//     needed, follows partition leaders, and gives every request a deadline.
//   - [Client.Fetch] returns records of one partition with exact offsets, and
//     the offset to continue at. It is the only way to read. Nothing is
//     buffered, so a rebalance has nothing to drain.
//   - [Client.Produce] writes one batch to one partition and waits for all
//     in-sync replicas. [Client.ProduceRetry] repeats it, and can therefore
//     write a batch twice if an acknowledgement is lost.
//   - [Client.TakeOver] returns a [Producer], which writes records and the offset of
//     an assigned partition in whole transactions, and fences the owner before.
//   - [Client.Consume] runs one handler for each partition that a consumer group
//     assigns, for as long as the assignment lasts.
//
// # Errors
//
// A temporary failure (a leader moves, a broker restarts) satisfies
// errors.Is(err, [ErrRetriable]). Fetch and the metadata calls retry for a while
// before they return such an error. A permanent failure has a sentinel of its own:
// [ErrUnknownTopic], [ErrUnknownPartition], [ErrOffsetOutOfRange],
// [ErrTopicExists], [ErrRecordTooLarge], [ErrBadBatch], [ErrFenced], [ErrNoTransactions].
//
// # Caveats
//
//   - Brokers must have Kafka 0.11 or later, and 2.1 for zstd; record batches of the older formats
//     (before 2017) are refused with ErrBadBatch.
//   - Two clients may produce to one partition at once: the order within one call
//     is kept, the order between calls is up to the broker.
//   - A reader need not stop when a commit fails: the next one that succeeds
//     covers it.
package stream
