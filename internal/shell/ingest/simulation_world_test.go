package ingest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/recount"
)

// world is one schedule.
type world struct {
	t      *testing.T
	seed   uint64
	rnd    *rand.Rand // of what happens from outside: everything that acts has another one
	o      options
	memory *kafkatest.Memory
	dir    string // of the model files
	began  time.Time

	spec     *spec.Spec // in the file of the workers
	counting spec.Fingerprint
	places   *places // nil: no second spec

	naming    *rand.Rand       // of who says a label
	labelling *rand.Rand       // of what was labelled
	labelled  map[string]int64 // by id: the offset of the text

	processes []*process
	started   int             // processes so far
	head      []stream.Record // of the model log, that was cut off
	snapshot  string          // a model file that is beyond them; "": nothing was cut off
	backup    string          // an old copy of a model file; "": none
	lost      [][]stream.Record
	samples   []sample1
	late      sync.WaitGroup // appends that are on their way
	commands  sync.WaitGroup // of the operator
	reader    recount.Reader

	mu       sync.Mutex
	calm     bool // nothing fails any more
	keeps    bool // lines
	lines    []line
	tally    tally
	produced *recount.Topics
}

// line is an event: at most one thing happens at a time, but several may look at what happened.
type line struct {
	at   time.Duration
	text string
}

func newWorld(t *testing.T, seed uint64, dir string, history bool) *world {
	t.Helper()
	w := &world{t: t, seed: seed, memory: kafkatest.NewMemory(), produced: recount.NewTopics(), began: time.Now(), tally: tally{}, keeps: history, labelled: map[string]int64{}}
	w.naming = w.random("naming")
	w.labelling = w.random("labelling")
	w.rnd = w.random("world")
	w.o = drawOptions(w.rnd)
	if seed >= withSums {
		w.o.AppendEach = []time.Duration{0, appendEach, 100 * time.Millisecond, time.Second}[w.random("sums").IntN(4)]
	}
	var err error
	if w.dir, err = os.MkdirTemp(dir, fmt.Sprint(seed, "-")); err != nil {
		t.Fatal(err)
	}
	if w.spec, err = sharedSpec(w.o.spec()); err != nil {
		t.Fatal(err)
	}
	w.counting = w.spec.Counting()
	if w.places, err = w.drawPlaces(); err != nil {
		t.Fatal(err)
	}
	list := race.Of(w.spec)
	fingerprint := list.Fingerprint()
	w.o.Rules.List = fingerprint[:]
	w.o.Rules.Racing = len(list.Racing())
	w.o.Rules.Start = slices.Index(race.Tempers(), race.NewState(list).Leader().Temper)
	w.create("training", partitions)
	w.create("texts", 1)
	w.memory.CreateTopic("model", 1)
	w.memory.CreateTopic("dead", partitions)
	w.trace("%+v", w.o)
	return w
}

const partitions = 2

// withSums is the first seed whose partitions wait for each other. Those before are as they were when
// rare faults were found with them.
const withSums = 1_000_000

// specs are those of the schedules before, by their text: many have the same one.
var specs sync.Map

// sharedSpec parses the spec of a schedule.
func sharedSpec(text string) (*spec.Spec, error) {
	if s, ok := specs.Load(text); ok {
		return s.(*spec.Spec), nil
	}
	s, err := spec.Parse([]byte(text))
	if err == nil {
		specs.Store(text, s)
	}
	return s, err
}

// random returns random numbers that depend on the seed and a name.
func (w *world) random(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(w.seed, h.Sum64()))
}

// trace notes what happened.
func (w *world) trace(format string, args ...any) {
	if !w.keeps {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line{time.Since(w.began), fmt.Sprintf(format, args...)})
}

// count counts that something happened.
func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally[what]++
}

// counted returns how often something happened.
func (w *world) counted(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tally[what]
}

// history returns all that happened, in order.
func (w *world) history() string {
	slices.SortStableFunc(w.lines, func(a, b line) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return strings.Compare(a.text, b.text)
	})
	var out strings.Builder
	for _, l := range w.lines {
		fmt.Fprintf(&out, "%12.6f %s\n", l.at.Seconds(), l.text)
	}
	return out.String()
}

// change changes what the recount knows of the topics.
func (w *world) change(f func(*recount.Topics)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w.produced)
}

// end returns the offset after the last record of a partition.
func (w *world) end(s recount.Source) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.produced.Ends[s]
}

// training returns a partition of the training topic as it is now.
func (w *world) training(partition int) recount.Source {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.produced.Source("training", partition)
}

