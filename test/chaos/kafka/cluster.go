package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/tools/broker/session"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Cluster is a Kafka of its own: one node or three on loopback, in a folder of their own.
type Cluster struct {
	Addresses []string // of the nodes 1, 2, ...

	dir, script string
	environment []string
	closeFake   func()
}

// StartFake starts a broker in this process, for what does not depend on brokers.
func StartFake() (*Cluster, error) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return nil, err
	}
	stop := session.Watch(fake)
	closeFake := func() {
		stop()
		fake.Close()
	}
	return &Cluster{closeFake: closeFake, Addresses: fake.ListenAddrs()}, nil
}

// Options describe a cluster.
type Options struct {
	Nodes int
	Dir   string // without nodes; Close removes it
	Props func(first int) string
	Heap  string   // of a node
	Env   []string // more of its environment
}

// ports is how many ports in a row a cluster takes at most: two for each node, and those of Props
// behind them.
const ports = Spare + 4

// Spare is how many ports the nodes take themselves.
const Spare = 6

// Start starts a cluster with the script of the module at root. Props returns more settings of the
// nodes; it is given the port of the first one. The ports from first + Spare on are free.
func Start(ctx context.Context, root string, o Options) (*Cluster, error) {
	port, err := freePorts()
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: o.Dir, script: filepath.Join(root, "test", "kafka", "kafka.sh")}
	c.environment = slices.Concat(os.Environ(), []string{"KAFKA_HEAP=" + o.Heap, "KAFKA_PATIENCE=240"}, o.Env)
	if o.Props != nil {
		c.environment = append(c.environment, "KAFKA_PROPS="+o.Props(port))
	}
	if err := c.run(ctx, "cluster", strconv.Itoa(port), strconv.Itoa(o.Nodes)); err != nil {
		return nil, err
	}
	for i := range o.Nodes {
		c.Addresses = append(c.Addresses, net.JoinHostPort("127.0.0.1", strconv.Itoa(port+2*i)))
	}
	return c, nil
}

// freePorts returns the first of some ports in a row that are free, below those that the system
// hands out by itself.
func freePorts() (int, error) {
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if portsAreFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no %d ports in a row are free", ports)
}

func portsAreFree(port int) bool {
	for next := port; next < port+ports; next++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(next)))
		if err != nil {
			return false
		}
		_ = l.Close()
	}
	return true
}

// Kill ends nodes with SIGKILL, all of them if none is named.
func (c *Cluster) Kill(ctx context.Context, nodes ...int) error { return c.each(ctx, "kill", nodes) }

// Stop ends nodes in order, all of them if none is named.
func (c *Cluster) Stop(ctx context.Context, nodes ...int) error { return c.each(ctx, "stop", nodes) }

// Up starts the nodes that are down, with the data that they have, and waits until they serve.
func (c *Cluster) Up(ctx context.Context, nodes ...int) error { return c.each(ctx, "up", nodes) }

// Close kills all nodes and removes their data.
func (c *Cluster) Close() error {
	if c.closeFake != nil {
		c.closeFake()
		return nil
	}
	return errors.Join(c.Kill(context.Background()), os.RemoveAll(c.dir))
}

func (c *Cluster) each(ctx context.Context, verb string, nodes []int) error {
	if len(nodes) == 0 {
		return c.run(ctx, verb)
	}
	var errs []error
	for _, node := range nodes {
		errs = append(errs, c.run(ctx, verb, strconv.Itoa(node)))
	}
	return errors.Join(errs...)
}

func (c *Cluster) run(ctx context.Context, verb string, args ...string) error {
	cmd := exec.CommandContext(ctx, c.script, append([]string{verb, c.dir}, args...)...)
	cmd.Env = c.environment
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kafka.sh %s: %w: %s", verb, err, strings.TrimSpace(string(out)))
	}
	return nil
}
