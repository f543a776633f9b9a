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
	"bayestream/internal/counts"

	"github.com/prometheus/client_golang/prometheus"
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

// stateCollector copies numbers under the lock and makes metrics of them outside, so that a scrape
// delays the fold only for the copy.
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
	var v view
	c.read(func(s *fold.State) { v = look(s) })
	v.collect(to)
}

// view is what a scrape shows of a state.
type view struct {
	next     int64
	classes  []classSize
	tables   []tableSize
	sources  []sourceProgress
	ledgers  bool
	recorded int
	owed     int
	race     *standings
	drift    *drifts
	decided  *prequential
	teachers fold.Teachers
	window   *fold.WindowState // nil: none
}

type classSize struct {
	name      string
	documents int64
}

type tableSize struct {
	name   string
	terms  int
	frozen bool
}

type sourceProgress struct {
	fold.Source
	fold.Progress
}

func look(s *fold.State) view {
	v := view{next: s.Next(), ledgers: s.KeepsLedger(), window: s.Window()}
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		v.sources = append(v.sources, sourceProgress{src, p})
		if l := s.Ledger(src); l != nil {
			v.recorded += l.Len()
			if v.window == nil {
				v.owed += l.OwedLen()
			}
		}
	}
	if m := s.Model(); m != nil {
		v.lookAtModel(m)
	}
	v.race = lookAtRace(s.Race())
	v.drift = lookAtDrift(s.Drift())
	v.decided = lookAtDecided(s.Prequential())
	v.teachers = maps.Clone(s.Teachers())
	return v
}

func (v *view) lookAtModel(m *model.Model) {
	classes := m.Classes()
	for _, c := range classes.Live() {
		v.classes = append(v.classes, classSize{classes.Name(c), classes.Documents(c)})
	}
	if t := m.Text(); t != nil {
		v.addTable("text", t)
	}
	for i := range m.Spec().ValueTables() {
		v.addTable(m.ValuesName(i), m.Values(i))
	}
}

func (v *view) addTable(name string, t *counts.Table) {
	v.tables = append(v.tables, tableSize{name, t.Vocabulary(), t.Frozen()})
}

func (v *view) collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(descPosition, float64(v.next))
	gauge(descClasses, float64(len(v.classes)))
	for name, documents := range nameClasses(v.classes) {
		gauge(descDocuments, float64(documents), name)
	}
	for _, t := range v.tables {
		gauge(descVocabulary, float64(t.terms), t.name)
		gauge(descFrozen, zeroOrOne(t.frozen), t.name)
	}
	for _, s := range v.sources {
		topic, partition := label(s.Topic), strconv.Itoa(int(s.Partition))
		gauge(descWatermark, float64(s.Watermark), topic, partition)
		gauge(descSkipped, float64(s.Skipped), topic, partition)
		gauge(descLost, float64(s.Lost), topic, partition)
		gauge(descGeneration, float64(s.Generation), topic, partition)
	}
	if v.ledgers {
		gauge(descLedger, float64(v.recorded))
		gauge(descOwed, float64(v.owed))
	}
	v.race.collect(gauge)
	v.drift.collect(gauge)
	v.decided.collect(to)
	collectTeachers(v.teachers, gauge)
	if w := v.window; w != nil {
		gauge(descWindowExact, zeroOrOne(w.IsExact()))
		gauge(descWindowGone, float64(w.Gone))
		if v.ledgers {
			gauge(descWindowOwed, float64(w.Owed))
		}
	}
}

func collectTeachers(t fold.Teachers, gauge func(*prometheus.Desc, float64, ...string)) {
	for name, n := range t {
		gauge(descTaught, float64(n.Labels), name)
		gauge(descJudged, float64(n.Agreed), name, "agreed")
		gauge(descJudged, float64(n.Corrected), name, "corrected")
	}
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
type factory struct{ to prometheus.Registerer }

func (f factory) register(c prometheus.Collector) {
	if f.to != nil {
		f.to.MustRegister(c)
	}
}

func (f factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	f.register(c)
	return c
}

func (f factory) counters(name, help, label string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
	f.register(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	f.register(g)
	return g
}

func (f factory) gauges(name, help, label string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
	f.register(g)
	return g
}

func (f factory) computed(name, help string, value func() float64) {
	f.register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value))
}

func (f factory) histogram(name, help string, bounds []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds})
	f.register(h)
	return h
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

// ForgetLag removes the lag of a partition that was revoked.
func (m *Metrics) ForgetLag(partition int) { m.lag.DeleteLabelValues(strconv.Itoa(partition)) }

// Assigned sets the partitions that the group assigned to this worker; nil ends a generation.
func (m *Metrics) Assigned(partitions []int) {
	m.assigned.Set(float64(len(partitions)))
	if partitions != nil {
		m.generations.Inc()
	}
}