func (w *world) isCalm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calm
}

// run lets things happen.
func (w *world) run() {
	for range w.o.Backlog {
		w.produce()
	}
	w.start(true, "", "")
	if w.rnd.IntN(2) == 0 { // else both append the first spec
		time.Sleep(w.moment(time.Second))
	}
	w.start(true, "", "")
	w.start(false, "", "")
	w.rebalance()
	for range 12 + w.rnd.IntN(24) {
		time.Sleep(w.moment(300 * time.Millisecond))
		w.step()
	}
}

// moment returns a random time.
func (w *world) moment(most time.Duration) time.Duration {
	return time.Duration(1 + w.rnd.Int64N(int64(most)))
}

// step lets something happen.
func (w *world) step() {
	for _, p := range w.processes {
		if p.isDead() && w.rnd.IntN(3) == 0 {
			w.restart(p)
		}
	}
	if w.places != nil && w.places.rnd.IntN(8) == 0 {
		w.respecify()
	}
	p := w.processes[w.rnd.IntN(len(w.processes))]
	switch n := w.rnd.IntN(26); {
	case n == 0 && w.o.Crash:
		w.count("crashes")
		w.trace("%s is killed", p.name)
		p.kill()
	case n == 1 && w.o.Pause:
		d := w.moment(15 * time.Second)
		w.count("pauses")
		w.trace("%s sleeps for %v", p.name, d)
		p.pause(d)
	case n == 2 || n == 3 && w.o.Zombies:
		w.rebalance()
	case n == 4 && w.o.Elect:
		w.elect(false)
	case n == 5 && w.o.Unclean:
		w.elect(true)
	case n == 6 && w.o.Recreate && w.rnd.IntN(2) == 0:
		w.recreate()
	case n == 7 && w.o.Cut:
		w.cut(p)
	case n == 8 && w.o.Vanish:
		w.vanish()
	case n == 9 && w.o.Markers:
		partition := w.rnd.IntN(partitions)
		w.memory.Skip("training", partition, 1)
		s := w.training(partition)
		w.change(func(t *recount.Topics) { t.Skip(s, 1) })
	case n == 10 && w.o.Controls:
		w.command()
	case n == 11 && w.o.Replace:
		w.replace()
	case n == 12 && w.o.Backup:
		w.save(p)
	case n < 16:
		w.sample(p)
	default:
		w.produce()
	}
}

// command has the operator append a control.
func (w *world) command() {
	w.started++
	name := fmt.Sprint("command ", w.started)
	operator := &client{world: w, process: &process{world: w, name: name}}
	ctx := w.actor(w.t.Context(), name)
	var do func() error
	kind := "voids with recount"
	switch rnd := actorOf(ctx).rnd; rnd.IntN(8) {
	case 0:
		kind = "resets"
		do = func() error { return w.build(ctx, operator, modellog.Reset("simulated")) }
	case 1, 2:
		kind = "renames"
		from, to := simulatedLabels[rnd.IntN(len(simulatedLabels))], simulatedLabels[rnd.IntN(len(simulatedLabels))]
		do = func() error { return w.build(ctx, operator, modellog.Rename(from, to, "simulated")) }
	case 3, 4, 5:
		kind = "rollbacks"
		to := max(1, int64(len(w.log()))-rnd.Int64N(8))
		do = func() error {
			w.trace("%s rolls back to offset %d", name, to)
			return w.build(ctx, operator, modellog.Rollback(to, "simulated"))
		}
	default:
		from := rnd.Int64N(1 + int64(len(w.log())))
		to := from + 1 + rnd.Int64N(3)
		do = func() error {
			_, err := modellog.VoidRecords(ctx, operator, "model", from, to, "simulated")
			w.trace("%s voids the records %d to %d", name, from, to-1)
			return err
		}
	}
	w.commands.Go(func() {
		err := do()
		w.trace("%s: %v", name, err)
		if err == nil {
			w.count(kind)
		}
	})
}

func (w *world) build(ctx context.Context, operator *client, build modellog.Build) error {
	_, err := modellog.Command(ctx, operator, "model", fold.New(true), build)
	return err
}

// rebalance tells the processes which partitions are theirs: as a rule each belongs to one, but no
// process can know.
func (w *world) rebalance() {
	for partition := range partitions {
		owner := w.rnd.IntN(len(w.processes))
		for i, p := range w.processes {
			p.own(partition, i == owner || w.o.Zombies && w.rnd.IntN(2) == 0)
		}
	}
}
