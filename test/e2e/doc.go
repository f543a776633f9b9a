// Package e2e tests the built binaries against a broker: Kafka in process by default, a real one
// where BAYESTREAM_KAFKA names it. Processes are killed at random, and afterwards every count is
// compared with a recount of the topics that shares no code with the fold.
package e2e
