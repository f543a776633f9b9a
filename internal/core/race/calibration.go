package race

import "math"

// shrinkage is how many records each bin has besides those that it counts, which are right as often
// as their confidence says: with few records a bin says what the posterior says.
const shrinkage = 20

// Calibration maps the log odds of a confidence to those of how often decisions with that
// confidence are right. It increases strictly, so that the order of documents by their posterior
// stays. nil changes nothing.
type Calibration struct {
	knots []knot // increasing in both
}

type knot struct{ from, to float64 }

// block is a run of bins with one share of right decisions.
type block struct {
	records int64 // with those of shrinkage
	wrong   int64 // in Unit
	odds    float64
}

// Calibration returns the map of the decisions that were counted: the share of right ones by
// interval, made monotone by pooling adjacent violators (Ayer et al. 1955; isotonic calibration,
// Zadrozny and Elkan 2002), linear in log odds between the means of the intervals. It is nil before
// there are Enough.
func (h *Histogram) Calibration() *Calibration {
	n := int64(0)
	for i := range h {
		n += h[i].Records
	}
	if n < Enough {
		return nil
	}
	var pool []block
	for i := range h {
		b := h.block(i)
		for len(pool) > 0 && pool[len(pool)-1].wrong*b.records <= b.wrong*pool[len(pool)-1].records {
			b = b.with(pool[len(pool)-1])
			pool = pool[:len(pool)-1]
		}
		pool = append(pool, b)
	}
	m := &Calibration{}
	for _, b := range pool {
		to := b.right()
		if last := len(m.knots) - 1; last < 0 || to > m.knots[last].to {
			m.knots = append(m.knots, knot{b.odds, to})
		}
	}
	return m
}

// Knots returns the log odds of a confidence and those that Of gives for it, in increasing order,
// where the map bends.
func (m *Calibration) Knots() [][2]float64 {
	if m == nil {
		return nil
	}
	all := make([][2]float64, len(m.knots))
	for i, k := range m.knots {
		all[i] = [2]float64{k.from, k.to}
	}
	return all
}

// block returns the i-th interval as a block.
func (h *Histogram) block(i int) block {
	odds := leastLogOdds + (float64(i)-0.5)*binWidth // in its middle
	if n := h[i].Records; n > 0 {
		odds = logOdds(h[i].Sum, n)
	}
	expected := int64(math.Round(shrinkage * Unit / (1 + math.Exp(odds))))
	return block{h[i].Records + shrinkage, (h[i].Records-h[i].Right)*Unit + expected, odds}
}

// logOdds returns the log odds of the mean of n confidences, of which the sum is known.
func logOdds(sum, n int64) float64 {
	sure := float64(sum) / float64(n) / Unit
	sure = min(max(sure, 1.0/Unit), 1-1.0/Unit) // what a sum can tell from 0 and 1
	return math.Log(sure / (1 - sure))
}

// with returns two adjacent blocks as one.
func (b block) with(o block) block {
	records := b.records + o.records
	odds := (b.odds*float64(b.records) + o.odds*float64(o.records)) / float64(records)
	return block{records, b.wrong + o.wrong, odds}
}

// right returns the log odds of the share of right decisions. Above the confidence they are at most
// what so many records can show: one in that number is wrong.
func (b *block) right() float64 {
	wrong := float64(b.wrong) / float64(b.records) / Unit
	wrong = max(wrong, min(1/(1+math.Exp(b.odds)), 1/float64(b.records)))
	return math.Log1p(-wrong) - math.Log(wrong)
}

// Of returns the log odds that decisions of a confidence are right with, by the log odds of the
// confidence. Below the first knot it adds what the first adds, above the last what the last adds.
func (m *Calibration) Of(odds float64) float64 {
	if m == nil {
		return odds
	}
	i := len(m.knots) - 1 // from the end, because most decisions are sure
	for i >= 0 && odds < m.knots[i].from {
		i--
	}
	if i < 0 || i == len(m.knots)-1 {
		end := m.knots[max(i, 0)]
		return odds + end.to - end.from
	}
	before := m.knots[i]
	after := m.knots[i+1]
	return before.to + (odds-before.from)*(after.to-before.to)/(after.from-before.from)
}
