package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/serve"
)

// The topics of the demo.
const (
	topicTraining  = "demo-training"
	topicDocuments = "demo-documents"
	topicLabels    = "demo-labels"
	topicModel     = "demo-model"
	topicDead      = "demo-dead-letters"
	partitions     = 4
)

// pipeline is ingest, classify and a replica of the model.
type pipeline struct {
	*serve.Workers

	replica  *modellog.Replica
	followed chan error // has the end of the replica
}

// startPipeline starts the workers and waits until both are ready.
func startPipeline(ctx context.Context, client *stream.Client, o Options, at workerListeners,
	log *slog.Logger) (*pipeline, error) {
	ic := config.Default[config.Ingest]()
	ic.TrainingTopic = topicTraining
	ic.RefTopics = []string{topicDocuments}
	configure(&ic.Worker, o, "ingest", at.ingest)
	if err := o.setSpec(&ic); err != nil {
		return nil, err
	}
	cc := config.Default[config.Classify]()
	cc.DocumentsTopic = topicDocuments
	cc.LabelsTopic = topicLabels
	cc.WaitDocuments = 0 // the first block is tested before anything is learned
	configure(&cc.Worker, o, "classify", at.classify)
	p := &pipeline{Workers: serve.Start(ctx, ic, cc, log), followed: make(chan error, 1)}
	if err := p.WaitReady(ctx); err != nil {
		if failed := p.Stop(); failed != nil {
			err = failed // why nothing was ready
		}
		return nil, err
	}
	p.replica = modellog.New(client, topicModel, fold.New(false), modellog.Observer{
		Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() },
	}, log)
	go func() { p.followed <- p.replica.Follow(p.Context) }()
	_, err := p.replica.CatchUp(p.Context)
	return p, err
}

// configure sets the settings in which the demo's workers differ from the defaults.
func configure(c *config.Worker, o Options, name string, at net.Listener) {
	c.Kafka.Brokers = o.Brokers
	c.Kafka.ClientID = "bayestream-demo-" + name
	c.Group = "demo-" + name
	c.ModelTopic = topicModel
	c.DeadTopic = topicDead
	c.State = filepath.Join(o.State, name+".db")
	c.Listener = at
	c.TermsKeyFile = o.KeyFile
	c.CreateTopics = true
	c.Partitions = partitions
}

// setSpec names the spec of ingest. One whose format comes from the data is in no file yet.
func (o *Options) setSpec(c *config.Ingest) error {
	c.Spec = o.SpecFile
	c.PresetFlag = o.Preset
	if o.Spec.IsJSON() || c.Spec != "" || c.Preset != "" {
		return nil
	}
	c.Spec = filepath.Join(o.State, "spec.yaml")
	return os.WriteFile(c.Spec, o.Spec.YAML(), 0o600)
}

// stop ends the workers in order and returns the first error.
func (p *pipeline) stop() error {
	err := p.Stop()
	if p.replica != nil {
		err = errors.Join(err, <-p.followed)
	}
	return err
}

// workerListeners are those of the HTTP of the workers.
type workerListeners struct{ classify, ingest net.Listener }

// listenBehind opens the ports behind that of the console.
func listenBehind(ctx context.Context, console string) (at workerListeners, err error) {
	if at.classify, err = serve.Listen(ctx, console, 1); err != nil {
		return at, err
	}
	at.ingest, err = serve.Listen(ctx, console, 2)
	return at, err
}

func (p *pipeline) documents() (n int64) {
	p.replica.Read(func(s *fold.State) {
		if s.Model() != nil {
			n = s.Model().Classes().Total()
		}
	})
	return n
}

// counted returns the number of training records that the fold has passed, and how many of them it
// skipped.
func counted(s *fold.State) (passed, skipped int64) {
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		passed += p.Watermark - p.Begin
		skipped += p.Skipped
	}
	return passed, skipped
}

// errAnswers says that the pipeline did not answer in time.
func errAnswers(what string, left int) error {
	return fmt.Errorf("%d %s are missing after %s: is the broker overloaded", left, what, patience)
}

// patience is the time limit of a block.
const patience = time.Minute
