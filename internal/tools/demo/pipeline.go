package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/console"
	"bayestream/internal/tools/console/page"
	"bayestream/internal/tools/serve"
	"bayestream/internal/tools/status"
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

type consolePage struct {
	listener net.Listener
	token    string
}

// address returns the address of the page with the token, by which a person can correct.
func (c *consolePage) address() string {
	return fmt.Sprintf("http://%s/#token=%s", c.listener.Addr(), c.token)
}

// listen opens the address of the console, or a free port where it is in use, so that a page that
// is asked for at once waits.
func (d *demo) listen(ctx context.Context) error {
	d.console.token = rand.Text()
	var err error
	d.console.listener, err = serve.Listen(ctx, d.options.Addr, 0)
	if err == nil && !httpapi.OnLoopback(d.console.listener.Addr()) {
		err = errors.Join(errBeyond, d.console.listener.Close())
	}
	return err
}

// errBeyond refuses an address that others can reach: the console of the demo has no certificate.
var errBeyond = errors.New("the console of the demo is for this machine alone: name an address of loopback with " +
	"--addr, like 127.0.0.1:7430")

// startConsole starts the console and returns what stops it. It is a process of its own elsewhere,
// so that the demo goes on without it if it fails.
func (d *demo) startConsole(ctx context.Context, at workerListeners) (stop func(), err error) {
	classify := config.Default[config.Classify]()
	key, err := config.ReadTermsKey(d.options.KeyFile)
	if err != nil {
		return nil, err
	}
	o := console.Options{
		Kafka: classify.Kafka, Key: key, EnrichField: classify.EnrichField, Keep: console.UsualKeep,
		Topics: status.Topics{Model: topicModel, Training: topicTraining, Documents: topicDocuments,
			Labels: []string{topicLabels}, Dead: topicDead},
		Workers: []string{"http://" + at.classify.Addr().String(), "http://" + at.ingest.Addr().String()},
		Page:    page.Handler(), Log: d.log.With("worker",
			"console"), Version: version.Read().Version,
		Token: func() ([]byte, error) { return []byte(d.console.token), nil },
	}
	o.Kafka.Brokers = d.options.Brokers
	o.Kafka.ClientID = "bayestream-demo-console"
	c, err := console.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := c.Serve(ctx, d.console.listener); err != nil {
			o.Log.Error("the console has stopped", "error", err)
		}
	}()
	return func() {
		cancel()
		<-ended
	}, nil
}
