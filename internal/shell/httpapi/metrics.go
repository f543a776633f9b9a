package httpapi

import (
	"sync/atomic"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/wire"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The roles of a worker. Each has the metrics of what it does and none of what the other does.
const (
	Ingest   = "ingest"
	Classify = "classify"
)

// namespace is what the names of all our metrics begin with.
const namespace = "bayestream"

// Metrics counts what a worker does. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	folded       enumerated
	rebuilt      prometheus.Counter
	mismatched   prometheus.Counter
	deadLetters  enumerated
	skipped      enumerated
	guessed      enumerated
	lag          *prometheus.GaugeVec
	changed      enumerated
	assigned     prometheus.Gauge
	generations  prometheus.Counter
	fetched      prometheus.Counter
	fetchedSize  prometheus.Counter
	learned      prometheus.Counter
	newClasses   prometheus.Counter
	alikeClasses prometheus.Counter
	decided      enumerated
	labels       labelled
	confidence   prometheus.Histogram
	latency      prometheus.Histogram
	abstained    *prometheus.CounterVec
	shortened    enumerated
	exactly      prometheus.Gauge

	checkpointRows prometheus.Counter
	checkpointTime prometheus.Histogram
	checkpointAt   atomic.Pointer[time.Time] // at first, when the worker started; by the clock that nobody sets
	checkpointed   atomic.Pointer[Checkpoint]
}

// enumerated counts by one of some names. What has another one is unexpected: a label of a metric
// must not grow with the input. The series of a name is looked up once.
type enumerated struct {
	by    *prometheus.CounterVec
	known map[string]prometheus.Counter
}

func enumerate[T ~string](by *prometheus.CounterVec, names ...T) enumerated {
	e := enumerated{by, map[string]prometheus.Counter{}}
	for _, name := range names {
		e.known[string(name)] = by.WithLabelValues(string(name))
	}
	return e
}

// of returns the series of a name.
func (e enumerated) of(name string) prometheus.Counter {
	if c := e.known[name]; c != nil {
		return c
	}
	return e.by.WithLabelValues("unexpected")
}

// latencies are the bounds of the histogram of end-to-end latency, in seconds: from a decision in
// the same millisecond to a backlog of a minute.
var latencies = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// durations are the bounds for the time that a checkpoint takes: a few rows on a fast disk to a
// table of millions on a slow one.
var durations = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// confidences are the bounds of the histogram of posteriors: naive Bayes is mostly sure, so they
// are close below 1.
var confidences = []float64{.5, .6, .7, .8, .9, .95, .99, .999, .9999, 1}

// NewMetrics returns the metrics of a worker, with a registry of their own. Every series whose
// labels are known is there from the start, at zero, so that a rate sees the first increase.
func NewMetrics(role string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	now := time.Now()
	m.checkpointAt.Store(&now)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(role))
	m.registerCommon()
	var ingest, classify prometheus.Registerer // nil: the metrics are made, and nobody sees them
	if role != Classify {
		ingest = m.registry
	}
	if role != Ingest {
		classify = m.registry
	}
	m.registerIngest(ingest)
	m.registerClassify(classify)
	return m
}

// ObserveMemory adds the metrics of a budget. It must be called once.
func (m *Metrics) ObserveMemory(b *budget.Budget) {
	r := factory{promauto.With(m.registry)}
	r.gauge("memory_budget_bytes", "Bytes that all queues of the worker may hold (--memory).").Set(float64(b.Limit()))
	for _, k := range budget.Kinds() {
		held := factory{promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"kind": k.String()}, m.registry))}
		held.computed("memory_held_bytes", "Bytes that the queues of the worker hold, by kind.",
			func() float64 { return float64(b.Held(k)) })
	}
}

// Gatherer returns what a scrape reads.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

func (m *Metrics) registerCommon() {
	r := factory{promauto.With(m.registry)}
	m.folded = enumerate(r.counters("folded_entries_total",
		"Records of the model log that were folded, by what became of them.", "outcome"), fold.Outcomes...)
	m.rebuilt = r.counter("rebuilds_total", "Times the state was rebuilt because the model "+
		"log was another one than it came from.")
	m.mismatched = r.counter("digest_mismatches_total",
		"Deltas of the model log whose writer had counted something else than the log says.")
	m.deadLetters = enumerate(r.counters("dead_letters_total", "Records written to the dead-letter topic, by reason.",
		"reason"), wire.Reasons()...)
	m.guessed = enumerate(r.counters("guessed_mails_total", "Mails that were not as they declare, by what was guessed.",
		"what"), wire.Guessable()...)
	m.lag = r.gauges("lag_records", "Records of an assigned partition that are not worked on yet.", "partition")
	m.changed = enumerate(r.counters("topic_changes_total", "Times a partition of the input topic was found to be "+
		"another one than before, by what was done.", "action"), "stop", "continue", "recount", "restart")
	m.assigned = r.gauge("assigned_partitions", "Partitions that the consumer group gave to this worker.")
	m.generations = r.counter("group_generations_total",
		"Generations of the consumer group that this worker took part in; each is the end of a rebalance.")
	m.fetched = r.counter("fetched_records_total", "Records fetched from the worker's input topic.")
	m.fetchedSize = r.counter("fetched_bytes_total", "Bytes of values fetched from the worker's input topic.")
	m.checkpointRows = r.counter("checkpoint_rows_total", "Changed rows written to the model file.")
	m.checkpointTime = r.histogram("checkpoint_duration_seconds", "Time that a checkpoint of the model file took.",
		durations)
	r.computed("checkpoint_age_seconds", "Time since the last checkpoint of the model file; before the first one, since "+
		"the worker started.", m.checkpointAge)
}

