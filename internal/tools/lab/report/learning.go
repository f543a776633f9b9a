package report

import (
	"fmt"
	"math"
	"strings"

	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

const (
	learningID    = "learning"
	learningTitle = "Learning curve"
)

// learningChart draws the error over the number of documents learned; nil if it was not asked for.
func learningChart(e *experiment.ErrorCurve, why string) *chart {
	switch {
	case e == nil:
		return noChart(learningID, learningTitle, why)
	case len(e.Points) == 0:
		return noChart(learningID, learningTitle, "Not drawn: at none of the sizes tried could the model be evaluated for "+
			"every class in every round.")
	}
	highest := 0.0
	for _, p := range e.Points {
		for _, s := range []evaluate.Summary{p.Learned, p.HeldOut} {
			highest = max(highest, float64(s.Mean)+spreadOf(s))
		}
	}
	guess := float64(e.Majority.Mean)
	isNear := guess <= 3*highest // farther, it would flatten the curves
	if isNear {
		highest = max(highest, guess)
	}
	first := float64(e.Points[0].Size)
	last := float64(e.Points[len(e.Points)-1].Size)
	c := newChart(learningID, learningTitle, "documents learned (log scale)", "error",
		axis{from: first, to: last, log: true}, axis{from: 0, to: min(1, roof(highest))})
	c.About = learningAbout(e)
	c.Data = &table{Name: "Error over documents learned",
		Head: []string{"learned", "held out", "sd", "on what was learned", "sd"}}
	for _, p := range e.Points {
		c.Data.Rows = append(c.Data.Rows, []string{thousands(int64(p.Size)), score(p.HeldOut.Mean), score(p.HeldOut.SD),
			score(p.Learned.Mean), score(p.Learned.SD)})
	}
	if isNear {
		c.Lines = append(c.Lines, shape{"reference", c.line(first, guess, last, guess)})
		c.Legend = append(c.Legend,
			entry{Line: "reference", Name: "always the largest class", Note: fmt.Sprintf("%.4f", guess)})
	} else {
		c.About += fmt.Sprintf(" Always naming the largest class has an error of %.4f, beyond the axis.", guess)
	}
	c.errors(e, 0, "held out", func(p *experiment.ErrorPoint) evaluate.Summary { return p.HeldOut })
	c.errors(e, 1, "on what was learned", func(p *experiment.ErrorPoint) evaluate.Summary { return p.Learned })
	return c
}

// learningAbout says how the learning curve was measured.
func learningAbout(e *experiment.ErrorCurve) string {
	learnt := thousands(int64(e.Learnt))
	held := thousands(int64(e.HeldOut))
	about := fmt.Sprintf("Share of documents with a wrong label: mean and, as a band, standard deviation over %d random "+
		"rounds. In each, growing parts of %s documents "+
		"are learned, each part within the next and each class by its share, whatever their order in the "+
		"file; ", e.Rounds, learnt)
	if e.Rounds == 1 {
		about = fmt.Sprintf("Share of documents with a wrong label, in one round, so without a spread: growing parts of %s "+
			"documents are learned; ", learnt)
	}
	if e.Apart {
		about += fmt.Sprintf("held out are the %s of the test file. The last part is the whole set, the same in all rounds.",
			held)
	} else {
		about += held + " others, drawn again for each round, are held out."
	}
	if e.HeldOut > e.Asked.HeldOut || e.Learnt > e.Asked.Learned {
		about += fmt.Sprintf(" At a point, at most %s of the held-out ones and %s of the learned ones are tested.",
			thousands(int64(e.Asked.HeldOut)), thousands(int64(e.Asked.Learned)))
	}
	if len(e.LeftOut) > 0 {
		var sizes []string
		for _, size := range e.LeftOut {
			sizes = append(sizes, thousands(int64(size)))
		}
		about += fmt.Sprintf(" Without a point: %s documents, because in some round a class had too few of them for its "+
			"numbers.", strings.Join(sizes, ", "))
	}
	return about
}

// errors draws one of the two curves: its band, its line and its marks.
func (c *chart) errors(e *experiment.ErrorCurve, i int, name string, of func(*experiment.ErrorPoint) evaluate.Summary) {
	n := len(e.Points)
	at := func(k int) (x float64, s evaluate.Summary) { return float64(e.Points[k].Size), of(&e.Points[k]) }
	if n > 1 {
		c.Fills = append(c.Fills, shape{style("band", i), c.band(n, func(k int) (x, low, high float64) {
			x, s := at(k)
			return x, float64(s.Mean) - spreadOf(s), float64(s.Mean) + spreadOf(s)
		})})
	}
	c.Lines = append(c.Lines, shape{style("curve", i), c.path(n, func(k int) (x, y float64) {
		x, s := at(k)
		return x, float64(s.Mean)
	})})
	var marks strings.Builder
	for k := range n {
		x, s := at(k)
		marks.WriteString(mark(i, c.X.at(x), c.Y.at(float64(s.Mean)), 3.2))
	}
	c.Marks = append(c.Marks, shape{style("mark", i), marks.String()})
	_, end := at(n - 1)
	c.Legend = append(c.Legend, entry{
		Line: style("curve", i), Mark: keyMark(i), MarkClass: style("mark", i), Name: name,
		Note: fmt.Sprintf("%s after %s documents", plusMinus(end), thousands(int64(e.Points[n-1].Size))),
	})
}

// plusMinus writes a mean with its standard deviation.
func plusMinus(s evaluate.Summary) string {
	if math.IsNaN(float64(s.SD)) {
		return fmt.Sprintf("%.4f", s.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", s.Mean, s.SD)
}

// spreadOf returns the standard deviation, 0 if it is not defined.
func spreadOf(s evaluate.Summary) float64 {
	if math.IsNaN(float64(s.SD)) {
		return 0
	}
	return float64(s.SD)
}

// roof returns a round number above v, for the end of an axis that starts at 0.
func roof(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	values := roundNumbers(0, v*1.02)
	return values[len(values)-1] + values[1]
}

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
	t := &table{Name: "Scores along the stream",
		Head: []string{"documents", "accuracy", "in the window", "log loss", "in the window", "kappa", "in the window"}}
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
