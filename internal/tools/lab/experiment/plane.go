package experiment

import (
	"fmt"
	"math"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
)

// Plane holds the decisions of a model of two numbers at every point of a grid, and its training
// documents.
type Plane struct {
	Fields     [2]string
	Likelihood string // gaussian, lda or qda
	Classes    []PlaneClass
	Points     []PlanePoint
	Missing    int  // documents that lack a number and are not in Points
	HasRisk    bool // the spec has losses or a reject option: Score is minus the risk
	HasReject  bool // there is a reject option: its score and label come after those of the classes

	From, To      [2]float64 // corners of the grid
	Columns, Rows int
	Score         [][]float64 // by class, then row after row: ln P(class | x), or minus its risk
	Label         []int       // row after row: class with the best score
}

// PlaneClass is the normal distribution of a class, with its prior.
type PlaneClass struct {
	Name       string
	Documents  int64
	LogPrior   float64
	Mean       [2]float64
	Covariance [2][2]float64
}

// PlanePoint is one document.
type PlanePoint struct {
	X, Y  float64
	Class int
	Right bool // the model gives it its true label
}

// NoPlaneError says why a model has no Plane.
type NoPlaneError struct{ Why string }

func (e *NoPlaneError) Error() string { return e.Why }

// NewPlane evaluates a model that was trained on the corpus, on a grid of columns and rows. The error
// is *NoPlaneError if the model is not one block of two numbers.
func NewPlane(c *Corpus, m *model.Model, columns, rows int) (*Plane, error) {
	s := c.Spec
	if s.Text != nil || s.ValueTables() > 0 || len(s.Numbers) != 1 || len(s.Numbers[0].Fields) != 2 {
		return nil, &NoPlaneError{"Decision regions are drawn for a spec of one block of two numeric fields and nothing " +
			"else; this one reads " + reads(s) + "."}
	}
	p := &Plane{Fields: [2]string(s.Numbers[0].Fields), Likelihood: s.Numbers[0].Likelihood, Columns: columns,
		Rows: rows}
	if problems := m.Problems(); len(problems) > 0 {
		return nil, &NoPlaneError{"Decision regions are not drawn: " + strings.Join(problems, "; ") + "."}
	}
	at := &planeScorer{m: m, scorer: model.NewScorer(), digits: s.Digits(),
		f: &model.Features{Numbers: make([]model.Number, 2)}}
	p.classes(m, at)
	p.points(c, at)
	if len(p.Points) == 0 {
		return nil, &NoPlaneError{"Decision regions are not drawn: no document has both numbers."}
	}
	p.frame()
	return p, p.evaluate(at)
}

// reads describes the fields of a spec.
func reads(s *spec.Spec) string {
	var parts []string
	if s.Text != nil {
		parts = append(parts, "text")
	}
	if n := len(s.NumberFields()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d numeric fields in %d blocks", n, len(s.Numbers)+len(s.Histograms)))
	}
	if n := len(s.Categories); n > 0 {
		parts = append(parts, fmt.Sprintf("%d categorical fields", n))
	}
	return strings.Join(parts, ", ")
}

// planeScorer scores points with a model.
type planeScorer struct {
	m        *model.Model
	scorer   *model.Scorer
	digits   int
	f        *model.Features
	decision model.Decision
}

func (p *planeScorer) ask(f *model.Features, id string) *model.Decision {
	p.scorer.Decide(&p.decision, p.m, f, id, model.Options{Evidence: -1})
	return &p.decision
}

func (p *planeScorer) at(x, y float64) (*model.Decision, error) {
	for i, v := range [2]float64{x, y} {
		fixed, err := gaussian.Fixed(v, p.digits)
		if err != nil {
			return nil, &NoPlaneError{fmt.Sprintf("Decision regions are not drawn: they would reach to (%g, %g), a %v.", x, y,
				err)}
		}
		p.f.Numbers[i] = model.Number{Value: fixed, Present: true}
	}
	return p.ask(p.f, ""), nil
}

func (p *Plane) classes(m *model.Model, at *planeScorer) {
	at.f.Numbers[0], at.f.Numbers[1] = model.Number{Present: true}, model.Number{Present: true}
	d := at.ask(at.f, "")
	p.HasRisk = d.HasRisk
	for _, score := range d.Classes {
		id, _ := m.Classes().ID(score.Name)
		c := PlaneClass{Name: score.Name, Documents: m.Classes().Documents(id), LogPrior: score.LogPrior}
		mean, covariance, _ := m.Numbers(0).Normal(id) // the class has one, since the model has no problems
		for i := range 2 {
			c.Mean[i], c.Covariance[i] = mean[i], [2]float64(covariance[i])
		}
		p.Classes = append(p.Classes, c)
	}
}

func (p *Plane) points(c *Corpus, at *planeScorer) {
	class := map[string]int{}
	for i, x := range p.Classes {
		class[x.Name] = i
	}
	for i := range c.Documents {
		d := &c.Documents[i]
		x, y := d.Features.Numbers[0], d.Features.Numbers[1]
		if !x.Present || !y.Present {
			p.Missing++
			continue
		}
		p.Points = append(p.Points, PlanePoint{
			X: gaussian.Float(x.Value, at.digits), Y: gaussian.Float(y.Value, at.digits), Class: class[d.Label],
			Right: at.ask(d.Features, d.ID).Label == d.Label,
		})
	}
}

// frame sets the corners: around all points and all two-sigma ellipses, with a margin.
func (p *Plane) frame() {
	for i := range 2 {
		from, to := math.Inf(1), math.Inf(-1)
		for _, c := range p.Classes {
			sigma := math.Sqrt(c.Covariance[i][i])
			from, to = min(from, c.Mean[i]-2*sigma), max(to, c.Mean[i]+2*sigma)
		}
		for _, x := range p.Points {
			v := [2]float64{x.X, x.Y}[i]
			from, to = min(from, v), max(to, v)
		}
		margin := 0.05 * (to - from)
		p.From[i] = from - margin
		p.To[i] = to + margin
	}
}

// At returns the point of the plane in a column and row of the grid.
func (p *Plane) At(column, row int) (x, y float64) {
	step := func(i, at, of int) float64 { return p.From[i] + (p.To[i]-p.From[i])*float64(at)/float64(of-1) }
	return step(0, column, p.Columns), step(1, row, p.Rows)
}

func (p *Plane) evaluate(at *planeScorer) error {
	reject := at.m.Spec().Decision.Reject // not by status, which says cold before unsure
	p.HasReject = reject != nil
	p.Score = make([][]float64, len(p.Classes), len(p.Classes)+1)
	if p.HasReject {
		p.Score = append(p.Score, nil)
	}
	for row := range p.Rows {
		for column := range p.Columns {
			d, err := at.at(p.At(column, row))
			if err != nil {
				return err
			}
			label := 0
			for k := range d.Classes {
				score := d.Classes[k].LogPosterior
				if d.HasRisk {
					score = -d.Classes[k].Risk
				}
				p.Score[k] = append(p.Score[k], score)
				if d.Classes[k].Name == d.Label {
					label = k
				}
			}
			if p.HasReject {
				p.Score[len(p.Classes)] = append(p.Score[len(p.Classes)], -*reject)
				if *reject < d.Classes[label].Risk {
					label = len(p.Classes)
				}
			}
			p.Label = append(p.Label, label)
		}
	}
	return nil
}
