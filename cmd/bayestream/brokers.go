package main

import (
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/cli"
)

// brokerFlags name the model log.
type brokerFlags struct {
	clusterFlags `embed:""`
	ModelTopic   string `default:"bayestream-model" placeholder:"TOPIC" help:"Topic of the model log."`
}

// clusterFlags say how to reach a Kafka cluster.
type clusterFlags struct {
	config.Connection `embed:""`
}

// dial connects to the brokers.
func (f *clusterFlags) dial(p cli.Process) (*stream.Client, error) {
	c := f.Stream()
	c.Log = cli.Sentences(p.Stderr)
	return stream.Dial(c)
}
