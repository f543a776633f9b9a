package model

import "math"

// Contrast returns the decision d, which the scorer made last and on the document with these features, with the margin, the
// evidence and the rest of one class against another instead of those of the label against the runner-up; Label and RunnerUp
// are the two. False: one of them has no documents, or both are the same. The evidence is valid until the scorer decides again.
func (s *Scorer) Contrast(d *Decision, f *Features, label, other string, o Options) (Decision, bool) {
	out := *d
	out.Evidence = nil
	at := func(name string) int {
		for i := range d.Classes {
			if d.Classes[i].Name == name {
				return i
			}
		}
		return -1
	}
	i, j := at(label), at(other)
	if i < 0 || j < 0 || i == j {
		return out, false
	}
	live := s.m.classes.Live()
	a, b := live[i], live[j]
	out.Label = label
	out.Labelled = true
	out.RunnerUp = other
	out.HasMargin = true
	out.Margin = d.Classes[i].LogPosterior - d.Classes[j].LogPosterior
	out.Rest = 0
	sum := s.weigh(&out, f, a, b, o.Evidence)
	if !math.IsInf(sum, 0) {
		out.Rest = out.Margin - s.tau*(s.prior[a]-s.prior[b]) - sum
	}
	return out, true
}
