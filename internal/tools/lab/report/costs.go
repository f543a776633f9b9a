package report

import (
	"fmt"

	"bayestream/internal/tools/lab/evaluate"
)

// costChart draws what the decisions cost over how much more a false positive costs than a missed
// positive; nil where there are no two classes.
func costChart(r *evaluate.Report) *chart {
	if r.Binary == nil || len(r.Binary.Costs) == 0 {
		return nil
	}
	costs := r.Binary.Costs
	share := func(c *evaluate.Cost, v evaluate.Number) float64 { return float64(v) / (1 + c.Cost) }
	most := 0.0
	for i := range costs {
		most = max(most, share(&costs[i], costs[i].PerDocument), share(&costs[i], costs[i].Trivial))
	}
	c := newChart("costs", "Costs", "share of a false positive in the costs", "cost of a document", unit,
		axis{from: 0, to: max(most, 1e-6)})
	c.Data = &table{Name: "Cost of a document by the cost of a false positive",
		Head: []string{"a false positive costs", "FPR", "FNR", "cost", "best threshold", "one label for all"}}
	for _, x := range costs {
		c.Data.Rows = append(c.Data.Rows, []string{fmt.Sprintf("%g", x.Cost), score(x.FPR), score(x.FNR),
			score(x.PerDocument), score(x.Best), score(x.Trivial)})
	}
	line := func(name string, of func(*evaluate.Cost) evaluate.Number) {
		c.add(name, "", c.path(len(costs),
			func(i int) (x, y float64) { return costs[i].Threshold, share(&costs[i], of(&costs[i])) }))
	}
	line("by the posterior", func(x *evaluate.Cost) evaluate.Number { return x.PerDocument })
	line("with the best threshold", func(x *evaluate.Cost) evaluate.Number { return x.Best })
	line("one label for all", func(x *evaluate.Cost) evaluate.Number { return x.Trivial })
	c.About = "What a document costs if the two kinds of error cost 1 together, a false positive of " + r.Binary.Positive +
		" this share of it, and each document gets the label of least expected cost. Between the first and the second line " +
		"lies what is lost because posteriors are too sure, or not sure enough; the table has the costs of errors where a " +
		"missed positive costs 1."
	return c
}
