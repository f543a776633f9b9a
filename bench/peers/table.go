//go:build unix

package main

import (
	"fmt"
	"io"
	"strings"

	"bayestream/bench/timing"
)

// runs holds the runs of a peer on a set by round; empty if it failed.
type runs []run

// figures are the medians of a peer's runs. A ratio is the median of the ratios of the rounds.
type figures struct {
	run
	ofLimit struct{ train, classify float64 } // share
	slower  struct{ train, classify float64 } // than bayestream
}

func (r runs) median(f func(run) float64) float64 {
	return r.ratio(r, func(a, _ run) float64 { return f(a) })
}

// ratio returns the median over the rounds of f of two peers.
func (r runs) ratio(to runs, f func(a, b run) float64) float64 {
	var all []float64
	for i := range min(len(r), len(to)) {
		all = append(all, f(r[i], to[i]))
	}
	return timing.Median(all)
}

func (r runs) figures(limit, ours runs) (f figures) {
	f.train = r.median(func(x run) float64 { return x.train })
	f.classify = r.median(func(x run) float64 { return x.classify })
	f.right = r.median(func(x run) float64 { return x.right })
	f.memory = r.median(func(x run) float64 { return x.memory })
	train := func(a, b run) float64 { return a.train / b.train }
	f.ofLimit.train = r.ratio(limit, train)
	f.slower.train = ours.ratio(r, train)
	classify := func(a, b run) float64 { return a.classify / b.classify }
	f.ofLimit.classify = r.ratio(limit, classify)
	f.slower.classify = ours.ratio(r, classify)
	return f
}

// writeTable writes the figures of the peers on a set, as Markdown.
func writeTable(w io.Writer, c *corpus, h *held, all []peer, by map[string]runs) {
	fmt.Fprintf(w, "### %s: %s\n\n%.1f MB of text to learn, %.1f MB in %d texts to label\n\n", c.name, c.about,
		float64(h.learnBytes)/1e6, float64(h.bytes(len(h.labels)))/1e6, len(h.labels))
	fmt.Fprintln(w, "| | train MB/s | of the limit | bayestream is faster | classify MB/s | of the limit | bayestream "+
		"is faster | right | peak MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, p := range all {
		r := by[p.name]
		if len(r) == 0 {
			continue
		}
		f := r.figures(by[limit], by[ours])
		right := fmt.Sprintf("%.4f", f.right)
		if p.name == limit {
			right = ""
		}
		cells := []string{
			p.name, digits(f.train), digits(f.ofLimit.train), times(p.name, f.slower.train),
			digits(f.classify), digits(f.ofLimit.classify), times(p.name, f.slower.classify), right, fmt.Sprintf("%.0f",
				f.memory),
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintln(w)
}

// times returns how many times as fast as a peer the product is; "" in its own rows.
func times(name string, ratio float64) string {
	if ratio == 0 || name == limit || strings.HasPrefix(name, ours) {
		return ""
	}
	return digits(ratio) + " x"
}

// digits writes a number with two significant digits, or without decimals from 10 on; "" for 0,
// which was not measured.
func digits(x float64) string {
	switch {
	case x == 0:
		return ""
	case x >= 9.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 0.995:
		return fmt.Sprintf("%.1f", x)
	case x >= 0.0995:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%#.2g", x)
}
