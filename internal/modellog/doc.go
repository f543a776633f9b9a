// Package modellog is the way of a model through Kafka: records are appended to a topic of one
// partition, and every worker folds them, in order and without a hole, into its own replica.
//
// The topic is read offset by offset with fetch requests (kafka-go's Reader passes over holes in
// silence). What was folded last is remembered with the checksum of its bytes; whenever the
// connection or the leader epoch changed, that record is compared with the log again, so that a topic
// that was deleted and made anew, or a leader that lost records, is noticed and not folded on top of
// other counts.
package modellog
