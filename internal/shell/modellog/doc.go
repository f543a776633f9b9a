// Package modellog is the way of a model through Kafka: records are appended to a topic of one
// partition, and every worker folds them, in order and without a hole, into its own replica.
//
// The topic is read offset by offset with fetch requests (kafka-go's Reader passes over holes in
// silence). The replica keeps the checksum of the record that it folded last. Whenever the
// connection or the leader epoch has changed, it compares that record with the log again: a topic
// that was deleted and created again, or a leader that lost records, is noticed and not folded on
// top of other counts. Then the state starts over, and the Epoch of the old log has ended.
package modellog
