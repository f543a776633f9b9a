package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

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

func (f *clusterFlags) dial(p cli.Process) (*stream.Client, error) {
	c := f.Stream()
	c.Log = cli.Sentences(p.Stderr)
	var err error
	if c.Schemas, err = f.Schemas(nil, c.Log); err != nil {
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

// logPoint is a place in the model log: an offset, or a time, which means the first record at or
// after it. As a flag it is a number, a time (2026-11-22T10:30:00Z, or without a zone in local
// time: 2026-11-22 10:30, 2026-11-22), or how long ago (2h30m).
type logPoint struct {
	text   string
	offset int64
	at     time.Time // zero: the offset is meant
}

// timeForms are the forms of a time. One without a zone is in local time.
var timeForms = []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05",
	"2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

func (p *logPoint) UnmarshalText(text []byte) error {
	s := string(text)
	*p = logPoint{text: s}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		p.offset = n
		if n < 0 {
			return fmt.Errorf("offset %d: the first record of a log has offset 0", n)
		}
		return nil
	}
	if ago, err := time.ParseDuration(s); err == nil && ago >= 0 {
		p.at = time.Now().Add(-ago)
		return nil
	}
	for _, form := range timeForms {
		if at, err := time.ParseInLocation(form, s, time.Local); err == nil {
			p.at = at
			return nil
		}
	}
	return fmt.Errorf("%q is no offset and no time: want a number, 2026-11-22T10:30:00Z, "+
		"2026-11-22 10:30, or 2h for two hours ago", s)
}

func (p *logPoint) isSet() bool { return p.text != "" }

// resolve returns the offset in a model topic.
func (p *logPoint) resolve(ctx context.Context, client *stream.Client, topic string) (int64, error) {
	if p.at.IsZero() {
		return p.offset, nil
	}
	return client.OffsetAt(ctx, topic, 0, p.at)
}

// topicPoint is where to begin in a topic of several partitions: start, end, or a time in the forms
// of a logPoint.
type topicPoint struct{ stream.TailStart }

func (p *topicPoint) UnmarshalText(text []byte) error {
	*p = topicPoint{}
	switch string(text) {
	case "start":
		return nil
	case "end":
		p.End = true
		return nil
	}
	var at logPoint
	if err := at.UnmarshalText(text); err != nil || at.at.IsZero() {
		return fmt.Errorf("%q is neither start nor end nor a time: want 2026-11-22T10:30:00Z, "+
			"2026-11-22 10:30, or 2h for two hours ago", text)
	}
	p.Time = at.at
	return nil
}
