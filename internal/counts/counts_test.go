package counts_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

func add(t interface{ Fatal(...any) }, tab *counts.Table, term string, class int, n int64) {
	if err := tab.Add(bow.Hash([]byte(term)), []byte(term), class, n); err != nil {
		t.Fatal(err)
	}
}

// dump writes a table so that equal tables have equal dumps.
func dump(tab *counts.Table) string {
	var b bytes.Buffer
	for term, cells := range tab.Sorted {
		fmt.Fprintf(&b, "%q", term)
		for _, c := range cells {
			fmt.Fprintf(&b, " %d:%d", c.Class(), c.Count())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func ExampleTable() {
	tab := counts.NewTable(counts.Options{})
	for _, w := range []string{"vote", "ballot", "vote"} {
		_ = tab.Add(bow.Hash([]byte(w)), []byte(w), 0, 1)
	}
	_ = tab.Add(bow.Hash([]byte("goal")), []byte("goal"), 1, 1)
	fmt.Println(tab.Vocabulary(), "terms,", tab.Total(0), "tokens of class 0")
	row := tab.Lookup(bow.Hash([]byte("vote")), []byte("vote"))
	fmt.Println("vote in class 0:", tab.Count(row, 0))
	// Output:
	// 3 terms, 3 tokens of class 0
	// vote in class 0: 2
}

// change is one random step: a term, a class, a count.
type change struct {
	term  string
	class int
	n     int64
}

func drawChanges(t *rapid.T) []change {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) change {
		return change{rapid.StringMatching(`[a-f]{1,2}`).Draw(t, "term"), rapid.IntRange(0, 5).Draw(t, "class"), rapid.Int64Range(-3, 4).Draw(t, "n")}
	}), 0, 200).Draw(t, "changes")
}

// A table equals a plain map after any changes, keeps its invariants, and refuses exactly what
// would be negative.
func TestTableEqualsMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := counts.NewTable(counts.Options{CountOfCounts: true})
		want := map[string]map[int]int64{}
		for _, c := range drawChanges(t) {
			err := tab.Add(bow.Hash([]byte(c.term)), []byte(c.term), c.class, c.n)
			if neg := want[c.term][c.class]+c.n < 0; neg != errors.Is(err, counts.ErrNegative) {
				t.Fatalf("%+v on %v: got error %v", c, want[c.term], err)
			}
			if err == nil && c.n != 0 {
				if want[c.term] == nil {
					want[c.term] = map[int]int64{}
				}
				if want[c.term][c.class] += c.n; want[c.term][c.class] == 0 {
					delete(want[c.term], c.class)
				}
				if len(want[c.term]) == 0 {
					delete(want, c.term)
				}
			}
			if err := tab.Check(); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, tab, want)
	})
}

func compare(t *rapid.T, tab *counts.Table, want map[string]map[int]int64) {
	if tab.Vocabulary() != len(want) {
		t.Fatalf("got %d terms, want %d", tab.Vocabulary(), len(want))
	}
	coc := map[int]map[int64]int64{}
	for term, cells := range tab.Rows {
		if len(cells) != len(want[string(term)]) {
			t.Fatalf("%q: got %d cells, want %v", term, len(cells), want[string(term)])
		}
		for _, c := range cells {
			if want[string(term)][c.Class()] != c.Count() {
				t.Fatalf("%q class %d: got %d, want %v", term, c.Class(), c.Count(), want[string(term)])
			}
			if coc[c.Class()] == nil {
				coc[c.Class()] = map[int64]int64{}
			}
			coc[c.Class()][c.Count()]++
		}
	}
	for class := range 6 {
		if got, want := fmt.Sprint(tab.CountOfCounts(class)), fmt.Sprint(coc[class]); got != want {
			t.Fatalf("count of counts of class %d: got %s, want %s", class, got, want)
		}
	}
}

// Fits and Apply are addition: applying a difference and its negation gives the table that was
// there.
func TestApplyIsAddition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := []int{0, 1, 2, 3, 4, 5}
		base := counts.NewTable(counts.Options{})
		for i := range 30 {
			for c := range 6 {
				add(t, base, fmt.Sprintf("%c", 'a'+i), c, 1000)
			}
		}
		before := dump(base)
		plus, minus := plain{}, plain{}
		for _, c := range drawChanges(t) {
			plus.add(c.term[:1], c.class, c.n)
			minus.add(c.term[:1], c.class, -c.n)
		}
		for _, p := range []plain{plus, minus} {
			d := p.terms(ids)
			if err := d.Validate(6); err != nil {
				t.Fatal(err)
			}
			found := base.Find(&d)
			if err := base.Fits(&d, ids, found); err != nil {
				t.Fatal(err)
			}
			if err := base.Apply(&d, ids, found); err != nil {
				t.Fatal(err)
			}
			if err := base.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if after := dump(base); after != before {
			t.Fatalf("a difference and its negation left\n%swant\n%s", after, before)
		}
	})
}

