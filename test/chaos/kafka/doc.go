// Package kafka starts Apache Kafka for the chaos suite and talks to it with franz-go: a client
// that shares no code with the workers, which stand on kafka-go.
package kafka
