package model

// prepareLosses sets m.losses: by class number k, the losses of deciding for k by class number of
// the truth; nil where the spec names none, so that every wrong decision costs 1.
func (m *Model) prepareLosses() {
	m.losses = append(m.losses[:0], make([][]float64, m.classes.Cap())...)
	// The losses of the spec are few, and pairs of classes are many.
	for c, row := range m.spec.Decision.Loss {
		if _, ok := m.classes.Choice(c); !ok {
			continue
		}
		for k := range row {
			if id, ok := m.classes.Choice(k); ok && m.losses[id] == nil {
				m.losses[id] = m.column(id)
			}
		}
	}
}

// column returns the losses of deciding for class k, by class number of the truth.
func (m *Model) column(k int) []float64 {
	column := make([]float64, m.classes.Cap())
	for _, c := range m.classes.Choices() {
		column[c] = m.spec.Decision.LossOf(m.classes.Name(c), m.classes.Name(k))
	}
	return column
}

// setRisks sets the expected loss of deciding for each class: R(k|x) = sum over c of P(c|x)
// loss[c][k] (Duda, Hart and Stork 2001, eq. 2.11).
func (s *Scorer) setRisks(dst *Decision) {
	choices := s.m.classes.Choices()
	top := 0
	for k := range dst.Classes {
		if dst.Classes[k].Posterior > dst.Classes[top].Posterior {
			top = k
		}
	}
	for k := range dst.Classes {
		switch losses := s.m.losses[choices[k]]; {
		case losses != nil:
			risk := 0.0
			for i, c := range choices {
				risk += dst.Classes[i].Posterior * losses[c]
			}
			dst.Classes[k].Risk = risk
		case k == top:
			dst.Classes[k].Risk = sumOfOthers(dst.Classes, k)
		default:
			dst.Classes[k].Risk = 1 - dst.Classes[k].Posterior
		}
	}
}

// sumOfOthers is 1 - P of the k-th class, with all digits when P is next to 1.
func sumOfOthers(classes []ClassScore, k int) float64 {
	sum := 0.0
	for i := range classes {
		if i != k {
			sum += classes[i].Posterior
		}
	}
	return sum
}
