package fold_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
	recounted "bayestream/internal/testing/recount"
	"bayestream/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"
)

// recount counts records with maps and big integers: it shares no code with what it is compared
// with.
type recount struct {
	spec      *spec.Spec
	documents map[string]int64
	tables    []map[string]map[string]int64 // text, categories, histograms, lengths: by term, then class
	numbers   []map[string]*moments         // by block, then class
	learned   map[string]*storetest.Record  // by id
}

// moments are by field; in a full block n has one entry and products hold all pairs i <= j.
type moments struct {
	n             []int64
	sum, products []*big.Int
}

func newRecount(s *spec.Spec) *recount {
	r := &recount{spec: s, documents: map[string]int64{}, learned: map[string]*storetest.Record{}}
	for range 1 + len(s.Categories) + len(s.Histograms) + spec.TextTables {
		r.tables = append(r.tables, map[string]map[string]int64{})
	}
	for range s.Numbers {
		r.numbers = append(r.numbers, map[string]*moments{})
	}
	return r
}

// partition counts the records of one partition, but for the offsets that were skipped.
func (r *recount) partition(records []storetest.Record, skipped map[int64]bool) {
	clear(r.learned) // ids belong to a partition
	for i := range records {
		if skipped[int64(i)] {
			continue
		}
		r.record(&records[i])
	}
}

func (r *recount) record(rec *storetest.Record) {
	if before := r.learned[rec.ID]; rec.ID != "" && before != nil {
		r.add(before, -1)
		delete(r.learned, rec.ID)
	}
	if rec.Label == "" {
		return
	}
	r.add(rec, 1)
	if rec.ID != "" {
		r.learned[rec.ID] = rec
	}
}

func (r *recount) add(rec *storetest.Record, sign int64) {
	w := sign * rec.Weight
	r.documents[rec.Label] += w
	text := map[string]int64{}
	for _, word := range strings.Fields(rec.Text) {
		if text[word] == 0 || r.spec.Text.Likelihood == spec.Multinomial {
			text[word]++
		}
	}
	for word, n := range text {
		r.count(0, word, rec.Label, n*w)
	}
	words := strings.Fields(rec.Text)
	at := len(r.tables) - spec.TextTables
	for i, size := range recounted.Shape(words) {
		r.count(at+i, size, rec.Label, w)
	}
	if len(words) > 0 {
		at += spec.ShapeTables
		r.count(at, words[0], rec.Label, w)
		r.count(at+1, recounted.Last(words), rec.Label, w)
	}
	for i, c := range rec.Categories {
		if c.Present {
			r.count(1+i, string(c.Value), rec.Label, w)
		}
	}
	for i := range r.spec.Histograms {
		h := &r.spec.Histograms[i]
		if x := rec.Numbers[slices.Index(r.spec.NumberFields(), h.Field)]; x.Present {
			r.count(1+len(rec.Categories)+i, strconv.Itoa(bin(h, x.Value)), rec.Label, w)
		}
	}
	for i := range r.spec.Numbers {
		r.observe(i, rec, w)
	}
}

// bin is where v, in units of 1e-9, falls; what lies outside belongs to the outer bins.
func bin(h *spec.Histogram, v int64) int {
	x := float64(v) / 1e9
	n := math.Floor((x - h.From) / (h.To - h.From) * float64(h.Bins))
	return int(min(max(n, 0), float64(h.Bins-1)))
}

func (r *recount) count(table int, term, class string, n int64) {
	row := r.tables[table][term]
	if row == nil {
		row = map[string]int64{}
		r.tables[table][term] = row
	}
	row[class] += n
}

func (r *recount) observe(block int, rec *storetest.Record, w int64) {
	n := &r.spec.Numbers[block]
	all := r.spec.NumberFields()
	var x []gaussian.Number
	for _, f := range n.Fields {
		x = append(x, rec.Numbers[slices.Index(all, f)])
	}
	m := r.numbers[block][rec.Label]
	if m == nil {
		m = &moments{n: make([]int64, len(x)), sum: zeros(len(x)), products: zeros(len(x) * len(x))}
		r.numbers[block][rec.Label] = m
	}
	if n.Full() && slices.ContainsFunc(x, func(v gaussian.Number) bool { return !v.Present }) {
		return
	}
	for i, a := range x {
		if !a.Present {
			continue
		}
		m.n[i] += w
		addProduct(m.sum[i], a.Value, 1, w)
		for j, b := range x {
			if b.Present {
				addProduct(m.products[i*len(x)+j], a.Value, b.Value, w)
			}
		}
	}
}

func zeros(n int) []*big.Int {
	out := make([]*big.Int, n)
	for i := range out {
		out[i] = new(big.Int)
	}
	return out
}

