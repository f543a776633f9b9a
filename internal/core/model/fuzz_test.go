package model_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// fuzzed are specs with every kind of block, none of them regularised more than it says.
var fuzzed = []string{
	"text: {}\nnumbers: [{fields: [x, y]}]\ncategories: [{field: k}]",
	"text: {likelihood: bernoulli, alpha: 1e-300}\nnumbers: [{fields: [x, y], variance: shared, denominator: unbiased}]\nprior: uniform",
	"text: {likelihood: complement, weight: 1e100}\nnumbers: [{fields: [x, y, z], variance: isotropic}]",
	"text: {likelihood: one_vs_all, weight: 2, alpha: 1e-100}\ncategories: [{field: k}]",
	"text: {likelihood: complement, norm: true, alpha: 1e100, weight: 3}\ncategories: [{field: k, alpha: 1e-300, values: [a, q]}]",
	"numbers: [{fields: [x, y, z], likelihood: lda}]\nprior: {a: 1e308, b: 1e308, c: 1e-308}",
	"numbers: [{fields: [x, y, z], likelihood: lda, shrinkage: 0.5, denominator: unbiased}]\ndecision: {reject: 0.1, loss: {a: {b: 1e5}}}",
	"numbers: [{fields: [x, y, z], likelihood: lda, shrinkage: oas, scale: 1}]",
	"numbers: [{fields: [x, y], likelihood: qda}, {fields: [z]}]\ncategories: [{field: k}]\nprior: {pseudo: {a: 1e308, b: 1}}",
	"numbers: [{fields: [x, y, z], likelihood: qda, reg_param: 0.01, scale: 1e-15}]",
	"numbers: [{fields: [x], likelihood: qda, denominator: unbiased}, {fields: [y], likelihood: lda}, {fields: [z], var_smoothing: 1e300}]\ndecision: {ties: random}",
	"histograms: [{field: x, from: -1, to: 1, bins: 3, alpha: 1e-300}, {field: y, from: 0, to: 1e-9, bins: 1000}]\nnumbers: [{fields: [x, y], var_smoothing: 1e-9}]",
}

// stream reads documents out of the bytes of a fuzzer; when they end, all is zero.
type stream struct{ bytes []byte }

func (s *stream) next() byte {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return b
}

// number is small and often equal to another, or as large as they come, or anything.
func (s *stream) number() model.Number {
	switch b := s.next(); {
	case b < 20:
		return model.Number{}
	case b < 200:
		return model.Number{Value: int64(b%8) * 1e9, Present: true}
	case b < 210:
		return model.Number{Value: math.MaxInt64, Present: true}
	case b < 220:
		return model.Number{Value: -math.MaxInt64, Present: true}
	case b < 235:
		return model.Number{Value: int64(b % 3), Present: true}
	default:
		var raw [8]byte
		for i := range raw {
			raw[i] = s.next()
		}
		v := max(int64(binary.LittleEndian.Uint64(raw[:])), -math.MaxInt64)
		return model.Number{Value: v >> (b % 64), Present: true}
	}
}

func (s *stream) document() modeltest.Document {
	b := s.next()
	d := modeltest.Document{Label: string("abc"[b%3]), Weight: 1, Features: &model.Features{}}
	if b > 250 {
		d.Weight = 1000
	}
	for bits := s.next(); bits > 0; bits >>= 1 {
		if bits&1 > 0 {
			d.Features.Bag.AddN([]byte{'p' + bits%5}, uint32(1+bits%3))
		}
	}
	for range 3 {
		d.Features.Numbers = append(d.Features.Numbers, s.number())
	}
	c := s.next()
	d.Features.Categories = []model.Category{{Value: []byte{"qrst"[c%4]}, Present: c < 200}}
	return d
}

