package experiment_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/tools/lab/experiment"
)

// numberLines has n rows of three classes, each with numbers a and b.
func numberLines(n int) []byte {
	var b strings.Builder
	for i := range n {
		c := i % 3
		fmt.Fprintf(&b, `{"id": "r%d", "label": "c%d", "numbers": {"a": %v, "b": %v}}`+"\n", i, c, float64(3*c)+float64(i*i%19)/10, 5+float64(c*c)+float64(i*7%23)/7)
	}
	return []byte(b.String())
}

func newPlane(t *testing.T, spec string, lines []byte) (*experiment.Plane, error) {
	t.Helper()
	c := newCorpus(t, spec, lines)
	m, err := c.Model()
	if err != nil {
		t.Fatal(err)
	}
	return experiment.NewPlane(c, m, 21, 31)
}

// What the grid says is what the normal distributions and priors of the plane say, and all that was
// learned lies within it.
func TestPlane(t *testing.T) {
	for _, likelihood := range []string{"gaussian", "lda", "qda"} {
		p, err := newPlane(t, "numbers: [{fields: [a, b], likelihood: "+likelihood+"}]", numberLines(90))
		if err != nil {
			t.Fatal(err)
		}
		if p.Fields != [2]string{"a", "b"} || p.Likelihood != likelihood || len(p.Classes) != 3 || len(p.Points) != 90 || len(p.Label) != 21*31 || p.HasRisk || p.Missing != 0 {
			t.Fatalf("%s: %d classes, %d points, %d labels, %+v", likelihood, len(p.Classes), len(p.Points), len(p.Label), p.Fields)
		}
		for i, label := range p.Label {
			x, y := p.At(i%p.Columns, i/p.Columns)
			best, at := math.Inf(-1), 0
			var joint []float64
			for k := range p.Classes {
				joint = append(joint, density(&p.Classes[k], x, y))
				if joint[k] > best {
					best, at = joint[k], k
				}
			}
			if at != label {
				t.Fatalf("%s: (%v, %v) is of class %d, the normals say %d: %v", likelihood, x, y, label, at, joint)
			}
			if got, want := p.Score[0][i]-p.Score[1][i], joint[0]-joint[1]; math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
				t.Fatalf("%s: at (%v, %v) the log odds are %v, the normals say %v", likelihood, x, y, got, want)
			}
		}
		for _, x := range p.Points {
			if !(p.From[0] < x.X && x.X < p.To[0] && p.From[1] < x.Y && x.Y < p.To[1]) {
				t.Errorf("%s: the point %+v is not between %v and %v", likelihood, x, p.From, p.To)
			}
		}
	}
}

func density(c *experiment.PlaneClass, x, y float64) float64 {
	s := c.Covariance
	x, y = x-c.Mean[0], y-c.Mean[1]
	det := s[0][0]*s[1][1] - s[0][1]*s[1][0]
	return c.LogPrior - math.Log(det)/2 - (s[1][1]*x*x-2*s[0][1]*x*y+s[0][0]*y*y)/det/2
}

// The reject option has a region of its own, whatever the number of documents.
func TestPlaneWithReject(t *testing.T) {
	p, err := newPlane(t, "numbers: [{fields: [a, b], likelihood: lda}]\ndecision: {reject: 0.1}", numberLines(30))
	if err != nil {
		t.Fatal(err)
	}
	unsure := 0
	for i, label := range p.Label {
		best := 0
		for k := range p.Score {
			if p.Score[k][i] > p.Score[best][i] {
				best = k
			}
		}
		if best != label {
			t.Fatalf("the largest score is %d's, the label %d", best, label)
		}
		if label == len(p.Classes) {
			unsure++
		}
	}
	if !p.HasRisk || !p.HasReject || unsure == 0 || unsure == len(p.Label) {
		t.Errorf("%d of %d places are unsure, %v, %v", unsure, len(p.Label), p.HasRisk, p.HasReject)
	}
}

func TestPlaneCountsWhatIsMissing(t *testing.T) {
	lines := append(numberLines(30), []byte(`{"label": "c0", "numbers": {"a": 1}}`+"\n")...)
	p, err := newPlane(t, "numbers: [{fields: [a, b], likelihood: gaussian}]", lines)
	if err != nil || p.Missing != 1 || len(p.Points) != 30 {
		t.Fatalf("got %d points, %d missing, %v; want 30 and 1", len(p.Points), p.Missing, err)
	}
}

func TestNoPlane(t *testing.T) {
	far := `{"label": "c0", "numbers": {"a": 9e9, "b": 1}}
{"label": "c0", "numbers": {"a": -9e9, "b": 2}}
{"label": "c1", "numbers": {"a": 9e9, "b": 2}}
{"label": "c1", "numbers": {"a": -9e9, "b": 1}}
`
	for name, c := range map[string]struct {
		spec  string
		lines []byte
		want  string
	}{
		"one field":       {"numbers: [{fields: [a], likelihood: gaussian}]", numberLines(30), "this one reads 1 numeric fields in 1 blocks"},
		"two blocks":      {"numbers: [{fields: [a], likelihood: gaussian}, {fields: [b], likelihood: gaussian}]", numberLines(30), "this one reads 2 numeric fields in 2 blocks"},
		"too few rows":    {"numbers: [{fields: [a, b], likelihood: qda}]", numberLines(3), "cannot be evaluated for class"},
		"beyond the edge": {"numbers: [{fields: [a, b], likelihood: gaussian}]", []byte(far), "number out of range"},
	} {
		_, err := newPlane(t, c.spec, c.lines)
		var no *experiment.NoPlaneError
		if !errors.As(err, &no) || !strings.Contains(no.Why, c.want) {
			t.Errorf("%s: got %v, want a sentence with %q", name, err, c.want)
		}
	}
	c := newCorpus(t, "", []byte(`{"label": "x", "text": "y"}`+"\n"))
	if _, err := experiment.NewPlane(c, model.New(c.Spec), 2, 2); err == nil || !strings.Contains(err.Error(), "this one reads text") {
		t.Errorf("of a text: got %v", err)
	}
}
