package tune

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/core/spec"
	"bayestream/internal/tools/demo/news"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

// corpus returns n news items as a spec counts them.
func corpus(n int) func(*spec.Spec) (*experiment.Corpus, error) {
	g := news.New(3)
	var lines []byte
	for range n {
		x := g.Next()
		lines = append(labelled.AppendTraining(lines, x.ID, x.Label, x.Text), '\n')
	}
	return func(s *spec.Spec) (*experiment.Corpus, error) {
		r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s}, strings.NewReader(string(lines)))
		if err != nil {
			return nil, err
		}
		return experiment.ReadCorpus(s, r, &dataset.OnBad{})
	}
}

func axes(t *testing.T, texts ...string) (out []Axis) {
	t.Helper()
	for _, text := range texts {
		a, err := ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a)
	}
	return out
}

func TestParseAxis(t *testing.T) {
	a, err := ParseAxis("text.chars=[3, 5],[2,4]")
	if want := (Axis{"text.chars", []string{"[3, 5]", "[2,4]"}}); err != nil || !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v, %v, want %+v", a, err, want)
	}
	for _, bad := range []string{"", "text.alpha", "=1", "text.alpha=", "a=1,,2", "a=1,1", "a..b=1", "a[x]=1", "a[1=1", "a[-1]=1", "a[0]b=1"} {
		if a, err := ParseAxis(bad); err == nil {
			t.Errorf("%q: got %+v, want an error", bad, a)
		}
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		text, setting, value string
		read                 func(*spec.Spec) any
		want                 any
	}{
		{"", "text.alpha", "0.25", func(s *spec.Spec) any { return s.Text.Alpha }, 0.25},
		{"name: x\n# a comment\ntext: {field: body}", "text.ngrams", "2", func(s *spec.Spec) any { return s.Text.NGrams }, 2},
		{"text:", "text.chars", "[3, 5]", func(s *spec.Spec) any { return s.Text.Chars }, []int{3, 5}},
		{"numbers: [{fields: [x]}, {fields: [y], likelihood: lda}]", "numbers[1].shrinkage", "oas", func(s *spec.Spec) any { return s.Numbers[1].Shrinkage.OAS }, true},
		{"numbers: [{fields: [x]}]", "prior", "{a: 0.1, b: 0.9}", func(s *spec.Spec) any { return s.Prior.Given["b"] }, 0.9},
		{"", "decision.reject", "0.1", func(s *spec.Spec) any { return *s.Decision.Reject }, 0.1},
	} {
		s, err := apply([]byte(c.text), []Setting{{c.setting, c.value}})
		if err != nil {
			t.Errorf("%q with %s=%s: %v", c.text, c.setting, c.value, err)
			continue
		}
		if got := c.read(s); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q with %s=%s: got %v, want %v", c.text, c.setting, c.value, got, c.want)
		}
	}
	for _, bad := range []Setting{{"text.alhpa", "1"}, {"text.alpha", "-1"}, {"numbers[0].scale", "1"}, {"text.alpha.x", "1"}, {"text.alpha", "["}, {"name[0]", "1"}} {
		if s, err := apply([]byte("text: {alpha: 1}\nname: x"), []Setting{bad}); err == nil {
			t.Errorf("%s: got %s, want an error", bad, s.YAML())
		}
	}
}

func TestPointsAreAllCombinations(t *testing.T) {
	points, err := combine(axes(t, "a=1,2", "b=x,y,z"))
	if err != nil || len(points) != 6 || points[0][1] != (Setting{"b", "x"}) || points[5][0] != (Setting{"a", "2"}) {
		t.Errorf("got %v, %v", points, err)
	}
	if _, err := combine(axes(t, "a=1,2", "a=3")); err == nil {
		t.Error("a field that is there twice went through")
	}
	long := make([]string, 400)
	for i := range long {
		long[i] = strings.Repeat("x", i+1)
	}
	if _, err := combine([]Axis{{"a", long}, {"b", long}}); err == nil {
		t.Error("160,000 points went through")
	}
}

