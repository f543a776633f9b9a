package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Plan divides documents into what is learned and what is asked. Documents are numbers from 0 to
// N-1, and every list of them that comes out is ascending, so that a stream stays in its order. The
// same plan gives the same lists on every machine and with every Go release: chance comes from the
// PCG generator of math/rand/v2, seeded by Seed and Round, and nothing else.
type Plan struct {
	N      int      // documents
	Labels []string // of the documents, to divide each class alike; nil: not stratified
	Seed   uint64
	Round  uint64 // repetitions of one seed: every round draws again
}

// Split is one way to divide documents.
type Split struct {
	Train []int
	Test  []int
}

// check reports a plan that cannot be carried out.
func (p Plan) check() error {
	if p.N < 2 {
		return fmt.Errorf("nothing can be divided: at least 2 documents are needed, got %d", p.N)
	}
	if p.Labels != nil && len(p.Labels) != p.N {
		return fmt.Errorf("%d documents have %d labels", p.N, len(p.Labels))
	}
	return nil
}

// shuffled returns the documents in random order; of a stratified plan class after class by name,
// each class in random order.
func (p Plan) shuffled() []int {
	order := rand.New(rand.NewPCG(p.Seed, p.Round)).Perm(p.N)
	if p.Labels != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Labels[a], p.Labels[b]) })
	}
	return order
}

// Holdout sets aside a share of the documents for testing: round(share N) of them, and of each
// class of a stratified plan its share to within one.
func (p Plan) Holdout(share float64) (Split, error) {
	if err := p.check(); err != nil {
		return Split{}, err
	}
	if !(share > 0 && share < 1) {
		return Split{}, fmt.Errorf("test share is %v: want a number between 0 and 1", share)
	}
	test, train := take(p.shuffled(), share)
	if len(test) == 0 || len(train) == 0 {
		return Split{}, fmt.Errorf("test share %v of %d documents leaves %d to learn and %d to test: both need one", share,
			p.N, len(train), len(test))
	}
	return Split{Train: ascending(train), Test: ascending(test)}, nil
}

// take divides a list evenly: of its first j, round(share j) are taken, for every j. So it is even
// in every stretch of the list, that is in every class.
func take(order []int, share float64) (taken, rest []int) {
	before := 0.0
	for j, d := range order {
		now := math.Floor(share*float64(j+1) + 0.5)
		if now > before {
			taken = append(taken, d)
		} else {
			rest = append(rest, d)
		}
		before = now
	}
	return taken, rest
}

func ascending(list []int) []int {
	slices.Sort(list)
	return list
}

// Holdouts repeats Holdout, each time with another draw.
func (p Plan) Holdouts(share float64, times int) ([]Split, error) {
	if times < 1 {
		return nil, fmt.Errorf("holdout is to be repeated %d times: want 1 or more", times)
	}
	splits := make([]Split, times)
	for i := range splits {
		var err error
		if splits[i], err = p.Holdout(share); err != nil {
			return nil, err
		}
		p.Round++
	}
	return splits, nil
}

// Folds divides the documents into k parts, each of which is tested once by what is learned from
// the others (Stone 1974). The parts' sizes differ by one at most, and so do their documents of
// each class in a stratified plan (Kohavi 1995).
func (p Plan) Folds(k int) ([]Split, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if k < 2 || k > p.N {
		return nil, fmt.Errorf("%d documents are to be divided into %d: want 2 to %d folds", p.N, k, p.N)
	}
	part := make([]int, p.N) // by document
	for i, d := range p.shuffled() {
		part[d] = i % k
	}
	splits := make([]Split, k)
	for d, test := range part {
		for f := range splits {
			if f == test {
				splits[f].Test = append(splits[f].Test, d)
			} else {
				splits[f].Train = append(splits[f].Train, d)
			}
		}
	}
	return splits, nil
}

// ThreeWay divides documents for choosing between models: choose tells by held out documents which is
// best, and final, whose tested documents had no part in the choice, how good that one is.
func (p Plan) ThreeWay(heldOut, test float64) (choose, final Split, err error) {
	if !(heldOut > 0 && test > 0 && heldOut+test < 1) {
		return choose, final, fmt.Errorf("held-out share %v and test share %v: both must be above 0, and together below 1",
			heldOut, test)
	}
	if err := p.check(); err != nil {
		return choose, final, err
	}
	tested, rest := take(p.shuffled(), test)
	held, learned := take(rest, heldOut/(1-test))
	if len(tested) == 0 || len(held) == 0 || len(learned) == 0 {
		return choose, final, fmt.Errorf("shares %v and %v of %d documents leave %d to learn, %d held out, %d to test: each "+
			"needs one", heldOut, test, p.N, len(learned), len(held), len(tested))
	}
	choose = Split{Train: ascending(learned), Test: ascending(held)}
	return choose, Split{Train: ascending(rest), Test: ascending(tested)}, nil
}

// Sizes returns training sizes for a learning curve: at most points of them, ascending from least
// to most, growing by a constant factor, since what matters is how often the data doubled.
func Sizes(least, most, points int) []int {
	if points == 1 || least == most {
		return []int{most}
	}
	var sizes []int
	step := math.Log(float64(most)/float64(least)) / float64(points-1)
	for i := range points {
		size := int(math.Round(float64(least) * math.Exp(step*float64(i))))
		if n := len(sizes); n == 0 || size > sizes[n-1] {
			sizes = append(sizes, min(size, most))
		}
	}
	return sizes
}

// Prefixes returns training sets of the given sizes out of train, each a part of the next: the
// points of a learning curve differ by what was added, not by luck. In a stratified plan every one
// of them has the classes in the same shares, as far as whole documents allow.
func (p Plan) Prefixes(train, sizes []int) [][]int {
	order := p.interleaved(train)
	out := make([][]int, len(sizes))
	for i, size := range sizes {
		out[i] = ascending(slices.Clone(order[:size]))
	}
	return out
}

// interleaved returns train in random order; of a stratified plan such that the r-th of m documents
// of a class is at (r + 1/2)/m of the way, so that any prefix has its share of every class.
func (p Plan) interleaved(train []int) []int {
	order := slices.Clone(train)
	rng := rand.New(rand.NewPCG(p.Seed, p.Round))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if p.Labels == nil {
		return order
	}
	size, rank := map[string]int{}, map[string]int{}
	for _, d := range order {
		size[p.Labels[d]]++
	}
	at := make(map[int]float64, len(order))
	for _, d := range order {
		label := p.Labels[d]
		at[d] = (float64(rank[label]) + 0.5) / float64(size[label])
		rank[label]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	return order
}
