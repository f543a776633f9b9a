package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/tools/broker"
	"bayestream/internal/tools/console"
	"bayestream/internal/tools/status"

	"golang.org/x/sync/errgroup"
)

// Options of a pipeline in one process.
type Options struct {
	Model   string // file; its topics are in the folder of that name with .topics behind it
	Addr    string // of the console and of all calls
	Kafka   string // address of the embedded broker
	Spec    string // file; "": the spec of the model, or the default
	Preset  config.PresetFlag
	KeyFile string          // of the terms; "": they have none
	Token   string          // file with the token that every label needs; "": on loopback none does
	Console console.Options // its certificate, token, page and version
	Said    func(line string)
	Log     *slog.Logger
}

// The topics have the names that all verbs expect.
const (
	training    = "training"
	documents   = "documents"
	labels      = "labels"
	modelLog    = "bayestream-model"
	deadLetters = "bayestream-dead-letters"
)

// partitions of each topic: one keeps the order in which labels were said.
const partitions = 1

type pipeline struct {
	options Options
	folder  string
	own     *spec.Spec // nil: none is named
	client  *stream.Client
	workers *Workers
	recent  *recent
	at      struct{ front, ingest, classify net.Listener }
	key     []byte      // the token of the console
	served  chan string // has the address when it is served

	hasBegun bool // the topics have what the model began with
}

// InputError says that a file, or what it names, cannot be served.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Run serves until ctx ends or something fails. A first start that fails leaves nothing behind. The
// error may be an *InputError.
func Run(ctx context.Context, o Options) error {
	p := &pipeline{options: o, folder: o.Model + ".topics", recent: newRecent(), served: make(chan string, 1)}
	if err := p.listen(ctx); err != nil {
		return err
	}
	defer p.close()
	if err := p.readSpec(); err != nil {
		return &InputError{err}
	}
	isNew, err := p.makeFolder()
	if err != nil {
		return &InputError{err}
	}
	err = p.serve(ctx, isNew)
	if isNew && !p.hasBegun {
		err = errors.Join(err, os.RemoveAll(p.folder))
	}
	if differs, ok := errors.AsType[*ingest.CountingError](err); ok {
		return &InputError{fmt.Errorf("%s counts differently from the model in %s: %s; name a new file with --model",
			differs.Spec, p.options.Model, differs.Difference)}
	}
	return err
}

// readSpec reads the spec, if one is named, before anything is changed.
func (p *pipeline) readSpec() error {
	c := p.ingest()
	own, err := ingest.Spec(c)
	if err != nil || own == nil {
		return err
	}
	key, err := config.ReadTermsKey(c.TermsKeyFile)
	if err == nil {
		p.own, err = own.WithKey(key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.SpecName(c.Spec), err)
	}
	return nil
}

// serve serves from the topics in the folder.
func (p *pipeline) serve(ctx context.Context, isNew bool) error {
	b, err := broker.Start(broker.Options{Dir: filepath.Join(p.folder, "kafka"), Addr: p.options.Kafka, Sync: true})
	if errors.Is(err, broker.ErrInUse) {
		return fmt.Errorf("another serve has %s open: stop it, or name another file with --model", p.options.Model)
	}
	if errors.As(err, new(*net.OpError)) {
		return fmt.Errorf("%w; choose another address with --kafka, or port 0 for a free port", err)
	}
	if err != nil {
		return err
	}
	defer b.Close()
	p.options.Console.Kafka.Brokers = b.Addrs
	p.client, err = stream.Dial(stream.Config{Brokers: b.Addrs, ClientID: "bayestream-serve", Log: p.options.Log})
	if err != nil {
		return err
	}
	defer p.client.Close()
	if err := p.takeOver(ctx, isNew); err != nil {
		return err
	}
	if err := p.settle(ctx); err != nil {
		return err
	}
	return p.run(ctx)
}