// TestFoundBefore: a difference that was found in a table as it was before is added as one that is
// found in it as it is.
func TestFoundBefore(t *testing.T) {
	change := func(t *rapid.T, tables ...*counts.Table) {
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			term, n := rapid.StringMatching(`[a-f]`).Draw(t, "term"), rapid.Int64Range(-2, 2).Draw(t, "n")
			for _, tab := range tables {
				_ = tab.Add(bow.Hash([]byte(term)), []byte(term), 0, n) // what was never counted is not taken out
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		o := counts.Options{Limit: rapid.SampledFrom([]int{0, 4}).Draw(t, "limit")}
		before, now := counts.NewTable(o), counts.NewTable(o)
		change(t, before, now)
		p := plain{}
		for range rapid.IntRange(0, 6).Draw(t, "terms") {
			p.add(rapid.StringMatching(`[a-f]`).Draw(t, "term"), 0, rapid.Int64Range(-2, 2).Draw(t, "n"))
		}
		d, ids := p.terms([]int{0}), []int{0}
		found := before.Find(&d)
		change(t, before, now)
		again := now.Find(&d)
		err, want := before.Fits(&d, ids, found), now.Fits(&d, ids, again)
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Fatalf("Fits: %v, want %v", err, want)
		}
		if want == nil {
			if err := errors.Join(before.Apply(&d, ids, found), now.Apply(&d, ids, again), before.Check()); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := dump(before), dump(now); got != want {
			t.Fatalf("%swant\n%s", got, want)
		}
	})
}

// TestApplyCopiesNothing: what a table has no room for is copied by Find, while others read. Nobody
// can while Apply runs. It lists what changed, which is little beside that.
func TestApplyCopiesNothing(t *testing.T) {
	var tab counts.Table
	for _, n := range []int{10, 1000, 2000, 20_000, 30_000} {
		p := plain{}
		for i := range n {
			p.add(fmt.Sprintf("term %d", tab.Vocabulary()+i), i%3, 1)
		}
		d, ids := p.terms([]int{0, 1, 2}), []int{0, 1, 2}
		found := tab.Find(&d)
		if err := tab.Fits(&d, ids, found); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := tab.Apply(&d, ids, found)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > 10_000+uint64(20*n) {
			t.Errorf("adding %d terms allocates %d bytes: %v", n, got, err)
		}
	}
	if err := tab.Check(); err != nil {
		t.Error(err)
	}
}

func TestFitsRefusesWhatWasNeverLearned(t *testing.T) {
	tab := counts.NewTable(counts.Options{})
	add(t, tab, "vote", 0, 1)
	d := plain{"vote": {0: -2}}.terms([]int{0})
	if err := tab.Fits(&d, []int{0}, tab.Find(&d)); !errors.Is(err, counts.ErrNegative) {
		t.Fatalf("got %v, want ErrNegative", err)
	}
	if err := tab.Fits(&d, []int{-1}, tab.Find(&d)); !errors.Is(err, counts.ErrNegative) {
		t.Fatalf("unknown class: got %v, want ErrNegative", err)
	}
}

// The tokens of a class are bounded by their sum, not count by count: N_c must not overflow.
func TestFitsBoundsTheTokensOfAClass(t *testing.T) {
	d := plain{"a": {0: counts.MaxCount, 1: counts.MaxCount}}.terms([]int{0, 1})
	var tab counts.Table
	if err := tab.Fits(&d, []int{-1, -1}, tab.Find(&d)); err != nil {
		t.Errorf("two classes, each with the largest count: %v", err)
	}
	d = plain{"a": {0: counts.MaxCount}, "b": {0: 1}}.terms([]int{0})
	if err := tab.Fits(&d, []int{-1}, tab.Find(&d)); err == nil {
		t.Error("a new class may have more tokens than MaxCount")
	}
}

// At the limit the admitted set freezes: no new term, none leaves, and a count never goes below
// zero.
func TestFrozenTableKeepsItsTerms(t *testing.T) {
	tab := counts.NewTable(counts.Options{Limit: 2})
	for _, w := range []string{"a", "b", "c"} {
		add(t, tab, w, 0, 1)
	}
	if !tab.Frozen() || tab.Vocabulary() != 2 {
		t.Fatalf("got frozen %v with %d terms, want frozen with 2", tab.Frozen(), tab.Vocabulary())
	}
	add(t, tab, "a", 0, -1)
	add(t, tab, "c", 0, -1) // was never counted: nothing happens
	if tab.Vocabulary() != 1 || tab.Admitted() != 2 {
		t.Fatalf("got %d of %d, want 1 of 2", tab.Vocabulary(), tab.Admitted())
	}
	add(t, tab, "d", 0, 1)
	add(t, tab, "a", 0, 1)
	if got, want := dump(tab), "\"a\" 0:1\n\"b\" 0:1\n"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	if err := tab.Check(); err != nil {
		t.Fatal(err)
	}
}