func (m *Metrics) registerIngest(to prometheus.Registerer) {
	r := factory{promauto.With(to)}
	m.learned = r.counter("learned_records_total", "Records of the training topic that were counted.")
	m.newClasses = r.counter("new_classes_total", "Times a training record brought a class that had no documents.")
	m.alikeClasses = r.counter("alike_classes_total", "Times such a class looked, or was spelt, nearly like another one.")
	m.skipped = enumerate(r.counters("skipped_records_total", "Records of the training topic that were read and not "+
		"counted, by reason.", "reason"),
		append(wire.Reasons(), wire.UnknownID, wire.SkipLost, wire.SkipSuperseded, wire.SkipForwarded)...)
}

func (m *Metrics) registerClassify(to prometheus.Registerer) {
	r := factory{promauto.With(to)}
	m.decided = enumerate(r.counters("decisions_total", "Decisions that readers of the labels topic can see, by status.",
		"status"), model.StatusOK, model.StatusUnsure, model.StatusCold, model.StatusEmpty, model.StatusImpossible)
	m.labels.by = r.counters("decided_labels_total", "Decisions that readers of the labels topic can see, by label. The "+
		"first 64 labels are named, the others are summed as other.", "class")
	m.confidence = r.histogram("decision_confidence_ratio",
		"Posterior of the label of a decision that readers of the labels topic can see.", confidences)
	m.latency = r.histogram("decision_latency_seconds",
		"Time from the timestamp of a document's record until readers can see its decision.", latencies)
	m.shortened = enumerate(r.counters("shortened_decisions_total",
		"Decisions that were too large for their topic, by what was done at last.", "action"), wire.Shortenings...)
	m.exactly = r.gauge("exactly_once", "1 when decisions are delivered exactly once to readers of committed records, 0 "+
		"when at least once: because of --delivery, or because the brokers refuse transactions.")
	m.abstained = r.counters("abstained_blocks_total", "Decisions in which a block of the spec could not vote, by block.",
		"block")
}

// Folded counts a record of the model log.
func (m *Metrics) Folded(o fold.Outcome) { m.folded.of(string(o)).Inc() }

// Rebuilt counts a state that was thrown away because the log was another one.
func (m *Metrics) Rebuilt() { m.rebuilt.Inc() }

// Mismatched counts a delta whose writer had counted something else than the log says.
func (m *Metrics) Mismatched() { m.mismatched.Inc() }

// DeadLetter counts a record that the dead-letter topic has acknowledged.
func (m *Metrics) DeadLetter(reason string) { m.deadLetters.of(reason).Inc() }

// Skipped counts n records of the training topic that were read and not counted.
func (m *Metrics) Skipped(reason string, n int) {
	if n > 0 { // else the series is not to be there
		m.skipped.of(reason).Add(float64(n))
	}
}

// Guessed counts a mail of which something was guessed, one of wire.Guessable: each time it is read.
func (m *Metrics) Guessed(what string) { m.guessed.of(what).Inc() }

// TopicChanged counts a partition of the input topic that is another one than before.
func (m *Metrics) TopicChanged(action string) { m.changed.of(action).Inc() }

// Learned counts records whose delta the fold has accepted.
func (m *Metrics) Learned(records int) { m.learned.Add(float64(records)) }

// NewClass counts a class that had no documents before, and whether it is like another one.
func (m *Metrics) NewClass(isAlike bool) {
	m.newClasses.Inc()
	if isAlike {
		m.alikeClasses.Inc()
	}
}

// Decided counts a decision that readers of the labels topic can see, with the posterior of its
// label; the label is "" if there is none. The latency runs from the timestamp of the document's
// record. A negative one says that two clocks differ and nothing else, so it is left out of the
// histogram.
func (m *Metrics) Decided(status, label string, posterior float64, latency time.Duration) {
	if label != "" {
		m.labels.add(label)
		m.confidence.Observe(posterior)
	}
	m.decided.of(status).Inc()
	if latency >= 0 {
		m.latency.Observe(latency.Seconds())
	}
}

// Shortened counts a decision that readers can see, and that was too large for its topic as it was.
func (m *Metrics) Shortened(action string) { m.shortened.of(action).Inc() }

// ExactlyOnce says whether decisions are delivered exactly once, or at least once.
func (m *Metrics) ExactlyOnce(exactly bool) {
	m.exactly.Set(zeroOrOne(exactly))
}

// Abstained counts a decision in which a block could not vote. There are as many blocks as the spec
// names.
func (m *Metrics) Abstained(block string) { m.abstained.WithLabelValues(block).Inc() }

// Checkpoint notes that the model file was brought up to date at the time at.
func (m *Metrics) Checkpoint(rows int, took time.Duration, at time.Time) {
	m.checkpointRows.Add(float64(rows))
	m.checkpointTime.Observe(took.Seconds())
	m.checkpointAt.Store(&at)
	m.checkpointed.Store(&Checkpoint{Rows: rows, Seconds: took.Seconds()})
}

// LastCheckpoint returns the last checkpoint, nil before the first one.
func (m *Metrics) LastCheckpoint() *Checkpoint {
	last := m.checkpointed.Load()
	if last == nil {
		return nil
	}
	return &Checkpoint{m.checkpointAge(), last.Rows, last.Seconds}
}

// checkpointAge is computed by the scrape, so that it grows when checkpoints stop.
func (m *Metrics) checkpointAge() float64 {
	return time.Since(*m.checkpointAt.Load()).Seconds()
}

// Fetched counts what a fetch from the input topic brought.
func (m *Metrics) Fetched(records, bytes int) {
	m.fetched.Add(float64(records))
	m.fetchedSize.Add(float64(bytes))
}
