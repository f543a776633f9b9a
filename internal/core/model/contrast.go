package model

// Contrast returns the decision d, which the scorer made last and on the document with these
// features, with the margin, the evidence and the rest of one class against another instead of
// those of the label against the runner-up; Label and RunnerUp are the two. False: one of them has
// no documents, or both are the same. The evidence is valid until the scorer decides again.
func (s *Scorer) Contrast(d *Decision, f *Features, label, other string, o Options) (Decision, bool) {
	out := *d
	out.Evidence = nil
	i, j := d.indexOf(label), d.indexOf(other)
	if i < 0 || j < 0 || i == j {
		return out, false
	}
	out.Label = label
	out.Labelled = true
	s.setMargin(&out, f, i, j, o)
	return out, true
}
