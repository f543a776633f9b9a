package wire

import (
	"cmp"
	"slices"

	"bayestream/internal/core/model"
)

// A Form says how much of a decision is written. AppendDecision uses the zero Form.
type Form struct {
	// Classes is how many classes a decision may have and still be written with all numbers of
	// each; 0: any number. Of a decision with more the posteriors of that many are written, the
	// likeliest. The label and the runner-up always have all their numbers.
	Classes int

	// Digits is the number of digits after the decimal point; 0: as many as each number needs to
	// read back as it is.
	Digits int
}

// DefaultClasses is the Form.Classes that is useful to most readers.
const DefaultClasses = 10

// Others are the classes that a decision has and its JSON leaves out.
type Others struct {
	Classes   int     `json:"classes"`
	Posterior float64 `json:"posterior"` // of all together
}

// chosen are the classes of a decision that are written, by index.
type chosen struct {
	listed   []int // with their posterior and risk
	compared []int // with the logarithms, too
	others   Others
}

// choose chooses the classes of a decision, which lacks others, by a Form.Classes.
func (c *chosen) choose(d *model.Decision, most int, others Others) {
	c.others = others
	c.listed = c.listed[:0]
	c.compared = c.compared[:0]
	most = cmp.Or(most, len(d.Classes))
	if others.Classes == 0 && len(d.Classes) <= most {
		for i := range d.Classes {
			c.listed = append(c.listed, i)
		}
		c.compared = append(c.compared, c.listed...)
		return
	}
	c.listed = appendLikeliest(c.listed, d.Classes, most)
	c.compared = appendCompared(c.compared, d)
	for _, i := range c.compared {
		if !slices.Contains(c.listed, i) {
			c.listed = append(c.listed, i)
		}
	}
	slices.Sort(c.listed)
	c.addOthers(d.Classes)
}

// appendCompared appends the indexes of the label and the runner-up, if there are such, in order.
func appendCompared(dst []int, d *model.Decision) []int {
	n := 0
	if d.Labelled {
		n++
	}
	if d.RunnerUp != "" {
		n++
	}
	for i := 0; i < len(d.Classes) && n > 0; i++ {
		name := d.Classes[i].Name
		if d.Labelled && name == d.Label || d.RunnerUp != "" && name == d.RunnerUp {
			dst = append(dst, i)
			n--
		}
	}
	return dst
}

// addOthers adds the classes that are not listed to the others. Their posteriors are summed: 1 less
// those of the listed has no digit left where the others are next to impossible.
func (c *chosen) addOthers(classes []model.ClassScore) {
	next := 0
	for i := range classes {
		if next < len(c.listed) && c.listed[next] == i {
			next++
			continue
		}
		c.others.Classes++
		c.others.Posterior += classes[i].Posterior
	}
}

// appendLikeliest appends the indexes of the n classes of the largest posteriors, the largest first.
// Of equal ones the first are taken.
func appendLikeliest(dst []int, classes []model.ClassScore, n int) []int {
	for i := range classes {
		p := classes[i].Posterior
		if len(dst) == n && !(p > classes[dst[n-1]].Posterior) {
			continue
		}
		at := len(dst)
		for at > 0 && p > classes[dst[at-1]].Posterior {
			at--
		}
		dst = slices.Insert(dst[:min(len(dst), n-1)], at, i)
	}
	return dst
}
