package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

func curve() *experiment.ErrorCurve {
	summary := func(mean, sd float64) evaluate.Summary {
		return evaluate.Summary{N: 3, Mean: evaluate.Number(mean), SD: evaluate.Number(sd)}
	}
	return &experiment.ErrorCurve{
		Rounds: 3, Learnt: 80, HeldOut: 20, Asked: experiment.ErrorCurveAsked{HeldOut: 10, Learned: 100}, Majority: summary(0.5, 0), LeftOut: []int{12, 15},
		Points: []experiment.ErrorPoint{
			{Size: 10, Learned: summary(0, 0), HeldOut: summary(0.4, 0.1)}, {Size: 30, Learned: summary(0.05, 0.02), HeldOut: summary(0.2, 0.3)},
			{Size: 80, Learned: summary(0.1, 0.01), HeldOut: summary(0.15, math.NaN())},
		},
	}
}

func TestLearningChart(t *testing.T) {
	c := learningChart(curve(), "")
	if len(c.Fills) != 2 || len(c.Marks) != 2 || len(c.Lines) != 3 || len(c.Data.Rows) != 3 || c.Y.from != 0 {
		t.Errorf("%d bands, %d rows of marks, %d lines, %d rows", len(c.Fills), len(c.Marks), len(c.Lines), len(c.Data.Rows))
	}
	for _, want := range []string{"over 3 random rounds", "80 documents", "20 others", "at most 10 of the held-out ones and 100 of the learned ones", "Without a point: 12, 15 documents"} {
		if !strings.Contains(c.About, want) {
			t.Errorf("it does not say %q: %s", want, c.About)
		}
	}
	if got := c.Legend[1].Note; got != "0.1500 after 80 documents" {
		t.Errorf("the end is written %q", got)
	}
	e := curve()
	e.Majority.Mean = 0.9
	for i := range e.Points {
		e.Points[i].HeldOut.Mean = 0.1
		e.Points[i].HeldOut.SD = 0.01
	}
	if c := learningChart(e, ""); len(c.Lines) != 2 || !strings.Contains(c.About, "an error of 0.9000, beyond the axis") || c.Y.to > 0.3 {
		t.Errorf("%d lines up to %v: a baseline far above presses the curves together", len(c.Lines), c.Y.to)
	}
	e.Points = nil
	if c := learningChart(e, ""); c.Empty == "" {
		t.Error("a curve without points is drawn")
	}
	if c := learningChart(nil, ""); c != nil {
		t.Error("a chart that was not asked for")
	}
}

func TestStreamCharts(t *testing.T) {
	_, _, trace := scores(t, []string{"a", "b"}, 60)
	charts := streamCharts(trace)
	if len(charts) != 2 || charts[0].Data == nil {
		t.Fatalf("%d charts", len(charts))
	}
	for _, c := range charts {
		if len(c.Lines) != 2 || !strings.Contains(c.Legend[1].Note, "of the last 5") {
			t.Errorf("%s: %d curves, %+v", c.Title, len(c.Lines), c.Legend)
		}
	}
	last := charts[0].Data.Rows[len(charts[0].Data.Rows)-1]
	if last[0] != "60" || last[1] != score(trace[59].Accuracy) {
		t.Errorf("the table ends with %v", last)
	}
	low := make([]evaluate.Progress, 200)
	for i := range low {
		p := evaluate.Point{N: int64(i + 1), Accuracy: 0.95, LogLoss: 0.1}
		if i == 1 {
			p.Accuracy = 0
			p.LogLoss = 30
		}
		low[i] = evaluate.Progress{Point: p, Window: p}
	}
	for _, c := range streamCharts(low) {
		if !strings.Contains(c.About, "first 2 documents that lie beyond the axis") || c.Y.to > 1 {
			t.Errorf("%s up to %v: %s", c.Title, c.Y.to, c.About)
		}
	}
}

// The table of many classes keeps its sums when the small ones are put together.
func TestConfusionOfManyClasses(t *testing.T) {
	var classes []string
	for i := range 40 {
		classes = append(classes, fmt.Sprintf("class %02d", i))
	}
	s, r, _ := scores(t, classes, 500)
	m := newMatrix(s.Confusion(), r)
	if len(m.Labels) != maxRows+1 || m.Labels[maxRows] != "25 others" || !m.Upright {
		t.Fatalf("labels %q, upright %v", m.Labels, m.Upright)
	}
	var all, hits int64
	for i, row := range m.Rows {
		var sum int64
		for j, cell := range row.Cells {
			sum += cell.N
			if cell.Hit {
				hits += cell.N
			}
			if cell.Mixed != (i == maxRows && j == maxRows) {
				t.Errorf("field %d, %d: mixed %v", i, j, cell.Mixed)
			}
		}
		if sum != row.N {
			t.Errorf("row %s adds up to %d, not %d", row.Label, sum, row.N)
		}
		all += sum
	}
	if want := int64(math.Round(float64(r.Accuracy) * 500)); all != 500 || hits > want {
		t.Errorf("%d documents of 500, %d on the diagonal of %d right ones", all, hits, want)
	}
	for i := range classes {
		classes[i] += " with a name that is too long"
	}
	s, r, _ = scores(t, classes, 500)
	if m := newMatrix(s.Confusion(), r); m.Upright || m.Heads[3] != "4" || m.Rows[3].Number != "4" || m.Rows[3].Label != classes[3] {
		t.Errorf("columns %q, rows %+v: want numbers", m.Heads, m.Rows[3])
	}
	if small, _, _ := scores(t, classes[:16], 100); len(newMatrix(small.Confusion(), r).Labels) != 16 {
		t.Error("a row of others for one class")
	}
}

func TestTopTermsOfManyClasses(t *testing.T) {
	var all []Class
	for i := range 30 {
		all = append(all, Class{Name: fmt.Sprintf("c%02d", i), Documents: int64(i % 20)})
	}
	got := firstClasses(all)
	if len(got) != maxTop || got[0].Name != "c09" || got[maxTop-1].Name != "c29" {
		t.Errorf("%+v", got)
	}
}

// A class that is never right has its precision at each recall, and the largest that a threshold
// gives.
func TestPrecisionAt(t *testing.T) {
	pr := &evaluate.PR{Points: []evaluate.PRPoint{{Recall: 0, Precision: 1}, {Recall: 0.5, Precision: 0.4}, {Recall: 0.5, Precision: 0.6}, {Recall: 1, Precision: 0.5}}}
	for recall, want := range map[float64]float64{0.1: 0.6, 0.5: 0.6, 0.9: 0.5, 1: 0.5} {
		if got := precisionAt(pr, recall); got != want {
			t.Errorf("at recall %v the precision is %v, want %v", recall, got, want)
		}
	}
}