// A copy that is kept up to date from Changes alone, at random times, equals the table.
func TestChangesRebuildTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := counts.NewTable(counts.Options{Limit: rapid.IntRange(0, 40).Draw(t, "limit")})
		disk := map[string][]counts.Cell{}
		for _, c := range drawChanges(t) {
			_ = tab.Add(bow.Hash([]byte(c.term)), []byte(c.term), c.class, c.n)
			if rapid.IntRange(0, 9).Draw(t, "checkpoint") == 0 {
				flush(tab, disk)
			}
		}
		flush(tab, disk)
		again := counts.NewTable(counts.Options{})
		if err := load(again, disk, tab.Frozen()); err != nil {
			t.Fatal(err)
		}
		if err := again.Check(); err != nil {
			t.Fatal(err)
		}
		if dump(again) != dump(tab) || again.Admitted() != tab.Admitted() {
			t.Fatalf("got\n%swant\n%s", dump(again), dump(tab))
		}
	})
}

func flush(tab *counts.Table, disk map[string][]counts.Cell) {
	for term, c := range tab.Changes {
		if c.Gone {
			delete(disk, string(term))
		} else {
			disk[string(term)] = slices.Clone(c.Cells)
		}
	}
	tab.ClearChanges()
}

// A table that was loaded changes like the one that it was written from.
func TestLoadedTableGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := counts.NewTable(counts.Options{})
		for _, c := range drawChanges(t) {
			_ = tab.Add(bow.Hash([]byte(c.term)), []byte(c.term), c.class, c.n)
		}
		disk := map[string][]counts.Cell{}
		flush(tab, disk)
		again := counts.NewTable(counts.Options{})
		if err := load(again, disk, false); err != nil {
			t.Fatal(err)
		}
		for _, c := range drawChanges(t) {
			hash := bow.Hash([]byte(c.term))
			if got, want := again.Add(hash, []byte(c.term), c.class, c.n), tab.Add(hash, []byte(c.term), c.class, c.n); (got == nil) != (want == nil) {
				t.Fatalf("add %d to %q of class %d: error %v, want %v", c.n, c.term, c.class, got, want)
			}
		}
		if err := again.Check(); err != nil {
			t.Fatal(err)
		}
		if dump(again) != dump(tab) {
			t.Fatalf("got\n%swant\n%s", dump(again), dump(tab))
		}
	})
}

func TestClasses(t *testing.T) {
	var c counts.Classes
	spam, ham := c.Intern("spam"), c.Intern("ham")
	for _, step := range []struct {
		id int
		n  int64
	}{{spam, 2}, {ham, 3}} {
		if err := c.Add(step.id, step.n); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(c.Live()); got != fmt.Sprint([]int{ham, spam}) {
		t.Fatalf("live classes by name: got %s", got)
	}
	if err := c.Add(spam, -3); !errors.Is(err, counts.ErrNegative) {
		t.Fatalf("got %v, want ErrNegative", err)
	}
	if err := c.Add(spam, -2); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.ID("spam"); ok || c.Total() != 3 {
		t.Fatalf("a class without documents is still there; total %d", c.Total())
	}
	if id := c.Intern("sports"); id != spam {
		t.Fatalf("the lowest free number is %d, got %d", spam, id)
	}
}

// Classes that are expected are choices beside the only class that has documents, and have no part
// in anything else.
func TestExpectedClasses(t *testing.T) {
	var c counts.Classes
	c.Expect([]string{"ham", "junk", "spam"})
	check := func(when, want string) {
		t.Helper()
		var got []string
		for _, id := range c.Choices() {
			if found, ok := c.Choice(c.Name(id)); !ok || found != id || id >= c.Cap() {
				t.Errorf("%s: class %q has the number %d of %d, Choice finds %d, %v", when, c.Name(id), id, c.Cap(), found, ok)
			}
			got = append(got, fmt.Sprint(c.Name(id), c.Documents(id)))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: the choices are %q, want %q", when, s, want)
		}
	}
	add := func(name string, n int64) {
		t.Helper()
		if err := c.Add(c.Intern(name), n); err != nil {
			t.Fatal(err)
		}
	}
	check("without documents", "")
	add("spam", 2)
	check("with a class", "ham0 junk0 spam2")
	if _, ok := c.ID("ham"); ok || len(c.Live()) != 1 || c.Total() != 2 {
		t.Errorf("ham counts as a class: %v, of %d", ok, len(c.Live()))
	}
	add("ham", 1)
	check("with two classes", "ham1 spam2")
	add("spam", -2)
	check("with the other class", "ham1 junk0 spam0")
	c.Expect(nil)
	check("with none expected", "ham1")
	if _, ok := c.Choice("spam"); ok {
		t.Error("spam is a choice")
	}
	add("ham", -1)
	check("without documents again", "")
}
