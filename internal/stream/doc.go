// Package stream is everything that Bayestream asks of Kafka: topics, offsets,
// fetching and producing one partition, and consumer groups. It speaks through
// [github.com/segmentio/kafka-go], but not through its Reader and Writer: the
// Reader delivers aborted records, skips holes without a word and keeps messages
// of partitions it has lost, and the Writer repeats and reorders.
//
//   - A [Client] is safe for concurrent use. It opens connections when they are
//     needed, follows partition leaders, and gives every request a deadline.
//   - [Client.Fetch] returns records of one partition with exact offsets, and
//     says where to go on. It is the only way to read: nothing is buffered
//     behind it, so a rebalance has nothing to drain.
//   - [Client.Produce] writes one batch to one partition and waits for all
//     in-sync replicas. [Client.ProduceRetry] repeats it, and can therefore
//     write a batch twice when an acknowledgement is lost.
//   - [Client.Consume] runs one handler for each partition that a consumer group
//     assigns, for as long as the assignment lasts.
//
// # Errors
//
// Trouble that passes by itself (a leader moves, a broker restarts) answers to
// errors.Is(err, [ErrRetriable]). Fetch and the metadata calls have retried for
// a while before they return such an error. What cannot be cured by waiting has
// a sentinel of its own: [ErrUnknownTopic], [ErrUnknownPartition],
// [ErrOffsetOutOfRange], [ErrTopicExists], [ErrRecordTooLarge], [ErrBadBatch].
//
// # Caveats
//
//   - Brokers from Kafka 0.11 on are served; record batches of the older formats
//     (before 2017) are refused with ErrBadBatch.
//   - Two clients may produce to one partition at once: order within one call is
//     kept, order between calls is the broker's.
//   - A failing commit is no reason to stop reading: the next one that succeeds
//     covers it.
package stream