// listen opens the address, and one on loopback for each worker.
func (p *pipeline) listen(ctx context.Context) (err error) {
	if p.at.front, err = new(net.ListenConfig).Listen(ctx, "tcp", p.options.Addr); err != nil {
		return fmt.Errorf("cannot listen: %w; choose another address with --addr, or port 0 for a free port", err)
	}
	if !httpapi.OnLoopback(p.at.front.Addr()) && p.options.Console.Cert == "" {
		return errors.Join(console.ErrOpen, p.at.front.Close())
	}
	if p.at.ingest, err = Listen(ctx, "127.0.0.1:0", 0); err == nil {
		p.at.classify, err = Listen(ctx, "127.0.0.1:0", 0)
	}
	return err
}

// close closes what was never served.
func (p *pipeline) close() {
	for _, l := range []net.Listener{p.at.front, p.at.ingest, p.at.classify} {
		_ = l.Close()
	}
}

// makeFolder makes the folder of the topics. isNew says that there was none.
func (p *pipeline) makeFolder() (isNew bool, err error) {
	err = os.Mkdir(p.folder, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("folder of the topics: %w", err)
	}
	return err == nil, nil
}

func (p *pipeline) run(ctx context.Context) error {
	if err := p.readToken(); err != nil {
		return err
	}
	p.workers = Start(ctx, p.ingest(), p.classify(), p.options.Log)
	c, err := console.Open(ctx, p.console())
	if err != nil {
		return errors.Join(err, p.workers.Stop())
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.Serve(ctx, p.at.front) })
	g.Go(func() error {
		err := p.workers.WaitReady(ctx)
		if err == nil {
			p.tell(<-p.served)
		}
		return cmp.Or(p.workers.Wait(), err)
	})
	g.Go(func() error {
		<-ctx.Done()
		return p.workers.Stop()
	})
	err = g.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ingest returns the settings of the worker that learns.
func (p *pipeline) ingest() config.Ingest {
	c := config.Default[config.Ingest]()
	p.worker(&c.Worker, p.at.ingest)
	c.State = p.options.Model
	c.Spec = p.options.Spec
	c.PresetFlag = p.options.Preset
	c.HTTPTokenFile = p.options.Token
	return c
}

// classify returns the settings of the worker that decides.
func (p *pipeline) classify() config.Classify {
	c := config.Default[config.Classify]()
	p.worker(&c.Worker, p.at.classify)
	c.State = filepath.Join(p.folder, "classify.db")
	c.WaitDocuments = 0 // whoever asks before anything is learned gets an answer that says so
	return c
}

// worker sets what both have in common.
func (p *pipeline) worker(c *config.Worker, at net.Listener) {
	c.Kafka.Brokers = p.options.Console.Kafka.Brokers
	c.Kafka.ClientID = "bayestream-serve"
	c.TermsKeyFile = p.options.KeyFile
	c.Listener = at
	c.CreateTopics = true
	c.Partitions = partitions
}

func (p *pipeline) console() console.Options {
	o := p.options.Console
	o.Topics = status.Topics{Model: modelLog, Training: training, Documents: documents, Labels: []string{labels},
		Dead: deadLetters}
	o.Workers = []string{"http://" + p.workers.Classify, "http://" + p.workers.Ingest}
	o.Log = p.options.Log.With("worker", "console")
	o.Routes = p.routes()
	o.Checks = p.ready
	o.Serving = func(url string) error {
		p.served <- url
		return nil
	}
	return o
}

// tell says where what is served, when all of it is ready.
func (p *pipeline) tell(url string) {
	page := url
	if len(p.key) > 0 {
		page += "/#token=" + string(p.key)
	}
	p.options.Said("console  " + page)
	p.options.Said("kafka    " + p.options.Console.Kafka.Brokers[0])
	p.options.Said("ready")
}

// readToken reads the token of the console, which the first start makes, unless a file is named.
func (p *pipeline) readToken() error {
	if p.options.Console.Token != nil {
		return nil
	}
	path := filepath.Join(p.folder, "token")
	read := func() ([]byte, error) { return config.ReadToken("token of the console", path) }
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(path, []byte(rand.Text()), 0o600)
	}
	if err == nil {
		p.key, err = read()
	}
	p.options.Console.Token = read
	return err
}
