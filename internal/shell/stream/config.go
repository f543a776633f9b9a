package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"bayestream/internal/shell/budget"
)

// Defaults of a Config.
const (
	DefaultClientID       = "bayestream"
	DefaultRequestTimeout = 10 * time.Second
)

// Config says how to reach a Kafka cluster. Only Brokers must be set.
type Config struct {
	// Brokers are the addresses to start from, host:port. The client gets the
	// addresses of the other brokers from them.
	Brokers []string
	// ClientID is the name in the brokers' logs and quotas, DefaultClientID
	// if empty.
	ClientID string
	// TLS encrypts the connections and authenticates the brokers.
	TLS TLS
	// SASL authenticates the client.
	SASL SASL
	// Compression of written batches: none, gzip, snappy, lz4, zstd, or auto (also
	// if empty): zstd for what Produce writes, none for the rest. Fetch reads all of them.
	Compression string
	// Schemas gives fetched records their schemas; nil: records have none.
	Schemas Attach
	// Memory bounds what all Bounded fetches hold at once; nil: nothing does.
	Memory *budget.Budget
	// RequestTimeout bounds one round trip to a broker, connecting included,
	// DefaultRequestTimeout if 0.
	RequestTimeout time.Duration
	// Log is the logger for the operator, slog.Default() if nil.
	Log *slog.Logger
}

// Attach sets the Schema of records that have one. It returns how many are ready: if not all, the
// error says what the next one waits for.
type Attach func(ctx context.Context, records []Record) (ready int, err error)

// Validate returns all errors of the configuration at once. It reads no files and
// does not use the network.
func (c Config) Validate() error {
	var errs []error
	if len(c.Brokers) == 0 {
		errs = append(errs, errors.New("no broker is given: name at least one, like 127.0.0.1:9092"))
	}
	for _, broker := range c.Brokers {
		if host, port, err := net.SplitHostPort(broker); err != nil || host == "" || port == "" {
			errs = append(errs, fmt.Errorf("broker %q is not host:port, like 127.0.0.1:9092", broker))
		}
	}
	if _, err := compressionOf(c.Compression); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, c.TLS.validate(), c.SASL.Validate())...)
}

// readable reads the files of TLS and SASL, so that a wrong one is found before a connection is
// needed.
func (c Config) readable() error {
	_, err := c.TLS.Files()
	if err != nil {
		return err
	}
	for _, file := range []string{c.SASL.PasswordFile, c.SASL.TokenFile} {
		if file == "" {
			continue
		}
		if _, err := readSecret(file); err != nil {
			return err
		}
	}
	return checkTokenCommand(c.SASL.TokenCommand)
}

// batchLimit bounds the memory of one fetched batch, in bytes after decompression: twice what the
// windows of the usual levels of zstd have. One Fetch holds at most twice as much.
const batchLimit = 64 << 20

func (c Config) withDefaults() Config {
	c.ClientID = cmp.Or(c.ClientID, DefaultClientID)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, DefaultRequestTimeout)
	c.Log = cmp.Or(c.Log, slog.Default())
	return c
}
