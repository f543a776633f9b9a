package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/filetest"
)

func TestSplit(t *testing.T) {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprint(i))
	}
	tested := map[string]int{}
	for fold := 1; fold <= parts; fold++ {
		learn, test := split(all, fold, true)
		if len(learn) != 16 || len(test) != 4 {
			t.Fatalf("%d to learn and %d to test, want 16 and 4", len(learn), len(test))
		}
		for _, line := range test {
			tested[line]++
			if slices.Contains(learn, line) {
				t.Errorf("line %s is learned and tested", line)
			}
		}
	}
	if len(tested) != 20 {
		t.Errorf("the folds test %d lines of 20", len(tested))
	}
	_, first := split(all, 1, false)
	_, again := split(all, 1, false)
	_, second := split(all, 2, false)
	if !slices.Equal(first, again) || slices.Equal(first, second) {
		t.Errorf("seed 1 tests %q and %q, seed 2 %q", first, again, second)
	}
}

func TestDivide(t *testing.T) {
	folder := t.TempDir()
	o := &options{data: folder, work: filepath.Join(folder, "work")}
	if err := os.Mkdir(o.work, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.jsonl": strings.Repeat("{}\n", 5), "b.jsonl": "{}\n{}"} {
		filetest.Write(t, filepath.Join(folder, name), content)
	}
	for _, c := range []struct {
		set         set
		splits      int
		learn, test int
	}{
		{set{files: []string{"a.jsonl"}}, 3, 4, 1},
		{set{files: []string{"a.jsonl"}, folds: 2}, 2, 4, 1},
		{set{files: []string{"a.jsonl"}, test: "b.jsonl"}, 1, 5, 2},
		{set{files: []string{"a.jsonl", "b.jsonl"}, stream: true}, 1, 7, 0},
	} {
		if got := c.set.splits(3); got != c.splits {
			t.Errorf("%+v: %d splits, want %d", c.set, got, c.splits)
		}
		if missing := c.set.missing(folder); missing != "" {
			t.Errorf("%s is missing", missing)
		}
		d, err := c.set.divide(o, 1)
		if err != nil {
			t.Fatal(err)
		}
		learn, test := d.learn, d.test
		if c.set.stream {
			learn = d.stream
		}
		if got, err := readLines(learn); err != nil || len(got) != c.learn {
			t.Errorf("%+v: %q to learn, %v", c.set, got, err)
		}
		if test == "" {
			continue
		}
		if got, err := readLines(test); err != nil || len(got) != c.test {
			t.Errorf("%+v: %q to test, %v", c.set, got, err)
		}
	}
	if got := (&set{files: []string{"none.jsonl"}}).missing(folder); got != filepath.Join(folder, "none.jsonl") {
		t.Errorf("%q is missing", got)
	}
}

// A row has the means of the splits, and the standard error of the accuracy.
func TestRow(t *testing.T) {
	var r row
	for _, lines := range []string{
		`{"label":"ham","predicted":"ham","log_posterior":{"ham":-0.1,"spam":-2.35}}
{"label":"spam","predicted":"spam","log_posterior":{"ham":null,"spam":0}}`,
		`{"label":"ham","predicted":"spam","log_posterior":{"ham":-2.35,"spam":-0.1}}
{"label":"spam","predicted":null,"log_posterior":{}}`,
	} {
		path := filepath.Join(t.TempDir(), "scores.jsonl")
		filetest.Write(t, path, lines)
		x, err := readScores(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		r.add(x, false)
	}
	var b strings.Builder
	r.write(&b, "set", "classifier", &row{accuracy: []float64{0.25, 0.25}})
	first, second := 0.05, (2.35-math.Log(1e-15))/2
	want := fmt.Sprintf("| set | classifier | 2 | 0.5000 ± 0.5000 | 0.2500 ± 0.5000 | %.4f | ", (first+second)/2)
	if !strings.HasPrefix(b.String(), want) || !strings.HasSuffix(b.String(), " | 50.000 | 50.00 |\n") {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	var only row
	only.accuracy = []float64{0.9}
	b.Reset()
	only.write(&b, "set", "ranks only", &r)
	if b.String() != "| set | ranks only | 1 | 0.9000 |  |  |  |  |  |\n" {
		t.Errorf("got %q", b.String())
	}
}

// Each preset of texts without headers is one of the ways that are compared, and the first way is
// the default.
func TestWays(t *testing.T) {
	for i := range sets {
		s := &sets[i]
		if s.stream || s.preset == "" {
			continue
		}
		if at, err := wayOf(s.preset); err != nil || at == 0 {
			t.Errorf("%s: way %d, %v", s.name, at, err)
		}
	}
	first, err := spec.Parse([]byte("text: " + countings[0].text))
	if err != nil || first.Counting() != spec.Default().Counting() {
		t.Errorf("the first way is not the default: %v", err)
	}
	if _, err := wayOf("mail"); err == nil {
		t.Error("mails are counted as one of the ways of other texts")
	}
}

// Two halves have each line once, and neither is a run of the file.
func TestInHalves(t *testing.T) {
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprint(i))
	}
	halves := inHalves(all)
	together := slices.Concat(halves[0], halves[1])
	slices.SortFunc(together, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if !slices.Equal(together, all) {
		t.Fatal("lines are lost or doubled")
	}
	for i, half := range halves {
		if n := len(half); n < 400 || n > 600 {
			t.Errorf("half %d has %d lines of 1000", i+1, n)
		}
		early := 0
		for _, line := range half {
			if len(line) < 3 {
				early++
			}
		}
		if early < 25 || early > 75 {
			t.Errorf("half %d has %d of the first 100 lines", i+1, early)
		}
	}
}

// Documents that had a part in a choice are left out of the score.
func TestReadScoresWithout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	lines := `{"label":"a","predicted":"b","log_posterior":{"a":-3,"b":-0.05}}
{"label":"a","predicted":"a","log_posterior":{"a":-0.05,"b":-3}}
{"label":"b","predicted":"b","log_posterior":{"a":-3,"b":-0.05}}
`
	filetest.Write(t, path, lines)
	for without, want := range []float64{2. / 3, 1} {
		r, err := readScores(path, without)
		if err != nil || math.Abs(float64(r.Accuracy)-want) > 1e-12 {
			t.Errorf("without %d: accuracy %v, %v; want %v", without, r.Accuracy, err, want)
		}
	}
}

