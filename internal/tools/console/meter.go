package console

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/status"
)

// Bounds on what the meter keeps.
const (
	seconds      = 60               // of the rates
	rateSeconds  = 10               // of a rate
	mostTimed    = 8192             // latencies
	meteredNames = 64               // labels; the others are summed
	otherLabels  = "(other labels)" // of the sum
	measureEach  = 2 * time.Second
	askAgain     = 500 * time.Millisecond // while something is wrong, which a person waits for
	mostLook     = 2 * time.Second        // that somebody waits for a look
	describeRate = 40                     // batches a second, at most, whose texts are fetched as they come
)

// meter counts what comes.
type meter struct {
	mu        sync.Mutex
	total     int64
	statuses  map[string]int64
	labels    map[string]*counter // "" without a label
	all       counter
	timed     []timed // a ring
	nextTime  int
	described time.Time          // when credit was right
	credit    float64            // of describeRate
	sampled   time.Time          // when a stream was sent a sample last
	behind    map[wire.Ref]int64 // by partition of the labels: what is not read yet. The offset is 0
}

// counter counts by second.
type counter struct {
	total  int64
	second [seconds]int64
	count  [seconds]int64
}

func (c *counter) add(now time.Time) {
	at := now.Unix()
	i := at % seconds
	if c.second[i] != at {
		c.second[i] = at
		c.count[i] = 0
	}
	c.count[i]++
	c.total++
}

// at returns the count of a second.
func (c *counter) at(second int64) int64 {
	if i := second % seconds; c.second[i] == second {
		return c.count[i]
	}
	return 0
}

// rate returns how many came in a second, over the last whole seconds.
func (c *counter) rate(now time.Time) float64 {
	sum := int64(0)
	for s := range int64(rateSeconds) {
		sum += c.at(now.Unix() - 1 - s)
	}
	return float64(sum) / rateSeconds
}

// timed is how long a document took to its decision.
type timed struct {
	at   time.Time
	took time.Duration
}

func newMeter() *meter {
	return &meter{statuses: map[string]int64{}, labels: map[string]*counter{}, behind: map[wire.Ref]int64{}}
}

// decided counts a decision that came now.
func (m *meter) decided(e *entry, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total++
	m.statuses[e.Status]++
	m.all.add(now)
	name := ""
	if e.Label != nil {
		name = *e.Label
	}
	if m.labels[name] == nil && len(m.labels) >= meteredNames {
		name = otherLabels
	}
	if m.labels[name] == nil {
		m.labels[name] = &counter{}
	}
	m.labels[name].add(now)
	t := timed{now, now.Sub(e.Time)}
	if len(m.timed) < mostTimed {
		m.timed = append(m.timed, t)
	} else {
		m.timed[m.nextTime] = t
		m.nextTime = (m.nextTime + 1) % mostTimed
	}
}

// mayDescribe reports whether the texts of a batch may be fetched now: not those of all of many
// small batches.
func (m *meter) mayDescribe(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.credit = min(describeRate, m.credit+describeRate*now.Sub(m.described).Seconds())
	m.described = now
	if m.credit < 1 {
		return false
	}
	m.credit--
	return true
}

// reached notes how far a partition of labels was read.
func (m *meter) reached(topic string, partition int, next, end int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.behind[wire.Ref{Topic: topic, Partition: partition}] = max(0, end-next)
}

// thinned notes that a stream was sent a sample.
func (m *meter) thinned(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sampled = now
}

// latency returns quantiles of the latencies of the last seconds.
func (m *meter) latency(now time.Time) latencyJSON {
	var took []time.Duration
	for _, t := range m.timed {
		if now.Sub(t.at) < rateSeconds*time.Second {
			took = append(took, max(0, t.took))
		}
	}
	l := latencyJSON{Decisions: len(took)}
	if len(took) == 0 {
		return l
	}
	slices.Sort(took)
	at := func(q float64) *float64 {
		return finite(float64(took[int(q*float64(len(took)-1))]) / float64(time.Millisecond))
	}
	l.P50, l.P99 = at(0.5), at(0.99)
	return l
}

// rates returns the labels, the most frequent first.
func (m *meter) rates(now time.Time) []labelRateJSON {
	out := []labelRateJSON{}
	for name, c := range m.labels {
		r := labelRateJSON{PerSecond: c.rate(now), Decisions: c.total}
		if name != "" {
			r.Label = &name
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b labelRateJSON) int {
		return cmp.Or(cmp.Compare(b.Decisions, a.Decisions), cmp.Compare(nameOf(a.Label), nameOf(b.Label)))
	})
	return out
}

func nameOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// measure asks the brokers, the workers and the replica now and then how far they are, and when
// somebody asks.
func (c *Console) measure(ctx context.Context) error {
	var asked []chan<- struct{} // each is closed behind a look that began after the question
	for {
		isSettled := c.measureOnce(ctx)
		if isSettled {
			for _, done := range asked {
				close(done)
			}
			asked = nil
		}
		wait := measureEach
		switch s := c.health.Load(); {
		case len(asked) > 0:
			wait = lookSoon
		case s == nil || !s.IsWell():
			wait = askAgain
		}
		next := time.NewTimer(wait)
		select {
		case done := <-c.looked:
			asked = append(asked, done)
		case <-next.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		next.Stop()
		asked = c.moreAsked(asked)
	}
}

// moreAsked adds who else waits for a look.
func (c *Console) moreAsked(asked []chan<- struct{}) []chan<- struct{} {
	for {
		select {
		case done := <-c.looked:
			asked = append(asked, done)
		default:
			return asked
		}
	}
}

// latest waits for a new look, and returns the last one after mostLook.
func (c *Console) latest(ctx context.Context) *status.Status {
	enough := time.NewTimer(mostLook)
	defer enough.Stop()
	done := make(chan struct{})
	select {
	case c.looked <- done:
		select {
		case <-done:
		case <-enough.C:
		case <-ctx.Done():
		}
	case <-enough.C:
	case <-ctx.Done():
	}
	return c.health.Load()
}

// measureOnce looks at the pipeline. While the last decisions are read, documents would seem to
// wait that were decided; a log without a spec has none. It reports false while the console has yet
// to read what is there.
func (c *Console) measureOnce(ctx context.Context) (isSettled bool) {
	workers := status.AskAll(ctx, c.workers)
	now := time.Now()
	var model *status.Model
	hasSpec := false
	c.replica.Read(func(s *fold.State) {
		hasSpec = s.Spec() != nil
		model = status.ModelOf(s)
	})
	ready := c.ready.Load()
	if hasSpec && !ready {
		return false
	}
	c.trend.note(now, c.replica)
	s := c.watcher.Look(ctx, now, model)
	s.Workers = workers
	var own httpapi.Digest
	c.replica.Read(func(s *fold.State) { own = httpapi.NewDigest(s) })
	s.Agree = status.Agree(&own, s.Workers)
	s.Judge()
	c.health.Store(s)
	_, behind := c.replica.Freshness()
	return ready || behind == 0 || !slices.ContainsFunc(s.Topics, func(t status.Topic) bool {
		return t.Name == c.options.Topics.Model && t.Records > 0
	})
}
