// Package follow labels documents by the model that the workers of a Kafka cluster are learning at
// this moment:
//
//	f, err := follow.Open(ctx, follow.Config{Brokers: []string{"127.0.0.1:9092"}})
//	d, err := f.Classify(bayestream.Document{Text: "cheap pills"})
//
// It is a package of its own so that package bayestream needs no client of Kafka.
package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bayestream"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
)

// ErrNoModel is the error of a Follower whose topic holds no spec yet: ingest has not started.
var ErrNoModel = errors.New("the model topic holds no model yet: start ingest")

// Config says where a model topic is. Brokers must be set.
type Config struct {
	Brokers []string // host:port of some brokers of the cluster
	Topic   string   // the model topic; "" is bayestream-model, as for the workers
	// Snapshot is where to start, instead of at the start of the topic: a model file, the folder that
	// bayestream copy fills or http://HOST:PORT/v1/snapshot of a worker. It is needed where the start
	// of the topic was deleted. "" is none.
	Snapshot string
	TLS      TLS
	SASL     SASL
	Log      *slog.Logger // nil: nothing is logged
}

// TLS encrypts the connections to the brokers. The files are PEM, and read again for each
// connection.
type TLS struct {
	Enabled    bool   // implied by a file
	CAFile     string // "": the authorities of the system
	CertFile   string // of the client, with KeyFile; "": none
	KeyFile    string
	ServerName string // in the brokers' certificates, if it is not the host of their address
}

// SASL authenticates to the brokers. Files are read again for each connection.
type SASL struct {
	Mechanism    string // plain, scram-sha-256, scram-sha-512 or oauthbearer; "": none
	User         string
	Password     string
	PasswordFile string // instead of Password
	TokenFile    string // of oauthbearer
}

// Follower is the model of a model topic, kept up to date in this process. It writes nothing,
// neither to Kafka nor to disk. It is safe for concurrent use.
type Follower struct {
	classify *bayestream.Classifier
	client   *stream.Client
	replica  *modellog.Replica
	snapshot string
	taken    int64 // offset that the last snapshot of truncated leads to

	stop context.CancelFunc
	done chan struct{}
	mu   sync.Mutex
	err  error
}

// Open connects to the brokers, reads the model topic to its end and goes on reading it until
// Close. ctx bounds the time until it returns.
func Open(ctx context.Context, c Config, o ...bayestream.Option) (*Follower, error) {
	classify, err := bayestream.NewClassifier(o...)
	if err != nil {
		return nil, err
	}
	f := &Follower{classify: classify, snapshot: c.Snapshot, done: make(chan struct{})}
	state := fold.New(false)
	if c.Snapshot != "" {
		if state, err = store.Peek(ctx, f.snapshot); err != nil {
			return nil, err
		}
	}
	log := c.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if f.client, err = stream.Dial(c.stream(log)); err != nil {
		return nil, err
	}
	topic := cmp.Or(c.Topic, "bayestream-model")
	observer := modellog.Observer{Folded: func(fold.Outcome) {}, Rebuild: func(_ error, swap func()) { swap() }}
	if f.snapshot != "" {
		observer.Truncated = f.truncated
	}
	f.replica = modellog.New(f.client, topic, state, observer, log)
	f.start(ctx)
	if _, err := f.replica.CatchUp(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("follow %s: %w", topic, err), f.Close())
	}
	return f, nil
}

// start follows the log in the background, until Close.
func (f *Follower) start(ctx context.Context) {
	ctx, f.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(f.done)
		err := f.replica.Follow(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.err = err
	}()
}

func (c *Config) stream(log *slog.Logger) stream.Config {
	return stream.Config{
		Brokers: c.Brokers, Log: log,
		TLS: stream.TLS{Enabled: c.TLS.Enabled, CA: c.TLS.CAFile, Cert: c.TLS.CertFile, Key: c.TLS.KeyFile,
			ServerName: c.TLS.ServerName},
		SASL: stream.SASL{Mechanism: c.SASL.Mechanism, Username: c.SASL.User, Password: stream.Secret(c.SASL.Password),
			PasswordFile: c.SASL.PasswordFile, TokenFile: c.SASL.TokenFile},
	}
}

// truncated takes the snapshot, because the topic lacks the records that are to be counted next.
func (f *Follower) truncated(ctx context.Context, reason *modellog.TruncatedError, swap func(*fold.State)) error {
	state, err := store.Peek(ctx, f.snapshot)
	if err != nil {
		return fmt.Errorf("%w: %w", reason, err)
	}
	if state.Next() < reason.Start || state.Next() == f.taken {
		return fmt.Errorf("%w: the snapshot leads to offset %d only", reason, state.Next()-1)
	}
	f.taken = state.Next()
	swap(state)
	return nil
}

// Classify returns the decision on a document by the model as it is now. An error about the
// document is a
// *bayestream.DocumentError; ErrNoModel says that there is no model yet.
func (f *Follower) Classify(d bayestream.Document) (decision *bayestream.Decision, err error) {
	f.replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			err = ErrNoModel
			return
		}
		decision, err = f.classify.Classify(s, &d)
	})
	return decision, err
}

// Counts returns how many documents each class has, by weight, and the offset of the last record of
// the model topic that is counted, -1 if there is none.
func (f *Follower) Counts() (documents map[string]int64, offset int64) {
	f.replica.Read(func(s *fold.State) {
		documents = s.Documents()
		offset = s.Next() - 1
	})
	return documents, offset
}

// Wait returns when the record at an offset of the model topic is counted, or with an error when
// ctx ends or the model can no longer be followed.
func (f *Follower) Wait(ctx context.Context, offset int64) error {
	return f.replica.Wait(ctx, func(s *fold.State) bool { return s.Next() > offset })
}

// Lag returns how many records of the model topic are not counted yet, -1 before the first answer
// of a broker, and how long ago a broker answered.
func (f *Follower) Lag() (records int64, age time.Duration) {
	last, behind := f.replica.Freshness()
	return behind, time.Since(last)
}

// Done is closed when the topic is followed no longer: after Close, or for an error that going on
// would make worse. Classify goes on with the last model.
func (f *Follower) Done() <-chan struct{} { return f.done }

// Err returns why Done was closed, nil before and after Close.
func (f *Follower) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Close ends the following and closes the connections.
func (f *Follower) Close() error {
	f.stop()
	<-f.done
	f.client.Close()
	return f.Err()
}