func addProduct(sum *big.Int, x, y, w int64) {
	p := new(big.Int).Mul(big.NewInt(x), big.NewInt(y))
	sum.Add(sum, p.Mul(p, big.NewInt(w)))
}

// dump is what model.Model.Dump must say, without the numbers.
func (r *recount) dump() string {
	var out strings.Builder
	for _, class := range slices.Sorted(maps.Keys(r.documents)) {
		if n := r.documents[class]; n != 0 {
			fmt.Fprintf(&out, "class %q %d\n", class, n)
		}
	}
	for i, table := range r.tables {
		for _, term := range slices.Sorted(maps.Keys(table)) {
			var cells []string
			for class, n := range table[term] {
				if n != 0 {
					cells = append(cells, fmt.Sprintf(" %q:%d", class, n))
				}
			}
			slices.Sort(cells)
			if len(cells) > 0 {
				fmt.Fprintf(&out, "table %d %q%s\n", i, term, strings.Join(cells, ""))
			}
		}
	}
	return out.String()
}

// dump returns the counts of a model as text.
func dump(t storetest.Fataler, m *model.Model) string {
	t.Helper()
	var out bytes.Buffer
	if err := m.Dump(&out); err != nil {
		t.Fatalf("dump: %v", err)
	}
	return out.String()
}

// mustEqual compares a model with the recount, to the integer.
func (r *recount) mustEqual(t storetest.Fataler, m *model.Model) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(dump(t, m)) {
		if !strings.HasPrefix(line, "numbers ") {
			lines = append(lines, line)
		}
	}
	if diff := cmp.Diff(r.dump(), strings.Join(lines, "")); diff != "" {
		t.Fatalf("the counts differ from the recount (-recount +model):\n%s", diff)
	}
	for i := range r.spec.Numbers {
		for class, want := range r.numbers[i] {
			id, ok := m.Classes().ID(class)
			got := &gaussian.Sums{}
			if s := m.Numbers(i).Sums(id); ok && s != nil {
				got = s
			}
			want.mustEqual(t, got, r.spec.Numbers[i].Full(), fmt.Sprintf("numbers[%d], class %q", i, class))
		}
	}
}

func (m *moments) mustEqual(t storetest.Fataler, got *gaussian.Sums, full bool, what string) {
	t.Helper()
	d := len(m.n)
	if len(got.Sum) == 0 {
		got = gaussian.NewSums(d, full)
	}
	k := 0
	for i := range d {
		rows := got.N[0]
		if !full {
			rows = got.N[i]
		}
		if rows != m.n[i] || got.Sum[i].Big().Cmp(m.sum[i]) != 0 {
			t.Fatalf("%s, field %d: %d rows with the sum %v, recounted %d with %v", what, i, rows, got.Sum[i].Big(), m.n[i], m.sum[i])
		}
		for j := i; j < d; j++ {
			if !full && j > i {
				continue
			}
			if p := got.Products[k].Big(); p.Cmp(m.products[i*d+j]) != 0 {
				t.Fatalf("%s, fields %d and %d: sum of products %v, recounted %v", what, i, j, p, m.products[i*d+j])
			}
			k++
		}
	}
}

// TestRecountSeesADifference keeps the comparison itself honest: one record more or less, one
// weight more, is a difference.
func TestRecountSeesADifference(t *testing.T) {
	s := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	records := storetest.Records(20, newRand(1).IntN)
	state, _ := learnAll(t, s, records)
	for name, change := range map[string]func([]storetest.Record) []storetest.Record{
		"one record less": func(r []storetest.Record) []storetest.Record { return r[:len(r)-1] },
		"one weight more": func(r []storetest.Record) []storetest.Record { r[labelled(r)].Weight++; return r },
		"one number more": func(r []storetest.Record) []storetest.Record {
			n := slices.Clone(r[labelled(r)].Numbers)
			n[0].Present, n[0].Value = true, n[0].Value/2+7
			r[labelled(r)].Numbers = n
			return r
		},
	} {
		r := newRecount(s)
		r.partition(change(slices.Clone(records)), nil)
		var failed failure
		r.mustEqual(&failed, state.Model())
		if failed == "" {
			t.Errorf("%s: the recount says that it is equal", name)
		}
	}
}

// labelled returns the index of the last record whose change must show.
func labelled(records []storetest.Record) int {
	for i := len(records) - 1; ; i-- {
		if records[i].Label != "" && records[i].ID == "" {
			return i
		}
	}
}

// failure is a Fataler that remembers.
type failure string

func (f *failure) Helper() {}

func (f *failure) Fatalf(format string, args ...any) {
	if *f == "" {
		*f = failure(fmt.Sprintf(format, args...))
	}
}
