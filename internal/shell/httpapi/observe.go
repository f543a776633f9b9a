package httpapi

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// maxClasses is the number of classes with a series of their own. The others are summed as
// otherClasses.
const (
	maxClasses   = 64
	otherClasses = "other"
)

// ObserveState adds the metrics of a state: read runs a function under the lock that protects it.
// It must be called once.
func (m *Metrics) ObserveState(read func(func(*fold.State))) {
	m.registry.MustRegister(stateCollector{read})
}

// stateCollector makes the metrics under the lock and sends them outside, so that who is slow to
// take them does not delay the fold.
type stateCollector struct{ read func(func(*fold.State)) }

// Describe names no metric: which there are depends on the state.
func (c stateCollector) Describe(chan<- *prometheus.Desc) {}

// Collect reads the current state.
func (c stateCollector) Collect(to chan<- prometheus.Metric) {
	var out scrape
	c.read(out.look)
	size := out.gauges("class_documents", "Documents learned and not forgotten, by class and weight. The largest 64 "+
		"classes are named, the others are summed as other, and so is a class of that name.", "class")
	for _, name := range smaller(out.classes, func(n int64) int64 { return n }) { // sorted outside the lock
		if name != otherClasses {
			out.classes[otherClasses] += out.classes[name]
			delete(out.classes, name)
		}
	}
	for name, documents := range out.classes {
		size(float64(documents), name)
	}
	for _, metric := range out.metrics {
		to <- metric
	}
}

// scrape is what a scrape shows of a state.
type scrape struct {
	metrics []prometheus.Metric
	classes map[string]int64 // documents
}

// gauges returns what adds a gauge of a name, by the values of its labels.
func (out *scrape) gauges(name, help string, labels ...string) func(value float64, values ...string) {
	return out.series(prometheus.GaugeValue, name, help, labels...)
}

func (out *scrape) gauge(name, help string, value float64) {
	out.series(prometheus.GaugeValue, name, help)(value)
}

func (out *scrape) counter(name, help string, value float64) {
	out.series(prometheus.CounterValue, name, help)(value)
}

func (out *scrape) series(kind prometheus.ValueType, name, help string, labels ...string) func(float64, ...string) {
	d := prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
	return func(value float64, values ...string) {
		out.metrics = append(out.metrics, prometheus.MustNewConstMetric(d, kind, value, values...))
	}
}

func (out *scrape) look(s *fold.State) {
	out.gauge("log_next_offset", "Offset of the model log that is folded next.", float64(s.Next()))
	out.lookAtSources(s)
	if m := s.Model(); m != nil {
		out.lookAtModel(m)
	}
	out.gauge("classes", "Classes that have documents.", float64(len(out.classes)))
	if r := s.Race(); r != nil {
		out.lookAtRace(r)
	}
	if d := s.Drift(); d != nil {
		out.lookAtDrift(d)
	}
	if p := s.Prequential(); p != nil {
		out.lookAtDecided(p)
	}
	taught := out.gauges("teacher_labels", "Labels that were learned by a name, of the first 100 names.", "by")
	judged := out.gauges("teacher_judged_labels", "Labels learned by a name whose document somebody else labelled "+
		"then: the same (agreed), or otherwise (corrected).", "by", "verdict")
	for name, n := range s.Teachers() {
		taught(float64(n.Labels), name)
		judged(float64(n.Agreed), name, "agreed")
		judged(float64(n.Corrected), name, "corrected")
	}
}

