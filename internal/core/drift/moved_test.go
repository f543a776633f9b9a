package drift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// The ratio is that of Dunning in floating point.
func TestRatio(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "columns")
		draw := func(name string) []int64 {
			return rapid.SliceOfN(rapid.Int64Range(0, 1<<rapid.IntRange(0, 21).Draw(t, "bits")), n, n).Draw(t, name)
		}
		a, b := draw("a"), draw("b")
		want := 0.0
		var rows [2]float64
		term := func(x float64) float64 {
			if x == 0 {
				return 0
			}
			return x * math.Log(x)
		}
		for i := range a {
			x, y := float64(a[i]), float64(b[i])
			rows[0] += x
			rows[1] += y
			want += term(x) + term(y) - term(x+y)
		}
		want = 2 * (want + term(rows[0]+rows[1]) - term(rows[0]) - term(rows[1]))
		got := float64(ratio(a, b)) / race.Unit
		if math.Abs(got-want) > 0.2+1e-5*want || got < 0 {
			t.Errorf("%v against %v: %v, want %v", a, b, got, want)
		}
	})
}

// Rows that are too long for the integers are taken for a sample, which has the same ratio of
// shares.
func TestRatioOfMany(t *testing.T) {
	small := ratio([]int64{1000, 4_000_000}, []int64{400, 100_000})
	large := ratio([]int64{1000 << 20, 4_000_000 << 20}, []int64{400, 100_000})
	if small <= 0 || math.Abs(float64(large-small)) > 0.1*float64(small) {
		t.Errorf("%d, and %d against many more", small, large)
	}
	if got := ratio([]int64{math.MaxInt64 / 4, 1}, []int64{1, math.MaxInt64 / 4}); got <= 0 {
		t.Errorf("the ratio of the largest counts is %d", got)
	}
}

