package main

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
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
	var err error
	if c.Schemas, err = f.Schemas(nil); err != nil {
		return nil, err
	}
	return stream.Dial(c)
}

// keyFlags name the key of the terms of a model.
type keyFlags struct {
	TermsKeyFile string `type:"existingfile" placeholder:"FILE" help:"File with the key of the terms, of a spec with text.terms: hmac."`
}

// keyed returns a spec with the key.
func (f *keyFlags) keyed(s *spec.Spec) (*spec.Spec, error) {
	key, err := config.ReadTermsKey(f.TermsKeyFile)
	if err == nil {
		s, err = s.WithKey(key)
	}
	return s, cli.WrongInput(err)
}

// unlock gives the model of a state the key.
func (f *keyFlags) unlock(state *fold.State) error {
	was := state.Model().Spec()
	s, err := f.keyed(was)
	if err != nil {
		return err
	}
	if s != was {
		state.Rescore(s)
	}
	return nil
}
