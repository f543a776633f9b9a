package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Sizes returns training sizes for a learning curve: at most points of them, ascending from least
// to most, growing by a constant factor, since what matters is how often the data doubled.
func Sizes(least, most, points int) ([]int, error) {
	if least < 1 || most < least || points < 1 {
		return nil, fmt.Errorf("learning curve of %d sizes from %d to %d documents: want at least one, ascending, from 1 on",
			points, least, most)
	}
	if points == 1 || least == most {
		return []int{most}, nil
	}
	var sizes []int
	step := math.Log(float64(most)/float64(least)) / float64(points-1)
	for i := range points {
		size := int(math.Round(float64(least) * math.Exp(step*float64(i))))
		if n := len(sizes); n == 0 || size > sizes[n-1] {
			sizes = append(sizes, min(size, most))
		}
	}
	return sizes, nil
}

// Prefixes returns training sets of the given sizes out of train, each a part of the next: the
// points of a learning curve differ by what was added, not by luck. In a stratified plan every one
// of them has the classes in the same shares, as far as whole documents allow.
func (p Plan) Prefixes(train, sizes []int) ([][]int, error) {
	order, err := p.interleaved(train)
	if err != nil {
		return nil, err
	}
	out := make([][]int, len(sizes))
	for i, size := range sizes {
		if size < 1 || size > len(train) {
			return nil, fmt.Errorf("training set of %d out of %d documents: want 1 to %d", size, len(train), len(train))
		}
		out[i] = ascending(slices.Clone(order[:size]))
	}
	return out, nil
}

// interleaved returns train in random order; of a stratified plan such that the r-th of m documents
// of a class is at (r + 1/2)/m of the way, so that any prefix has its share of every class.
func (p Plan) interleaved(train []int) ([]int, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for _, d := range train {
		if d < 0 || d >= p.N {
			return nil, fmt.Errorf("training set has document %d of %d", d, p.N)
		}
	}
	order := slices.Clone(train)
	rng := rand.New(rand.NewPCG(p.Seed, p.Round))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if p.Labels == nil {
		return order, nil
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
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return 0
	})
	return order, nil
}