// The documents of the test have no part in the choice, and every document is used.
func TestDivisionsKeepTheTestApart(t *testing.T) {
	c, err := corpus(101)(spec.Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []Way{
		{Holdout: 0.2, Test: 0.3, Seed: 1}, {Holdout: 0.2, Test: 0.3, Seed: 2, Stratify: true},
		{Folds: 5, Test: 0.25, Seed: 1}, {Folds: 5, Test: 0.25, Seed: 1, Stratify: true},
	} {
		d, err := w.divide(c)
		if err != nil {
			t.Fatalf("%+v: %v", w, err)
		}
		tested := map[int]int{}
		for _, s := range d.choose {
			for _, i := range slices.Concat(s.Train, s.Test) {
				if slices.Contains(d.final.Test, i) {
					t.Fatalf("%+v: document %d is in the test and in the choice", w, i)
				}
			}
			if !slices.IsSorted(s.Train) || !slices.IsSorted(s.Test) {
				t.Errorf("%+v: a split is out of order", w)
			}
			for _, i := range s.Test {
				tested[i]++
			}
		}
		all := slices.Concat(d.final.Train, d.final.Test)
		slices.Sort(all)
		for i := range 101 {
			if all[i] != i {
				t.Fatalf("%+v: document %d is missing or there twice", w, i)
			}
		}
		if w.Folds > 0 && len(tested) != len(d.final.Train) {
			t.Errorf("%+v: %d documents were tested in folds, of %d", w, len(tested), len(d.final.Train))
		}
	}
}

// A point of the grid scores what eval says of its spec.
func TestSearchAgreesWithEval(t *testing.T) {
	read := corpus(300)
	s := &Search{Axes: axes(t, "text.alpha=0.01,1,50", "text.ngrams=1,2"), Way: Way{Folds: 4, Seed: 5}, Metric: LogLoss, Read: read}
	found, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Results) != 6 || found.Documents != 300 || found.Test != nil {
		t.Fatalf("got %d points, %d documents, test %v", len(found.Results), found.Documents, found.Test)
	}
	for i, r := range found.Results {
		if i > 0 && r.LogLoss < found.Results[i-1].LogLoss {
			t.Errorf("point %d is better than the one before", i)
		}
		c, err := read(r.Spec)
		if err != nil {
			t.Fatal(err)
		}
		folds, err := evaluate.Plan{N: 300, Seed: 5}.Folds(4)
		if err != nil {
			t.Fatal(err)
		}
		want, err := experiment.CrossValidate(t.Context(), c, folds, evaluate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if float64(r.LogLoss) != want.Scores.LogLoss() || float64(r.Accuracy) != want.Scores.Confusion().Accuracy() {
			t.Errorf("%v: log loss %v, accuracy %v; eval says %v and %v", r.Point, r.LogLoss, r.Accuracy, want.Scores.LogLoss(), want.Scores.Confusion().Accuracy())
		}
	}
}

// A point that cannot be evaluated is said to be so, and the others are tried.
func TestSearchPassesOverWhatDoesNotFit(t *testing.T) {
	rows := "x,y,label\n"
	for i := range 12 {
		rows += []string{"1,2,a\n", "3,6,b\n"}[i%2] // every class has one value: no variance
	}
	read := func(s *spec.Spec) (*experiment.Corpus, error) {
		r, err := dataset.Open(dataset.Options{Format: dataset.CSV, Spec: s}, strings.NewReader(rows))
		if err != nil {
			return nil, err
		}
		return experiment.ReadCorpus(s, r, &dataset.OnBad{})
	}
	s := &Search{Text: []byte("numbers: [{fields: [x, y]}]"), Axes: axes(t, "numbers[0].var_smoothing=0,0.1"), Way: Way{Folds: 3}, Metric: Accuracy, Read: read}
	found, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found.Results[0].Problem != "" || found.Results[0].Accuracy != 1 || !strings.Contains(found.Results[1].Problem, "cannot be evaluated") {
		t.Errorf("got %+v and %+v", found.Results[0], found.Results[1])
	}
	s.Axes = axes(t, "numbers[0].var_smoothing=0")
	if _, err := s.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no point of the grid can be evaluated: ") {
		t.Errorf("nothing fits: %v", err)
	}
}
