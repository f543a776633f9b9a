package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"

	"golang.org/x/sync/errgroup"
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
	replica      *modellog.Replica
	ingestHTTP   string
	classifyHTTP string

	ctx    context.Context //nolint:containedctx // ends when a worker fails: the feed must end with it
	cancel context.CancelFunc
	group  *errgroup.Group
}

// startPipeline starts the workers and waits until both are ready.
func startPipeline(ctx context.Context, client *stream.Client, o Options, at workerAddresses,
	log *slog.Logger) (*pipeline, error) {
	p := &pipeline{classifyHTTP: at.classify, ingestHTTP: at.ingest}
	ctx, p.cancel = context.WithCancel(ctx)
	p.group, p.ctx = errgroup.WithContext(ctx)
	p.group.Go(func() error {
		c := config.Default[config.Ingest]()
		c.TrainingTopic = topicTraining
		c.RefTopics = []string{topicDocuments}
		p.configure(&c.Worker, o, "ingest", p.ingestHTTP)
		if err := o.setSpec(&c); err != nil {
			return err
		}
		return ingest.Run(p.ctx, c, log.With("worker", "ingest"))
	})
	p.group.Go(func() error {
		c := config.Default[config.Classify]()
		c.DocumentsTopic = topicDocuments
		c.LabelsTopic = topicLabels
		c.WaitDocuments = 0 // the first block is tested before anything is learned
		p.configure(&c.Worker, o, "classify", p.classifyHTTP)
		return classify.Run(p.ctx, c, log.With("worker", "classify"))
	})
	if err := p.waitReady(); err != nil {
		if failed := p.stop(); failed != nil {
			err = failed // why nothing was ready
		}
		return nil, err
	}
	p.replica = modellog.New(client, topicModel, fold.New(false), modellog.Observer{
		Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() },
	}, log)
	p.group.Go(func() error { return p.replica.Follow(p.ctx) })
	_, err := p.replica.CatchUp(p.ctx)
	return p, err
}

// configure sets the settings in which the demo's workers differ from the defaults.
func (p *pipeline) configure(c *config.Worker, o Options, name, address string) {
	c.Kafka.Brokers = o.Brokers
	c.Kafka.ClientID = "bayestream-demo-" + name
	c.Group = "demo-" + name
	c.ModelTopic = topicModel
	c.DeadTopic = topicDead
	c.State = filepath.Join(o.State, name+".db")
	c.HTTP = address
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
	p.cancel()
	if err := p.group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// workerAddresses are those of the HTTP of the workers.
type workerAddresses struct{ classify, ingest string }

// addressesOf returns the addresses behind that of the console.
func addressesOf(ctx context.Context, console string) workerAddresses {
	return workerAddresses{freeAddress(ctx, console, 1), freeAddress(ctx, console, 2)}
}

// freeAddress returns the address plus step ports, or with another port if that one is in use.
func freeAddress(ctx context.Context, address string, step int) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return address
	}
	want := net.JoinHostPort(host, strconv.Itoa(n+step))
	if n > 0 && isFree(ctx, want) {
		return want
	}
	for range 100 {
		if other := net.JoinHostPort(host, strconv.Itoa(lowPort+rand.IntN(lowPorts))); isFree(ctx, other) {
			return other
		}
	}
	return want // the worker reports the error
}

// Ports for workers lie below those that systems give to connections (from 32768 on): a client of
// the broker could take one of them before the worker listens.
const lowPort, lowPorts = 20_000, 10_000

// isFree reports whether nothing listens on an address.
func isFree(ctx context.Context, address string) bool {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// waitReady polls both workers until they are ready.
func (p *pipeline) waitReady() error {
	for _, address := range []string{p.ingestHTTP, p.classifyHTTP} {
		for {
			if status, _ := p.get("http://" + address + "/readyz"); status == http.StatusOK {
				break
			}
			pause(p.ctx, 20*time.Millisecond)
			if p.ctx.Err() != nil {
				return context.Cause(p.ctx)
			}
		}
	}
	return nil
}

func (p *pipeline) get(url string) (status int, body []byte) {
	req, err := http.NewRequestWithContext(p.ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil
	}
	return send(req)
}

func send(req *http.Request) (status int, body []byte) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil
	}
	return resp.StatusCode, body
}

// documents returns how many documents the model has.
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
