package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// process is an ingest worker, or a classify worker, which only follows the log.
type process struct {
	*world
	name    string
	ledger  bool
	client  *client
	replica *modellog.Replica
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	onChange string     // --on-source-change
	proposes *spec.Spec // --spec

	file   sync.Mutex // the model file
	path   string
	store  *store.Store
	stored int64 // the offset of the log at which it stands

	state sync.Mutex // what follows
	dead  bool
	until time.Time // it sleeps
	ready bool      // the spec is agreed on
	owned [partitions]*ownership
	sums  *sums // of all partitions
}

// ownership is the work on a partition.
type ownership struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// start starts a process from a model file; an empty path is one that has none, and takes a copy of
// another one if from names one.
func (w *world) start(ledger bool, path, from string) *process {
	w.started++
	p := &process{world: w, name: fmt.Sprint("process ", w.started), ledger: ledger, path: path, onChange: w.o.OnChange, proposes: w.spec}
	if path == "" {
		p.path = filepath.Join(w.dir, fmt.Sprint("model-", w.started))
	}
	p.client = &client{world: w, process: p}
	p.sums = newSums(w.o.AppendEach)
	p.ctx, p.cancel = context.WithCancel(w.t.Context())
	state := p.load(from)
	w.trace("%s starts at offset %d", p.name, state.Next())
	observe := modellog.Observer{Folded: func(o fold.Outcome) { w.count("folded " + string(o)) }, Rebuild: p.rebuild}
	p.replica = modellog.New(p.client, "model", state, observe, discard)
	w.processes = append(w.processes, p)
	p.running.Go(p.follow)
	p.running.Go(p.checkpoints)
	if ledger {
		p.running.Go(p.learn)
		p.running.Go(func() { p.sums.run(w.actor(p.ctx, p.name+" sums")) })
	}
	time.Sleep(time.Nanosecond) // all of them have begun: a process that is killed at once ends the same way each time
	return p
}

const simulatedDrain = 10 * time.Second

// load opens the model file. Where it has none it takes a copy of another one; where the log is cut
// off, the snapshot.
func (p *process) load(copied string) *fold.State {
	if copied == "" {
		copied = p.snapshot
	}
	if _, err := os.Stat(p.path); err != nil && copied != "" {
		p.count("starts from a copy of a model file")
		from, err := os.Open(copied)
		if err == nil {
			err = errors.Join((&store.Incoming{From: copied, Reader: from}).Install(p.path), from.Close())
		}
		if err != nil {
			p.t.Fatalf("seed %d: install the snapshot: %v", p.seed, err)
		}
	}
	var err error
	var state *fold.State
	if p.store, err = store.Open(p.path, time.Second); err == nil {
		state, err = p.store.Load()
	}
	if err != nil {
		p.t.Fatalf("seed %d: %s: %v", p.seed, p.name, err)
	}
	if state == nil {
		return fold.New(p.ledger)
	}
	p.stored = state.Next()
	return state
}

// follow follows the log. A process that cannot dies.
func (p *process) follow() {
	err := p.replica.Follow(p.world.actor(p.ctx, p.name+" follow"))
	if err == nil || p.isDead() {
		return
	}
	p.trace("%s ends: %v", p.name, err)
	var truncated *modellog.TruncatedError
	if !errors.As(err, &truncated) || p.snapshot == "" {
		p.t.Errorf("seed %d: %s ends: %v", p.seed, p.name, err)
	}
	p.kill()
	p.file.Lock()
	defer p.file.Unlock()
	p.path = "" // the next one starts from the snapshot
}

// rebuild does what a worker does when the log is another one.
func (p *process) rebuild(reason error, swap func()) {
	p.count("rebuilds")
	p.trace("%s starts over: %v", p.name, reason)
	time.Sleep(time.Duration(1 + len(p.name))) // what waits for the replica has seen what was folded
	p.file.Lock()
	defer p.file.Unlock()
	swap()
	if p.isDead() {
		return
	}
	err := errors.Join(p.store.Close(), os.Remove(p.path))
	if err == nil {
		p.store, err = store.Open(p.path, time.Second)
	}
	if err != nil {
		p.t.Errorf("seed %d: %s: %v", p.seed, p.name, err)
	}
	p.stored = 0
}

// checkpoints writes what changed now and then.
func (p *process) checkpoints() {
	ctx := p.world.actor(p.ctx, p.name+" checkpoints")
	for ctx.Err() == nil {
		actorOf(ctx).sleep(2 * time.Second)
		p.checkpoint()
	}
}

func (p *process) checkpoint() {
	p.file.Lock()
	defer p.file.Unlock()
	if p.isDead() || p.asleep() {
		return
	}
	var batch *store.Batch
	var next int64
	p.replica.Copy(func(s *fold.State) {
		next = s.Next()
		if next > p.stored {
			batch = store.Copy(s)
		}
	}, func(s *fold.State) {
		if batch != nil {
			s.ClearChanges()
		}
	})
	if batch == nil {
		return
	}
	if err := p.store.Write(batch); err != nil {
		p.t.Errorf("seed %d: %s: %v", p.seed, p.name, err)
	}
	p.stored = next
	p.count("checkpoints")
}

