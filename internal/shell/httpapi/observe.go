package httpapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/counts"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// maxClasses is the number of classes with a series of their own. The others are summed as
// otherClasses.
const (
	maxClasses   = 64
	otherClasses = "other"
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

var (
	descDocuments = describe("class_documents", "Documents learned and not forgotten, by "+
		"class and weight. The largest 64 classes are named, "+
		"the others are summed as other, and so is a class of that name.", "class")
	descClasses    = describe("classes", "Classes that have documents.")
	descVocabulary = describe("vocabulary_terms", "Distinct terms with a count, by table: text, or a categorical field "+
		"of the spec as categories[i].", "table")
	descFrozen = describe("vocabulary_frozen", "1 when a table has reached limits.terms "+
		"and admits no new term, else 0.", "table")
	descPosition  = describe("log_next_offset", "Offset of the model log that is folded next.")
	descWatermark = describe("source_watermark", "Next offset to count of a partition that was learned from; its topic "+
		"is import/ and a checksum for a file.", "topic", "partition")
	descSkipped = describe("source_skipped_records", "Records of a partition that were read and not counted.", "topic",
		"partition")
	descLost = describe("source_lost_records", "Records of a partition that were deleted before they were read, "+
		"which --accept-loss passed over.", "topic", "partition")
	descGeneration = describe("source_generation", "Times the topic of a partition was replaced by another one of its "+
		"name, whose counts were added.", "topic", "partition")
	descLedger = describe("ledger_documents", "Documents that can be replaced or forgotten by id.")
	descTaught = describe("teacher_labels", "Labels that were learned by a name, of the first 100 names.", "by")
	descJudged = describe("teacher_judged_labels", "Labels learned by a name whose document somebody else labelled "+
		"then: the same (agreed), or otherwise (corrected).", "by", "verdict")
	descOwed = describe("owed_forgets", "Documents that were forgotten behind a rollback and are still counted.")

	descWindowExact = describe("window_exact", "With limits.window: 1 while the counts are those of a model that has "+
		"learned the window alone, else 0.")
	descWindowOwed = describe("window_owed_documents",
		"With limits.window: documents that have left the window and are still counted.")
	descWindowGone = describe("window_gone_documents",
		"With limits.window: documents that have left the window and stay counted, because their texts are gone.")
)

// ObserveState adds the metrics of a state: read runs a function under the lock that protects it.
// It must be called once.
func (m *Metrics) ObserveState(read func(func(*fold.State))) {
	m.registry.MustRegister(stateCollector{read})
}

// stateCollector makes the metrics under the lock and sends them outside, so that who is slow to
// take them does not delay the fold.
type stateCollector struct{ read func(func(*fold.State)) }

// Describe names the metrics of a state.
func (c stateCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descDocuments, descClasses, descVocabulary, descFrozen, descPosition,
		descWatermark, descSkipped, descLost, descGeneration, descLedger, descOwed, descWindowExact, descWindowOwed,
		descWindowGone, descRaceScored, descRaceErrors, descRaceLoss, descRaceLeader, descDrifts, descDriftAt, descExcess} {
		to <- d
	}
	for _, d := range slices.Concat(prequentialDescs, []*prometheus.Desc{descTaught, descJudged}) {
		to <- d
	}
}

// Collect reads the current state.
func (c stateCollector) Collect(to chan<- prometheus.Metric) {
	var out scrape
	c.read(out.look)
	for name, documents := range nameClasses(out.classes) { // which sorts them: outside the lock
		out.gauge(descDocuments, float64(documents), name)
	}
	for _, metric := range out.metrics {
		to <- metric
	}
}

// scrape is what a scrape shows of a state.
type scrape struct {
	metrics []prometheus.Metric
	classes []classSize
}

type classSize struct {
	name      string
	documents int64
}

func (out *scrape) gauge(d *prometheus.Desc, value float64, labels ...string) {
	out.metrics = append(out.metrics, prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...))
}

func (out *scrape) counter(d *prometheus.Desc, value float64) {
	out.metrics = append(out.metrics, prometheus.MustNewConstMetric(d, prometheus.CounterValue, value))
}

func (out *scrape) look(s *fold.State) {
	out.gauge(descPosition, float64(s.Next()))
	out.lookAtSources(s)
	if m := s.Model(); m != nil {
		out.lookAtModel(m)
	}
	out.gauge(descClasses, float64(len(out.classes)))
	if r := s.Race(); r != nil {
		out.lookAtRace(r)
	}
	if d := s.Drift(); d != nil {
		out.lookAtDrift(d)
	}
	if p := s.Prequential(); p != nil {
		out.lookAtDecided(p)
	}
	for name, n := range s.Teachers() {
		out.gauge(descTaught, float64(n.Labels), name)
		out.gauge(descJudged, float64(n.Agreed), name, "agreed")
		out.gauge(descJudged, float64(n.Corrected), name, "corrected")
	}
}

func (out *scrape) lookAtSources(s *fold.State) {
	var recorded, owed int
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		topic, partition := label(src.Topic), strconv.Itoa(int(src.Partition))
		out.gauge(descWatermark, float64(p.Watermark), topic, partition)
		out.gauge(descSkipped, float64(p.Skipped), topic, partition)
		out.gauge(descLost, float64(p.Lost), topic, partition)
		out.gauge(descGeneration, float64(p.Generation), topic, partition)
		if l := s.Ledger(src); l != nil {
			recorded += l.Len()
			owed += l.OwedLen()
		}
	}
	w := s.Window()
	if w != nil {
		out.gauge(descWindowExact, zeroOrOne(w.IsExact()))
		out.gauge(descWindowGone, float64(w.Gone))
		owed = 0 // what is owed has left the window
	}
	if s.KeepsLedger() {
		out.gauge(descLedger, float64(recorded))
		out.gauge(descOwed, float64(owed))
		if w != nil {
			out.gauge(descWindowOwed, float64(w.Owed))
		}
	}
}

func (out *scrape) lookAtModel(m *model.Model) {
	classes := m.Classes()
	for _, c := range classes.Live() {
		out.classes = append(out.classes, classSize{classes.Name(c), classes.Documents(c)})
	}
	if t := m.Text(); t != nil {
		out.lookAtTable("text", t)
	}
	for i := range m.Spec().ValueTables() {
		out.lookAtTable(m.ValuesName(i), m.Values(i))
	}
}

func (out *scrape) lookAtTable(name string, t *counts.Table) {
	out.gauge(descVocabulary, float64(t.Vocabulary()), name)
	out.gauge(descFrozen, zeroOrOne(t.Frozen()), name)
}

func zeroOrOne(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// nameClasses returns the documents of the largest classes, ties by name, and the sum of the
// others. A class named like the sum is added to it: two series of one name would fail the scrape.
func nameClasses(classes []classSize) map[string]int64 {
	slices.SortFunc(classes, bySize)
	named := map[string]int64{}
	for i, c := range classes {
		if i < maxClasses {
			named[label(c.name)] += c.documents
		} else {
			named[otherClasses] += c.documents
		}
	}
	return named
}

// bySize orders classes by their documents, the largest first, and ties by name.
func bySize(a, b classSize) int {
	return cmp.Or(cmp.Compare(b.documents, a.documents), strings.Compare(a.name, b.name))
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