// newStream returns a model, and a function that adds a delta of documents of a class with one
// occurrence of each term to it.
func newStream(t *testing.T, yaml string) (*model.Model, func(class string, documents int, terms ...string) *model.Delta) {
	t.Helper()
	s := modeltest.Spec(t, yaml)
	m := model.New(s)
	b := model.NewBuilder(s)
	return m, func(class string, documents int, terms ...string) *model.Delta {
		t.Helper()
		b.Reset()
		f := &model.Features{}
		for _, term := range terms {
			f.Bag.Add([]byte(term))
		}
		b.Observe(class, int64(documents), f)
		d := b.Delta()
		if err := m.Add(d, nil); err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// words returns what is said of the words of a class: + before those that became more frequent, and
// - before the others.
func words(c *Class) string {
	var out []string
	for _, w := range c.Words {
		sign := "+"
		if w.Ratio < 0 {
			sign = "-"
		}
		out = append(out, sign+w.Term)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// The words that rose and fell in the classes that moved are named, and no others: here also the
// length of its two. A class that is new is compared with all the others.
func TestMovedWords(t *testing.T) {
	m, learn := newStream(t, "text: {}")
	for range 50 {
		learn("mail", 20, "the", "offer", "meeting", "agenda")
		learn("news", 20, "the", "goal", "vote")
	}
	s := New()
	usual := race.Tallies{"mail": {Records: 500, Right: 490, Decided: 500}, "news": {Records: 500, Right: 490, Decided: 500}}
	for i := range int64(2) {
		s.Add(m, &Step{Place: Place{Mark: Mark{Offset: i}}, Period: Period{1000, 20, usual}, Counts: &model.Delta{}})
	}
	rise := func(at int64, class string, tally race.Tally, errors int64, terms ...string) {
		d := learn(class, 100, terms...)
		s.Add(m, &Step{Place: Place{Mark: Mark{at, at * 1000}, Topic: "t", End: at}, Period: Period{100, errors, race.Tallies{class: tally, "news": {Decided: 60}}}, Counts: d})
	}
	rise(2, "mail", race.Tally{Records: 100, Right: 70, Decided: 70}, 30, "the", "crypto", "meeting", "agenda")
	if s.Rise == nil || s.Found != 0 {
		t.Fatalf("behind the first delta of the drift: %+v", s)
	}
	rise(3, "chat", race.Tally{Records: 100}, 100, "the", "lol")
	a := s.Last()
	if a == nil || a.Offset != 3 || a.Time != 3000 || a.Since != (Mark{2, 2000}) || a.Before != (Rate{2000, 40}) || a.After != (Rate{200, 130}) {
		t.Fatalf("the alarm is %+v", a)
	}
	got := map[string]string{}
	for i := range a.Classes {
		got[a.Classes[i].Name] = words(&a.Classes[i])
	}
	want := map[string]string{"mail": "+crypto -offer", "chat": "+2 +lol +the", "news": ""}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v moved, want %v", got, want)
	}
	if first := a.Classes[0].Name; first != "chat" {
		t.Errorf("%s moved most, want chat", first)
	}
	classes, named := a.Names(m)
	slices.Sort(named)
	if want := []string{"crypto", "length 2", "lol", "offer", "the"}; len(classes) != 3 || !slices.Equal(named, want) {
		t.Errorf("classes %v, words %v, want three and %v", classes, named, want)
	}
}

// Values of fields move as words do, and say which table they are of.
func TestMovedValues(t *testing.T) {
	s := modeltest.Spec(t, "categories: [{field: country}, {field: device}]")
	m := model.New(s)
	b := model.NewBuilder(s)
	learn := func(country, device string, n int64) *model.Delta {
		b.Reset()
		b.AddDocuments("fraud", n)
		b.AddCount(0, "fraud", []byte(country), n)
		b.AddCount(1, "fraud", []byte(device), n)
		d := b.Delta()
		if err := m.Add(d, nil); err != nil {
			t.Fatal(err)
		}
		return d
	}
	learn("XX", "phone", 5000)
	x := New()
	x.Add(m, step(1000, 10, 0))
	x.Add(m, &Step{Place: Place{Mark: Mark{Offset: 1}}, Period: Period{200, 150, race.Tallies{"fraud": {Records: 200, Right: 50, Decided: 50}}}, Counts: learn("XX", "tablet", 200)})
	a := x.Last()
	if a == nil {
		t.Fatal("no alarm")
	}
	for i := range a.Classes {
		for _, w := range a.Classes[i].Words {
			if w.Table != 1 {
				t.Errorf("%+v moved", w)
			}
		}
		if got := words(&a.Classes[i]); a.Classes[i].Name == "fraud" && got != "+tablet -phone" {
			t.Errorf("%s moved", got)
		}
	}
}

// Whatever was learned since the errors rise, an alarm holds no share above 100 %: with a
// vocabulary that is frozen, and where documents were replaced, the class has fewer terms than were
// learned.
func TestSharesAreShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sp := modeltest.Spec(t, "text: {}\nlimits: {terms: "+rapid.SampledFrom([]string{"4", "1000"}).Draw(t, "terms")+"}")
		m := model.New(sp)
		b := model.NewBuilder(sp)
		s := New()
		last := map[string]*model.Features{}
		learn := func(class string, n int64, replaces bool) *model.Delta {
			b.Reset()
			f := &model.Features{}
			for range rapid.IntRange(1, 12).Draw(t, "length") {
				f.Bag.Add(fmt.Appendf(nil, "w%d", rapid.IntRange(0, 20).Draw(t, "word")))
			}
			b.Observe(class, n, f)
			if before := last[class]; before != nil && replaces {
				b.Observe(class, -n, before)
			}
			last[class] = f
			d := b.Delta()
			if err := m.Add(d, nil); err != nil {
				t.Fatal(err)
			}
			return d
		}
		usual := race.Tallies{"a": {Records: 500, Right: 490, Decided: 500}, "b": {Records: 500, Right: 490, Decided: 500}}
		for i := range int64(2) {
			class := string(rune('a' + i))
			s.Add(m, &Step{Place: Place{Mark: Mark{Offset: i}}, Period: Period{1000, 20, usual}, Counts: learn(class, 100, false)})
		}
		for at := range rapid.Int64Range(1, 8).Draw(t, "deltas") {
			class := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "class")
			errors := rapid.Int64Range(0, 60).Draw(t, "errors")
			tallies := race.Tallies{class: {Records: 100, Right: 100 - errors, Decided: 100}}
			counts := learn(class, 100, rapid.Bool().Draw(t, "replaces"))
			s.Add(m, &Step{Place: Place{Mark: Mark{Offset: 2 + at}}, Period: Period{100, errors, tallies}, Counts: counts})
			if err := s.Check(); err != nil {
				t.Fatalf("%v: %+v", err, s.Last())
			}
		}
	})
}