// FuzzDecideNeverNaN learns a few documents under every spec, forgets a class to nothing, and looks
// at decisions on the way: all numbers in them are finite, posteriors add up to 1, and a block that
// cannot be evaluated says nothing and is reported.
func FuzzDecideNeverNaN(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 100, 100, 100, 0})                                                       // n = 1
	f.Add([]byte{0, 1, 100, 100, 100, 0, 0, 1, 100, 100, 100, 0, 1, 2, 101, 101, 101, 1})       // no variance
	f.Add([]byte{0, 1, 100, 101, 102, 0, 0, 1, 103, 102, 100, 0, 0, 1, 101, 105, 100, 0, 1})    // n = d
	f.Add([]byte{0, 1, 205, 215, 205, 0, 0, 1, 215, 205, 205, 0, 1, 3, 205, 205, 215, 0, 1, 1}) // the range of numbers
	// units of the last place
	f.Add([]byte{0, 1, 220, 221, 222, 0, 1, 1, 221, 222, 220, 0, 0, 9, 222, 220, 221, 0, 1, 255})
	f.Add(slices.Repeat([]byte{0, 7, 100, 103, 101, 3, 1, 9, 105, 102, 106, 2, 253, 20, 101, 104, 100, 1, 4, 3, 103, 101, 104, 250}, 3))
	f.Add(slices.Repeat([]byte{1, 1, 0, 100, 0, 220, 0, 2, 101, 0, 100, 1}, 4)) // missing ones
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, yaml := range fuzzed {
			spec := modeltest.Spec(t, yaml)
			s := &stream{bytes: data}
			m := model.New(spec)
			var docs []modeltest.Document
			for len(docs) < 16 && (len(s.bytes) > 0 || len(docs) == 0) {
				docs = append(docs, s.document())
				learnAll(t, m, 1, docs[len(docs)-1:])
				checkDecisions(t, yaml, m, docs)
			}
			forgotten := docs[0].Label
			learnAll(t, m, -1, slices.DeleteFunc(slices.Clone(docs), func(d modeltest.Document) bool { return d.Label != forgotten }))
			checkDecisions(t, yaml, m, docs)
		}
	})
}

func learnAll(t *testing.T, m *model.Model, sign int64, docs []modeltest.Document) {
	modeltest.Learn(t, m, sign, docs...)
}

// checkDecisions decides on the last documents and on one that lies as far out as numbers go.
func checkDecisions(t *testing.T, yaml string, m *model.Model, docs []modeltest.Document) {
	far := &model.Features{Categories: []model.Category{{Value: []byte("z"), Present: true}}}
	far.Bag.AddN([]byte("p"), 1000)
	for _, v := range []int64{math.MaxInt64, -math.MaxInt64, math.MaxInt64} {
		far.Numbers = append(far.Numbers, model.Number{Value: v, Present: true})
	}
	for _, f := range []*model.Features{far, docs[0].Features, docs[len(docs)-1].Features} {
		s := model.NewScorer()
		var d model.Decision
		s.Decide(&d, m, f, "id", model.Options{})
		checkFinite(t, yaml, &d)
		checkAbstained(t, yaml, m, f, s, &d)
	}
}

func checkFinite(t *testing.T, yaml string, d *model.Decision) {
	sum := 0.0
	finite := func(what string, v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%s\n%s is %v in %+v", yaml, what, v, d)
		}
	}
	for _, c := range d.Classes {
		finite("the log posterior of "+c.Name, c.LogPosterior)
		finite("the posterior of "+c.Name, c.Posterior)
		finite("the log prior of "+c.Name, c.LogPrior)
		finite("the risk of "+c.Name, c.Risk)
		sum += c.Posterior
	}
	for _, e := range d.Evidence {
		finite("the weight of "+e.Term+e.Block, e.Weight)
	}
	finite("the margin", d.Margin)
	finite("the rest", d.Rest)
	if len(d.Classes) > 0 && math.Abs(sum-1) > 1e-9 {
		t.Fatalf("%s\nposteriors add up to %v in %+v", yaml, sum, d)
	}
	if d.Labelled != (len(d.Classes) > 0) {
		t.Fatalf("%s\n%d classes, labelled %v", yaml, len(d.Classes), d.Labelled)
	}
}

// checkAbstained asks each class by itself whether it can evaluate a block that the document has.
func checkAbstained(t *testing.T, yaml string, m *model.Model, f *model.Features, s *model.Scorer, d *model.Decision) {
	live := m.Classes().Live()
	if len(live) == 0 {
		return
	}
	all := m.Spec().NumberFields()
	for i := range m.Spec().Numbers {
		n := &m.Spec().Numbers[i]
		var x []model.Number
		present := 0
		for _, field := range n.Fields {
			v := f.Numbers[slices.Index(all, field)]
			if x = append(x, v); v.Present {
				present++
			}
		}
		has := present == len(x) || present > 0 && !n.Full()
		able := true
		for _, c := range live {
			able = able && m.Numbers(i).Problem(c, x).Reason == ""
		}
		if got, want := slices.Contains(s.Abstained(), i), has && !able; got != want {
			t.Fatalf("%s\n%s abstained: %v, want %v; the document has it: %v", yaml, m.NumbersName(i), got, want, has)
		}
		evidence := slices.ContainsFunc(d.Evidence, func(e model.Evidence) bool { return e.Block == m.NumbersName(i) })
		if want := has && able && len(live) > 1; evidence != want {
			t.Fatalf("%s\n%s is evidence: %v, want %v", yaml, m.NumbersName(i), evidence, want)
		}
	}
}
