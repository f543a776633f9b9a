package e2e

import (
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// network is what lies before the brokers of a cluster. While it is bad, some connections break:
// before a request has arrived, or after it was carried out and before the answer is out.
type network struct {
	mu     sync.Mutex
	rng    *rand.Rand
	chance float64 // of a read or a write to break the connection
	broken int
}

func (n *network) listen(kind, address string) (net.Listener, error) {
	l, err := net.Listen(kind, address)
	if err != nil {
		return nil, err
	}
	return badListener{l, n}, nil
}

func (n *network) set(chance float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.chance = chance
}

func (n *network) breaks() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rng.Float64() >= n.chance {
		return false
	}
	n.broken++
	return true
}

type badListener struct {
	net.Listener
	network *network
}

// Accept implements net.Listener.
func (l badListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return badConn{c, l.network}, nil
}

type badConn struct {
	net.Conn
	network *network
}

var errBroken = errors.New("the network is bad")

// Read implements net.Conn.
func (c badConn) Read(b []byte) (int, error) {
	if c.network.breaks() {
		c.Close()
		return 0, errBroken
	}
	return c.Conn.Read(b)
}

// Write implements net.Conn: the answer is lost.
func (c badConn) Write(b []byte) (int, error) {
	if c.network.breaks() {
		c.Close()
		return 0, errBroken
	}
	return c.Conn.Write(b)
}

// TestBadNetwork breaks connections at random and moves the leaders of partitions, under two
// ingests of one group and a classify. Requests are lost, and answers to requests that were carried
// out. In the end every count is right, and every document has its answer, in order.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	bad := &network{rng: rand.New(rand.NewPCG(seed, 4))}
	p, cluster := private(t, chaosPartitions, kfake.ListenFn(bad.listen))
	first, second := p.startIngest(), p.startIngest("--state="+p.dir+"/second.db")
	classify := p.startClassify()
	c := &chaos{t: t, rng: rng, client: p.client, training: p.training}
	stopRecords, stopDocuments := c.write(), p.mixture(rng, 0)

	bad.set(0.02)
	for range 40 {
		topic := []string{p.training, p.documents, p.labels, p.model}[rng.IntN(4)]
		part := int32(rng.IntN(chaosPartitions))
		if topic == p.model {
			part = 0
		}
		if err := cluster.MoveTopicPartition(topic, part, int32(rng.IntN(3))); err != nil {
			t.Error(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	bad.set(0)
	stopRecords()
	n, _ := stopDocuments()

	dump, badRecords := p.recount()
	state := p.counted(first)
	same(t, "the first ingest", state, dump)
	same(t, "the second ingest", second.folded(state.Next()), dump)
	same(t, "classify", classify.folded(state.Next()), dump)
	if letters := p.letters(); len(letters) != badRecords {
		t.Errorf("%d records have dead letters, %d are bad", len(letters), badRecords)
	}
	written := 0
	for part := range p.partitions {
		written += len(p.read(p.documents, part))
	}
	twice := p.inOrder(p.decided(written), nil)
	for _, r := range []*running{first, second, classify} {
		r.ready()
	}
	t.Logf("%d connections broken; %d records, %d bad, %d records in the model log; %d documents (written twice: %d), %d answers twice",
		bad.broken, c.written, badRecords, state.Next(), written, written-n, twice)
}