// A class whose documents were replaced, so that it has fewer terms than were learned, is not taken
// for a new one: no word of it is compared with those of the others.
func TestReplacedClassIsNotNew(t *testing.T) {
	m, learn := newStream(t, "text: {}\nlimits: {terms: 3}")
	learn("mail", 100, "offer")
	learn("news", 10, "goal", "vote")
	learn("news", 5000, "goal")
	s := New()
	usual := race.Tallies{"mail": {Records: 500, Right: 490, Decided: 500}, "news": {Records: 500, Right: 490, Decided: 500}}
	s.Add(m, &Step{Period: Period{1000, 20, usual}, Counts: &model.Delta{}})
	d := learn("mail", 200, "vote", "new", "words", "are", "not", "admitted")
	s.Add(m, &Step{Place: Place{Mark: Mark{Offset: 1}}, Period: Period{200, 200, race.Tallies{"mail": {Records: 200}, "news": {Decided: 200}}}, Counts: d})
	a := s.Last()
	if a == nil {
		t.Fatal("no alarm")
	}
	for i := range a.Classes {
		for _, w := range a.Classes[i].Words {
			if a.Classes[i].Name == "mail" && w.Table == 0 {
				t.Errorf("the word %+v moved, of a class of which nothing is known for sure", w)
			}
		}
	}
}

// What was learned in a while takes bounded memory. No count is above the true one, or more than
// Missed below it, and the totals of classes with a count are exact.
func TestRecentIsBounded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 5, 200_000)
	s := modeltest.Spec(t, "text: {}")
	b := model.NewBuilder(s)
	r := newRecent()
	truth := map[Key]int64{}
	totals := map[Of]int64{}
	for range 30 {
		b.Reset()
		for range 4000 {
			key := Key{Of{0, string(rune('a' + rnd.IntN(3)))}, fmt.Sprintf("w%d", zipf.Uint64())}
			f := &model.Features{}
			f.Bag.Add([]byte(key.Term))
			b.Observe(key.Class, 1, f)
			truth[key]++
			totals[key.Of]++
		}
		d := b.Delta()
		r.add([]*counts.Terms{&d.Text}, d.Classes)
		if len(r.Counts) > mostCounts {
			t.Fatalf("%d counts are kept", len(r.Counts))
		}
	}
	if len(truth) <= mostCounts || r.Missed == 0 {
		t.Fatalf("%d terms, %d missed: the test does not test a full summary", len(truth), r.Missed)
	}
	for key, n := range truth {
		if got := r.Counts[key]; got > n || got < n-r.Missed {
			t.Errorf("%v has %d, the truth is %d and %d are missed", key, got, n, r.Missed)
		}
	}
	for of, n := range totals {
		if r.Totals[of] != n {
			t.Errorf("class %s has %d terms, want %d", of.Class, r.Totals[of], n)
		}
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}

// A class that is renamed, into another one too, keeps what is known of it.
func TestRename(t *testing.T) {
	of := func(class string) Of { return Of{0, class} }
	s := State{
		Usual: Period{Classes: race.Tallies{"a": {Records: 3, Right: 1, Decided: 2}, "b": {Records: 1}}},
		Rise: &Rise{Period: Period{Classes: race.Tallies{"a": {Records: 1}}}, Learned: Recent{
			Totals: map[Of]int64{of("a"): 5, of("b"): 2}, Counts: map[Key]int64{{of("a"), "x"}: 3, {of("b"), "x"}: 1, {of("a"), "y"}: 2},
		}},
	}
	s.Rename("a", "b")
	want := State{
		Usual: Period{Classes: race.Tallies{"b": {Records: 4, Right: 1, Decided: 2}}},
		Rise: &Rise{Period: Period{Classes: race.Tallies{"b": {Records: 1}}}, Learned: Recent{
			Totals: map[Of]int64{of("b"): 7}, Counts: map[Key]int64{{of("b"), "x"}: 4, {of("b"), "y"}: 2},
		}},
	}
	if fmt.Sprintf("%+v %+v", s.Usual, s.Rise) != fmt.Sprintf("%+v %+v", want.Usual, want.Rise) {
		t.Errorf("%+v %+v\nwant\n%+v %+v", s.Usual, s.Rise, want.Usual, want.Rise)
	}
}

// Terms that are as long as texts are counted in the totals alone.
func TestLongTermsAreLeftOut(t *testing.T) {
	m, learn := newStream(t, "text: {}")
	r := newRecent()
	d := learn("a", 1, strings.Repeat("x", longest+1), "short")
	r.add(m.TermsOf(d), d.Classes)
	if length := (Key{Of{1, "a"}, "2"}); len(r.Counts) != 1+spec.ShapeTables || r.Counts[length] != 1 || r.Totals[Of{0, "a"}] != 2 {
		t.Errorf("%+v", r)
	}
	if err := counts.CheckTerm([]byte(strings.Repeat("x", longest+1))); err != nil {
		t.Fatal(err)
	}
}
