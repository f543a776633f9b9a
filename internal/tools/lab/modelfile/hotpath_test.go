package modelfile_test

import (
	"testing"

	"bayestream/bench/labelled"
	"bayestream/bench/timing"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/demo/news"
)

// The hot path by itself: bytes to decision and bytes to counts, without files, records and JSON.
// Each is given with what one core can do at all on the same text, as a ratio: limit is the time to
// cut it into words, hash them and fetch one random row for each, in plain Go.

type item struct {
	label string
	text  []byte
}

// A corpus is a labelled set of texts.
type corpus struct {
	name string
	read func(*testing.B) []item
}

// corpora are those of the benchmarks; the build tag largesets adds those that may not be
// republished.
var corpora = []corpus{
	{"news", func(*testing.B) []item { return ownNews(20_000) }},
	{"sms", func(b *testing.B) []item { return readItems(b, modeltest.Data(b, "sms_spam.jsonl.gz")) }},
}

// eachSet runs a benchmark on every set: learn is four fifths of it, test the rest.
func eachSet(b *testing.B, run func(b *testing.B, learn, test []item)) {
	for _, c := range corpora {
		b.Run(c.name, func(b *testing.B) {
			var learn, test []item
			for i, x := range c.read(b) {
				if i%5 == 0 {
					test = append(test, x)
				} else {
					learn = append(learn, x)
				}
			}
			run(b, learn, test)
		})
	}
}

func ownNews(n int) (items []item) {
	g := news.New(1)
	for range n {
		x := g.Next()
		items = append(items, item{x.Label, []byte(x.Text)})
	}
	return items
}

func readItems(b *testing.B, path string) (items []item) {
	b.Helper()
	if err := labelled.Each(path, func(x *labelled.Item) { items = append(items, item{x.Label, []byte(x.Text)}) }); err != nil {
		b.Fatal(err)
	}
	return items
}

// measure runs f, which goes through all items, and reports what a second of processor time is good
// for: on a machine that does other work too, the clock on the wall says less.
func measure(b *testing.B, items []item, f func()) {
	bytes := float64(size(items))
	b.ReportAllocs()
	start := timing.ProcessorSeconds()
	for b.Loop() {
		f()
	}
	seconds := (timing.ProcessorSeconds() - start) / float64(b.N)
	b.ReportMetric(bytes/1e6/seconds, "MB/cpu-s")
	b.ReportMetric(float64(len(items))/seconds, "docs/cpu-s")
}

func size(items []item) (n int64) {
	for i := range items {
		n += int64(len(items[i].text))
	}
	return n
}

// A learner counts items as train and ingest do.
type learner struct {
	extract *model.Extractor
	builder *model.Builder
	f       model.Features
	input   model.Input
	state   *fold.State
}

func newLearner(tb testing.TB) *learner {
	s, err := spec.Parse([]byte("text: {likelihood: multinomial, alpha: 1}"))
	if err != nil {
		tb.Fatal(err)
	}
	x, err := model.NewExtractor(s)
	if err != nil {
		tb.Fatal(err)
	}
	return &learner{extract: x, builder: model.NewBuilder(s), state: fold.Offline(s), input: model.Input{Segments: make([]model.Segment, 1)}}
}

func (l *learner) learn(tb testing.TB, items []item) {
	for i := range items {
		l.input.Segments[0].Text = items[i].text
		l.extract.Extract(&l.f, &l.input)
		l.builder.Observe(items[i].label, 1, &l.f)
		if i%2000 == 1999 || i == len(items)-1 {
			if err := l.state.Model().Apply(l.builder.Delta()); err != nil {
				tb.Fatal(err)
			}
			l.builder.Reset()
		}
	}
}

// BenchmarkClassify is raw text to decision with the ten strongest words, as bytes of text.
func BenchmarkClassify(b *testing.B) {
	eachSet(b, func(b *testing.B, learn, test []item) {
		l := newLearner(b)
		l.learn(b, learn)
		s := model.NewScorer()
		var d model.Decision
		run := func() {
			for i := range test {
				l.input.Segments[0].Text = test[i].text
				l.extract.Extract(&l.f, &l.input)
				s.Decide(&d, l.state.Model(), &l.f, "", model.Options{Evidence: 10})
			}
		}
		run()
		measure(b, test, run)
	})
}

// BenchmarkLearn is raw text to counts, as bytes of text.
func BenchmarkLearn(b *testing.B) {
	eachSet(b, func(b *testing.B, learn, _ []item) {
		l := newLearner(b)
		l.learn(b, learn)
		measure(b, learn, func() { l.learn(b, learn) })
	})
}

// BenchmarkLimit is what a core can do at all.
func BenchmarkLimit(b *testing.B) {
	eachSet(b, func(b *testing.B, _, test []item) {
		rows := make([][4]float32, 1<<20)
		for i := range rows {
			rows[i] = [4]float32{float32(i), 1, 2, 3}
		}
		measure(b, test, func() {
			for i := range test {
				limitSink += limit(test[i].text, rows)
			}
		})
	})
}

var limitSink float32

// isWord keeps letters, digits and bytes beyond ASCII, folded; 0 separates words.
var isWord = func() (table [256]byte) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c >= 0x80:
			table[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		}
	}
	return table
}()

func limit(text []byte, rows [][4]float32) float32 {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h, length := uint64(basis), 0
	var sum [4]float32
	for _, c := range text {
		if l := isWord[c]; l != 0 {
			h = (h ^ uint64(l)) * prime
			length++
			continue
		}
		if length >= 2 {
			r := &rows[(h^h>>32)%uint64(len(rows))]
			sum[0] += r[0]
			sum[1] += r[1]
			sum[2] += r[2]
			sum[3] += r[3]
		}
		h, length = basis, 0
	}
	return max(sum[0], sum[1], sum[2], sum[3])
}
