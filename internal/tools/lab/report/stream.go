package report

import (
	"fmt"
	"math"

	"bayestream/internal/tools/lab/evaluate"
)

// streamCharts draw the accuracy and the log loss along a stream, so far and of the last documents.
func streamCharts(trace []evaluate.Progress) []*chart {
	if len(trace) == 0 {
		return nil
	}
	accuracy := func(p *evaluate.Point) float64 { return float64(p.Accuracy) }
	loss := func(p *evaluate.Point) float64 { return float64(p.LogLoss) }
	low, _ := settled(trace, accuracy)
	_, high := settled(trace, loss)
	a := streamChart(trace, "stream", "Along the stream: accuracy", "accuracy",
		axis{from: max(0, min(math.Floor(low*10)/10, 0.9)), to: 1}, accuracy)
	l := streamChart(trace, "stream-loss", "Along the stream: log loss", "log loss", axis{from: 0, to: roof(high)}, loss)
	a.About = "Every document is tested before it is learned. " + a.About
	l.About = "Mean of -ln P(true class), in nats; the surer a wrong answer, the more it costs. " + l.About
	a.Data = streamTable(trace)
	l.Data = a.Data
	return []*chart{a, l}
}

// settled returns the least and the largest value after the first fiftieth of the stream: earlier
// values would stretch the axis.
func settled(trace []evaluate.Progress, of func(*evaluate.Point) float64) (low, high float64) {
	low = math.Inf(1)
	high = math.Inf(-1)
	for i := len(trace) / 50; i < len(trace); i++ {
		for _, p := range []*evaluate.Point{&trace[i].Point, &trace[i].Window} {
			low = min(low, of(p))
			high = max(high, of(p))
		}
	}
	return low, high
}

// streamChart draws one score, so far and of the window.
func streamChart(trace []evaluate.Progress, id, title, what string, y axis, of func(*evaluate.Point) float64) *chart {
	last := trace[len(trace)-1]
	c := newChart(id, title, "documents", what, axis{from: 0, to: float64(last.N)}, y)
	cut := 0
	all := func(i int) (x, v float64) { return float64(trace[i].N), of(&trace[i].Point) }
	window := func(i int) (x, v float64) { return float64(trace[i].N), of(&trace[i].Window) }
	for i := range trace {
		_, a := all(i)
		_, w := window(i)
		if y.clamp(a) != a || y.clamp(w) != w {
			cut = i + 1
		}
	}
	if cut > 0 {
		c.About = fmt.Sprintf("Values of the first %s documents that lie beyond the axis are drawn at its end.",
			thousands(trace[cut-1].N))
	}
	c.add("so far", fmt.Sprintf("%.4f at the end", of(&last.Point)), c.path(len(trace), all))
	c.add("in the window", fmt.Sprintf("%.4f of the last %s", of(&last.Window), thousands(last.Window.N)),
		c.path(len(trace), window))
	return c
}

// streamTable lists the scores at about twenty places of the stream.
func streamTable(trace []evaluate.Progress) *table {
	t := &table{Name: "Scores along the stream", Head: []string{"documents", "accuracy", "in the window", "log " +
		"loss", "in the window", "kappa", "in the window"}}
	step := max(1, len(trace)/20)
	for i := range trace {
		if p := &trace[i]; i == len(trace)-1 || (i+1)%step == 0 {
			t.Rows = append(t.Rows, []string{
				thousands(p.N), score(p.Accuracy), score(p.Window.Accuracy), score(p.LogLoss), score(p.Window.LogLoss),
				score(p.Kappa), score(p.Window.Kappa),
			})
		}
	}
	return t
}
