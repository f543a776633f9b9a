package evaluate_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/evaluate"

	"pgregory.net/rapid"
)

func plans() *rapid.Generator[evaluate.Plan] {
	return rapid.Custom(func(t *rapid.T) evaluate.Plan {
		p := evaluate.Plan{N: rapid.IntRange(2, 60).Draw(t, "documents"), Seed: rapid.Uint64().Draw(t, "seed"), Round: rapid.Uint64Range(0, 3).Draw(t, "round")}
		if rapid.Bool().Draw(t, "stratified") {
			p.Labels = rapid.SliceOfN(rapid.SampledFrom(fourNames), p.N, p.N).Draw(t, "labels")
		}
		return p
	})
}

// partition fails unless the lists are ascending and hold every document once.
func partition(t *rapid.T, n int, lists ...[]int) {
	var all []int
	for _, l := range lists {
		if !slices.IsSorted(l) {
			t.Fatalf("%v is not ascending", l)
		}
		all = append(all, l...)
	}
	slices.Sort(all)
	for i, d := range all {
		if i != d {
			t.Fatalf("%v do not hold every document once", lists)
		}
	}
	if len(all) != n {
		t.Fatalf("%d of %d documents", len(all), n)
	}
}

// countOf returns how many documents of the list have the label.
func countOf(p evaluate.Plan, list []int, label string) int {
	n := 0
	for _, d := range list {
		if p.Labels[d] == label {
			n++
		}
	}
	return n
}

func everyone(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// balanced fails unless a stratified list has its share of every class, to within some documents.
func balanced(t *rapid.T, p evaluate.Plan, list []int, share, within float64) {
	if p.Labels == nil {
		return
	}
	for _, label := range fourNames {
		want := share * float64(countOf(p, everyone(p.N), label))
		if got := countOf(p, list, label); math.Abs(float64(got)-want) > within+1e-9 {
			t.Fatalf("%d documents of %s, want %v to within %v", got, label, want, within)
		}
	}
}

func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		k := rapid.IntRange(2, p.N).Draw(t, "folds")
		splits, err := p.Folds(k)
		if err != nil {
			t.Fatal(err)
		}
		var tests [][]int
		for _, s := range splits {
			partition(t, p.N, s.Train, s.Test)
			tests = append(tests, s.Test)
			if n := len(s.Test); n != p.N/k && n != (p.N+k-1)/k {
				t.Fatalf("a fold of %d out of %d documents in %d folds", n, p.N, k)
			}
			balanced(t, p, s.Test, 1/float64(k), 1)
		}
		partition(t, p.N, tests...)
		if again, _ := p.Folds(k); !reflect.DeepEqual(again, splits) {
			t.Fatal("the same plan gave other folds")
		}
	})
}

// TestFoldsBalance: within one means that no two folds differ by more than one document of a class.
func TestFoldsBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		k := rapid.IntRange(2, p.N).Draw(t, "folds")
		splits, err := p.Folds(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range fourNames {
			least, most := p.N, 0
			for _, s := range splits {
				if p.Labels != nil {
					n := countOf(p, s.Test, label)
					least, most = min(least, n), max(most, n)
				}
			}
			if most-least > 1 {
				t.Fatalf("folds have from %d to %d documents of %s", least, most, label)
			}
		}
	})
}

func TestHoldout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		split, err := p.Holdout(share)
		if want := int(math.Floor(share*float64(p.N) + 0.5)); want == 0 || want == p.N {
			if err == nil {
				t.Fatal("a side without documents was accepted")
			}
			return
		} else if err != nil || len(split.Test) != want {
			t.Fatalf("%d documents to test, want %d: %v", len(split.Test), want, err)
		}
		partition(t, p.N, split.Train, split.Test)
		balanced(t, p, split.Test, share, 1)
		splits, err := p.Holdouts(share, 3)
		if err != nil || !reflect.DeepEqual(splits[0], split) {
			t.Fatalf("the first of three is %v, want %v: %v", splits[0], split, err)
		}
	})
}

func TestHoldoutsDiffer(t *testing.T) {
	splits, err := evaluate.Plan{N: 1000, Seed: 1}.Holdouts(0.25, 20)
	if err != nil {
		t.Fatal(err)
	}
	tested := make([]int, 1000)
	for i, s := range splits {
		for j := range i {
			if slices.Equal(s.Test, splits[j].Test) {
				t.Errorf("repetitions %d and %d are the same", i, j)
			}
		}
		for _, d := range s.Test {
			tested[d]++
		}
	}
	// Each is tested 5 times in the mean, binomially: 16 or more of 20 has a chance of 4e-7.
	if most := slices.Max(tested); most > 15 {
		t.Errorf("a document was tested %d times of 20", most)
	}
}

func TestThreeWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		heldOut, test := rapid.Float64Range(0.05, 0.45).Draw(t, "held out"), rapid.Float64Range(0.05, 0.45).Draw(t, "test")
		choose, final, err := p.ThreeWay(heldOut, test)
		if err != nil {
			if p.N > 30 {
				t.Fatal(err)
			}
			return
		}
		partition(t, p.N, choose.Train, choose.Test, final.Test)
		partition(t, p.N, final.Train, final.Test)
		balanced(t, p, final.Test, test, 1)
		balanced(t, p, choose.Test, heldOut, 2)
	})
}

func TestPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		split, err := p.Holdout(0.5)
		if err != nil {
			t.Fatal(err)
		}
		n := len(split.Train)
		sizes := evaluate.Sizes(1, n, rapid.IntRange(1, 10).Draw(t, "points"))
		sets := p.Prefixes(split.Train, sizes)
		for i, set := range sets {
			if len(set) != sizes[i] || !slices.IsSorted(set) {
				t.Fatalf("%v: want %d ascending", set, sizes[i])
			}
			for _, d := range set {
				if !slices.Contains(split.Train, d) || i+1 < len(sets) && !slices.Contains(sets[i+1], d) {
					t.Fatalf("document %d is not in the next larger set", d)
				}
			}
			if p.Labels == nil {
				continue
			}
			for _, label := range fourNames {
				want := float64(len(set)) / float64(n) * float64(countOf(p, split.Train, label))
				if got := countOf(p, set, label); math.Abs(float64(got)-want) > 2 {
					t.Fatalf("%d of %d documents have %d of %s, want about %v", len(set), n, got, label, want)
				}
			}
		}
	})
}

func TestSizes(t *testing.T) {
	for want, in := range map[string][3]int{
		"[10 20 40 80 160]": {10, 160, 5},
		"[1 2 3 4]":         {1, 4, 10},
		"[7]":               {7, 7, 3},
		"[90]":              {7, 90, 1},
		"[1 10 100 1000]":   {1, 1000, 4},
	} {
		if got := evaluate.Sizes(in[0], in[1], in[2]); fmt.Sprint(got) != want {
			t.Errorf("%v: got %v; want %s", in, got, want)
		}
	}
}

// TestSeedsArePinned: a seed in a paper must give the same folds in years to come.
func TestSeedsArePinned(t *testing.T) {
	splits, err := evaluate.Plan{N: 12, Seed: 42}.Folds(3)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(splits[0].Test, splits[1].Test, splits[2].Test); got != "[1 3 4 6] [7 8 9 11] [0 2 5 10]" {
		t.Errorf("got %s, want [1 3 4 6] [7 8 9 11] [0 2 5 10]", got)
	}
}

func TestImpossiblePlans(t *testing.T) {
	ten := evaluate.Plan{N: 10}
	for want, call := range map[string]func() error{
		"can be divided":              func() error { _, err := evaluate.Plan{N: 1}.Folds(2); return err },
		"needed, got 1":               func() error { _, err := evaluate.Plan{N: 1}.Holdout(0.5); return err },
		"have 1 labels":               func() error { _, err := evaluate.Plan{N: 3, Labels: []string{"a"}}.Folds(2); return err },
		"into 11: want 2 to 10 folds": func() error { _, err := ten.Folds(11); return err },
		"into 1: want 2 to 10":        func() error { _, err := ten.Folds(1); return err },
		"test share is NaN":           func() error { _, err := ten.Holdout(math.NaN()); return err },
		"test share is 1":             func() error { _, err := ten.Holdout(1); return err },
		"leaves 10 to learn":          func() error { _, err := ten.Holdout(0.01); return err },
		"repeated 0 times":            func() error { _, err := ten.Holdouts(0.5, 0); return err },
		"test share is 2":             func() error { _, err := ten.Holdouts(2, 1); return err },
		"together below 1":            func() error { _, _, err := ten.ThreeWay(0.5, 0.5); return err },
		"each needs one":              func() error { _, _, err := ten.ThreeWay(0.01, 0.5); return err },
		"needed, got 0":               func() error { _, _, err := evaluate.Plan{}.ThreeWay(0.2, 0.2); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
