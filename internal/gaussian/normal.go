package gaussian

// Normal returns the fitted mean and covariance matrix of a class, in units of the record (the
// covariance in their products), whatever the kind: a naive block has a diagonal one. ok is false
// where the class has none, or not for every field.
func (b *Block) Normal(class int) (mean []float64, covariance [][]float64, ok bool) {
	if class >= len(b.fitted) || b.fitted[class] == nil {
		return nil, nil, false
	}
	square := make([][]float64, b.o.Fields)
	for i := range square {
		square[i] = make([]float64, b.o.Fields)
	}
	switch d := b.fitted[class].(type) {
	case *independent:
		for i, v := range d.variance {
			if v == 0 {
				return nil, nil, false
			}
			square[i][i] = v
		}
		return d.mean, square, true
	case *correlated:
		if d.cov.singular != (Problem{}) {
			return nil, nil, false
		}
		for i := range square {
			for j := range square {
				square[i][j] = d.cov.at(i, j)
			}
		}
		return d.mean, square, true
	}
	return nil, nil, false
}

// at returns an entry of the covariance matrix: D L L' D.
func (c *covariance) at(i, j int) float64 {
	row := func(i int) []float64 { return c.lower[i*(i+1)/2:][:i+1] }
	sum := 0.0
	for k := range min(i, j) + 1 {
		sum += row(i)[k] * row(j)[k]
	}
	return c.scale[i] * sum * c.scale[j]
}