func TestOneClass(t *testing.T) {
	spam, ham := `{"label": "spam"}`, `{"label": "ham"}`
	for _, c := range []struct {
		lines []string
		want  int
	}{
		{nil, 0},
		{[]string{spam, spam}, 2},
		{[]string{spam, ham}, 2},
		{[]string{spam, spam, ham, ham, spam}, 3},
	} {
		if n, err := oneClass(c.lines); n != c.want || err != nil {
			t.Errorf("%v: %d, %v, want %d", c.lines, n, err, c.want)
		}
	}
	if _, err := oneClass([]string{spam, "x"}); err == nil {
		t.Error("a line that is no JSON is no error")
	}
}

// What is learned and what is tested share no document; a seed draws the same again, and another
// one others.
func TestDraw(t *testing.T) {
	most := slices.Max(smallSizes)
	var all []string
	for i := range most + 3*smallTest {
		all = append(all, strconv.Itoa(i))
	}
	learn, test, err := draw(all, 1)
	if err != nil || len(learn) != most || len(test) != smallTest {
		t.Fatalf("%d to learn, %d to test, %v", len(learn), len(test), err)
	}
	once := map[string]bool{}
	for _, line := range slices.Concat(learn, test) {
		if once[line] {
			t.Errorf("line %s is drawn twice", line)
		}
		once[line] = true
	}
	again, _, _ := draw(all, 1)
	second, _, _ := draw(all, 2)
	if !slices.Equal(learn, again) || slices.Equal(learn, second) {
		t.Errorf("seed 1 draws %q and %q, seed 2 %q", learn[:3], again[:3], second[:3])
	}
	if _, test, err = draw(all[:most+7], 1); len(test) != 7 || err != nil {
		t.Errorf("%d of the other 7 documents are tested, %v", len(test), err)
	}
	if _, _, err = draw(all[:most], 1); err == nil {
		t.Error("nothing is left to test, and that is no error")
	}
}

// The small sets are divided at random, and the ways are the default and three that count
// otherwise.
func TestSmallWays(t *testing.T) {
	for _, name := range smallSets {
		i := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
		if i < 0 || sets[i].stream || sets[i].test != "" {
			t.Errorf("%s is no set that is divided at random", name)
		}
	}
	seen := map[spec.Fingerprint]bool{}
	for i, c := range smallWays {
		s, err := spec.Parse([]byte("text: " + c.text))
		if err != nil {
			t.Fatal(err)
		}
		if isDefault := s.Counting() == spec.Default().Counting(); isDefault != (i == 0) || seen[s.Counting()] {
			t.Errorf("way %d, %s: the default is %v; or it is there twice", i, c.name, isDefault)
		}
		seen[s.Counting()] = true
	}
}

// The table has a row for each way and a column for each size, with the mean of the seeds.
func TestAccuracies(t *testing.T) {
	a := newAccuracies()
	for way := range smallWays {
		for size := range smallSizes {
			a[way][size] = []float64{float64(way) / 10, float64(way)/10 + float64(size)/50}
		}
	}
	var b strings.Builder
	a.write(&b, "set")
	rows := strings.Split(headOfSmall()+b.String(), "\n")
	for i, want := range map[int]string{
		0: "| data | `text` | 50 | 100 | 200 | 500 | 1000 |",
		1: "|---|---|---|---|---|---|---|",
		2: "| set | default | 0.0000 | 0.0100 | 0.0200 | 0.0300 | 0.0400 |",
		5: "| set | `stem: false, shortest: 2` | 0.3000 | 0.3100 | 0.3200 | 0.3300 | 0.3400 |",
	} {
		if rows[i] != want {
			t.Errorf("row %d: %q, want %q", i, rows[i], want)
		}
	}
}
