package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/config/version"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/tools/console"
	"bayestream/internal/tools/console/page"
	"bayestream/internal/tools/serve"
	"bayestream/internal/tools/status"
)

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