func (out *scrape) lookAtSources(s *fold.State) {
	watermark := out.gauges("source_watermark", "Next offset to count of a partition that was learned from; its topic "+
		"is import/ and a checksum for a file.", "topic", "partition")
	skipped := out.gauges("source_skipped_records", "Records of a partition that were read and not counted.", "topic",
		"partition")
	lost := out.gauges("source_lost_records", "Records of a partition that were deleted before they were read, "+
		"which --accept-loss passed over.", "topic", "partition")
	generation := out.gauges("source_generation", "Times the topic of a partition was replaced by another one of its "+
		"name, whose counts were added.", "topic", "partition")
	var recorded, owed int
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		topic, partition := label(src.Topic), strconv.Itoa(int(src.Partition))
		watermark(float64(p.Watermark), topic, partition)
		skipped(float64(p.Skipped), topic, partition)
		lost(float64(p.Lost), topic, partition)
		generation(float64(p.Generation), topic, partition)
		if l := s.Ledger(src); l != nil {
			recorded += l.Len()
			owed += l.OwedLen()
		}
	}
	w := s.Window()
	if w != nil {
		out.gauge("window_exact", "With limits.window: 1 while the counts are those of a model that has learned the window "+
			"alone, else 0.", zeroOrOne(w.IsExact()))
		out.gauge("window_gone_documents", "With limits.window: documents that have left the window and stay counted, "+
			"because their texts are gone.", float64(w.Gone))
		owed = 0 // what is owed has left the window
	}
	if s.KeepsLedger() {
		out.gauge("ledger_documents", "Documents that can be replaced or forgotten by id.", float64(recorded))
		out.gauge("owed_forgets", "Documents that were forgotten behind a rollback and are still counted.", float64(owed))
		if w != nil {
			out.gauge("window_owed_documents",
				"With limits.window: documents that have left the window and are still counted.", float64(w.Owed))
		}
	}
}

func (out *scrape) lookAtModel(m *model.Model) {
	classes := m.Classes()
	out.classes = map[string]int64{}
	for _, c := range classes.Live() {
		out.classes[label(classes.Name(c))] += classes.Documents(c)
	}
	vocabulary := out.gauges("vocabulary_terms", "Distinct terms with a count, by table: text, or a categorical field "+
		"of the spec as categories[i].", "table")
	frozen := out.gauges("vocabulary_frozen",
		"1 when a table has reached limits.terms and admits no new term, else 0.", "table")
	for i, t := range m.Tables() {
		vocabulary(float64(t.Vocabulary()), m.TableName(i))
		frozen(zeroOrOne(t.Frozen()), m.TableName(i))
	}
}

func zeroOrOne(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// smaller returns the names of classes behind the maxClasses largest, of ties those that come last.
func smaller[T any](classes map[string]T, size func(T) int64) []string {
	names := slices.SortedFunc(maps.Keys(classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(size(classes[b]), size(classes[a])), cmp.Compare(a, b))
	})
	return names[min(len(names), maxClasses):]
}

// label returns a valid value of a label, which must be UTF-8: names come from records.
func label(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// factory makes metrics with our prefix and registers them. Without a registry it only makes them,
// for the methods of the other role.
type factory struct{ promauto.Factory }

func (f factory) counter(name, help string) prometheus.Counter {
	return f.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func (f factory) counters(name, help, label string) *prometheus.CounterVec {
	return f.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	return f.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
}

func (f factory) gauges(name, help, label string) *prometheus.GaugeVec {
	return f.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
}

func (f factory) computed(name, help string, value func() float64) {
	f.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value)
}

func (f factory) histogram(name, help string, bounds []float64) prometheus.Histogram {
	return f.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds})
}

// labelled counts by class. The first maxClasses classes have a series of their own, the others are
// summed as otherClasses.
type labelled struct {
	by *prometheus.CounterVec

	mu    sync.RWMutex
	known map[string]prometheus.Counter
}

func (l *labelled) add(class string) {
	l.mu.RLock()
	c := l.known[class]
	l.mu.RUnlock()
	if c == nil {
		c = l.begin(class)
	}
	c.Inc()
}

// begin returns the series of a class that is counted for the first time.
func (l *labelled) begin(class string) prometheus.Counter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[string]prometheus.Counter{}
	}
	if len(l.known) >= maxClasses && l.known[class] == nil {
		return l.by.WithLabelValues(otherClasses)
	}
	c := l.by.WithLabelValues(label(class))
	l.known[class] = c
	return c
}

// Lag sets the number of unprocessed records of a partition.
func (m *Metrics) Lag(partition int, records int64) {
	m.lag.WithLabelValues(strconv.Itoa(partition)).Set(float64(max(0, records)))
}

// Assigned sets the partitions that the group assigned to this worker; nil ends a generation, and
// the lag of its partitions.
func (m *Metrics) Assigned(partitions []int) {
	m.assigned.Set(float64(len(partitions)))
	if partitions == nil {
		m.lag.Reset()
	} else {
		m.generations.Inc()
	}
}
