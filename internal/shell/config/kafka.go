package config

import (
	"errors"
	"time"

	"bayestream/internal/shell/stream"
)

// Kafka says how a worker reaches the brokers.
type Kafka struct {
	Connection     `embed:""`
	ClientID       string        `group:"kafka" name:"client-id" default:"bayestream" placeholder:"NAME" help:"Client name in the logs and quotas of the brokers."`
	Compression    string        `group:"kafka" default:"none" enum:"none,gzip,snappy,lz4,zstd" placeholder:"CODEC" help:"Compression of written batches: none, gzip, snappy, lz4 or zstd. All of them can be read."`
	RequestTimeout time.Duration `group:"kafka" default:"10s" placeholder:"TIME" help:"Time limit of a request to a broker, including the connection."`
}

// Stream returns the configuration of package stream, without a logger.
func (k Kafka) Stream() stream.Config {
	c := k.Connection.Stream()
	c.ClientID, c.Compression, c.RequestTimeout = k.ClientID, k.Compression, k.RequestTimeout
	return c
}

// Validate returns all problems of the settings, joined, without using the network.
func (k Kafka) Validate() error { return errors.Join(append(enums(&k), k.problems()...)...) }

func (k Kafka) problems() []error {
	return append(k.Problems(), positive("--request-timeout", k.RequestTimeout)...)
}
