package fold_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
	"bayestream/internal/testing/modeltest"
	recounted "bayestream/internal/testing/recount"
	"bayestream/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"
)

// recount counts records again. It shares no code with what it is compared with.
type recount struct {
	spec    *spec.Spec
	counts  *recounted.Counts
	learned map[string]*storetest.Record // by id
}

func newRecount(s *spec.Spec) *recount {
	return &recount{s, recounted.NewCounts(len(s.Categories) + len(s.Histograms)), map[string]*storetest.Record{}}
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
	d := &recounted.Document{Words: strings.Fields(rec.Text)}
	for _, c := range rec.Categories {
		d.Values = append(d.Values, string(c.Value))
	}
	for i := range r.spec.Histograms {
		h := &r.spec.Histograms[i]
		value := ""
		if x := rec.Numbers[slices.Index(r.spec.NumberFields(), h.Field)]; x.Present {
			value = strconv.Itoa(bin(h, x.Value))
		}
		d.Values = append(d.Values, value)
	}
	for i := range r.spec.Numbers {
		d.Numbers = append(d.Numbers, r.row(&r.spec.Numbers[i], rec))
	}
	r.counts.Add(rec.Label, sign*rec.Weight, d, r.spec.Text.Likelihood != spec.Multinomial)
	if rec.Ahead != "" && r.spec.Corrects() {
		r.counts.Correct(rec.Label, rec.Ahead, sign*rec.Weight, d)
	}
}

// row returns the numbers of a block: those of a full one are all there, or none is.
func (r *recount) row(n *spec.Numbers, rec *storetest.Record) []*big.Int {
	row := make([]*big.Int, len(n.Fields))
	for i, f := range n.Fields {
		x := rec.Numbers[slices.Index(r.spec.NumberFields(), f)]
		if x.Present {
			row[i] = big.NewInt(x.Value)
		} else if n.Full() {
			return make([]*big.Int, len(n.Fields))
		}
	}
	return row
}

// bin is where v, in units of 1e-9, falls; what lies outside belongs to the outer bins.
func bin(h *spec.Histogram, v int64) int {
	x := float64(v) / 1e9
	n := math.Floor((x - h.From) / (h.To - h.From) * float64(h.Bins))
	return int(min(max(n, 0), float64(h.Bins-1)))
}

// dump is what model.Model.Dump must say, without the numbers.
func (r *recount) dump() string {
	var out strings.Builder
	r.counts.Dump(&out)
	return withoutNumbers(out.String())
}

// withoutNumbers returns the lines that are not of numbers.
func withoutNumbers(dump string) string {
	var lines []string
	for line := range strings.Lines(dump) {
		if !strings.HasPrefix(line, "number") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// mustEqual compares a model with the recount, to the integer.
func (r *recount) mustEqual(t storetest.Fataler, m *model.Model) {
	t.Helper()
	if diff := cmp.Diff(r.dump(), withoutNumbers(modeltest.Dump(m))); diff != "" {
		t.Fatalf("the counts differ from the recount (-recount +model):\n%s", diff)
	}
	for i := range r.spec.Numbers {
		full := r.spec.Numbers[i].Full()
		for class, want := range r.counts.Numbers(i) {
			id, ok := m.Classes().ID(class)
			got := gaussian.NewSums(len(want.N), full)
			if s := m.Numbers(i).Sums(id); ok && s != nil && len(s.Sum) > 0 {
				got = s
			}
			if err := want.Check(got.N, modeltest.Bigs(got.Sum), modeltest.Bigs(got.Products)); err != nil {
				t.Fatalf("numbers[%d], class %q: %v", i, class, err)
			}
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