// copy takes a snapshot, and returns its path and where in the log it stands.
func (p *process) copy(path string) (at string, next int64, ok bool) {
	p.file.Lock()
	defer p.file.Unlock()
	if p.isDead() || !p.ledger || p.stored == 0 {
		return "", 0, false
	}
	from, err := p.store.Copy()
	if err == nil {
		err = os.Rename(from, path)
	}
	if err != nil {
		p.t.Errorf("seed %d: %s: %v", p.seed, p.name, err)
	}
	return path, p.stored, err == nil
}

// learn agrees on the spec with the others; then the partitions can be learned.
func (p *process) learn() {
	in := p.ingester()
	ctx := p.world.actor(p.ctx, p.name+" learn")
	for ctx.Err() == nil {
		err := in.agree(ctx, p.proposes)
		if err == nil {
			break
		}
		p.trace("%s does not agree: %v", p.name, err)
		time.Sleep(500 * time.Millisecond)
	}
	p.state.Lock()
	defer p.state.Unlock()
	p.ready = true
}

func (p *process) ingester() *ingester {
	c := config.Ingest{TrainingTopic: "training", From: "start", RefTopics: p.o.Rules.Refs, MaxRecords: p.o.MaxRecords}
	c.OnSourceChange = p.onChange
	c.AcceptLoss = p.o.Accept
	c.ModelTopic, c.Drain = "model", simulatedDrain
	decoder := wire.NewDecoder(wire.SchemaOf(p.proposes))
	return &ingester{
		config: c, broker: p.client, host: p.client, index: p.drawLabels(p.name), replica: p.replica, metrics: sharedMetrics(), log: discard,
		spec: p.proposes, counting: p.counting, decoder: decoder, sums: p.sums,
	}
}

// own gives a partition to the process, or takes it away.
func (p *process) own(partition int, yes bool) {
	p.state.Lock()
	defer p.state.Unlock()
	o := p.owned[partition]
	switch {
	case !p.ledger || p.dead || yes == (o != nil):
	case !yes:
		o.cancel()
		p.owned[partition] = nil
	default:
		p.world.count("partitions given")
		p.trace("%s has partition %d", p.name, partition)
		ctx, cancel := context.WithCancel(p.world.actor(p.ctx, fmt.Sprint(p.name, " partition ", partition, " ", p.world.counted("partitions given"))))
		o := &ownership{cancel, make(chan struct{})}
		p.owned[partition] = o
		p.running.Go(func() {
			defer close(o.ended)
			p.work(ctx, partition)
		})
	}
}

// work learns a partition, and again after an error, as a consumer group does. Each partition has
// an ingester of its own: a bubble cannot wait for its mutex.
func (p *process) work(ctx context.Context, partition int) {
	in := p.ingester()
	for ctx.Err() == nil && !p.isDead() {
		if p.isReady() {
			if err := in.partition(ctx, stream.Assignment{Topic: "training", Partition: partition}); err != nil {
				p.count("handlers that failed")
			}
		}
		actorOf(ctx).sleep(500 * time.Millisecond)
	}
}

// kill ends the process at once: what it has not written or appended is gone.
func (p *process) kill() {
	p.state.Lock()
	defer p.state.Unlock()
	p.dead = true
	p.cancel()
}

func (p *process) isDead() bool {
	p.state.Lock()
	defer p.state.Unlock()
	return p.dead
}

func (p *process) isReady() bool {
	p.state.Lock()
	defer p.state.Unlock()
	return p.ready
}

func (p *process) pause(d time.Duration) {
	p.state.Lock()
	defer p.state.Unlock()
	p.until = time.Now().Add(d)
}

func (p *process) asleep() bool {
	p.state.Lock()
	defer p.state.Unlock()
	return !p.dead && time.Now().Before(p.until)
}

// restart replaces a process that died by one that starts from its file, from none, or from an old
// copy of one.
func (w *world) restart(p *process) {
	w.bury(p)
	path, from := p.path, ""
	switch w.rnd.IntN(6) {
	case 0, 1:
		path = ""
	case 2:
		if w.backup != "" {
			path, from = "", w.backup
		}
	}
	w.start(p.ledger, path, from)
}

// bury waits for what is left of a process that died.
func (w *world) bury(p *process) {
	p.running.Wait()
	if err := p.store.Close(); err != nil {
		w.t.Errorf("seed %d: %v", w.seed, err)
	}
	for i := range w.processes {
		if w.processes[i] == p {
			w.processes = append(w.processes[:i:i], w.processes[i+1:]...)
			return
		}
	}
}
