// Package quickstart types the commands of docs/quickstart.md on a real Kafka: BAYESTREAM_KAFKA
// names its brokers, as run.sh sets it. The broker must be fresh: the topics have the names that
// the document has.
package quickstart
