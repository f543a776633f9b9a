package wire

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"bayestream/internal/core/model"
)

// MaxDigits is the largest Form.Digits.
const MaxDigits = 12

// decimals are the numbers of a decision in whole units of the last digit that is written. What
// should add up does so in these integers, and so in what is printed:
//
//	prior[label] - prior[runner_up] + sum of evidence + rest = margin
//	log_posterior[label] - log_posterior[runner_up] = margin
//	sum of posteriors + others = 1
type decimals struct {
	digits int     // 0: the numbers are written in their shortest form
	scale  float64 // units in 1
	shares []share // the posteriors of the listed classes, and behind them the posterior of the others
	order  []int   // of shares
	margin int64
	rest   int64
}

// share is a part of 1.
type share struct {
	units int64
	lost  float64 // by rounding down, in units
}

// round sets the numbers of a decision that depend on others. Numbers that are too large for the
// digits, or are no probabilities, are left in their shortest form.
func (n *decimals) round(d *model.Decision, digits int, c *chosen) {
	n.digits = digits
	if digits == 0 {
		return
	}
	n.scale = math.Pow10(digits)
	if sizeOf(d, c)*n.scale >= 1<<62 || !n.shareOut(d, c) {
		n.digits = 0
		return
	}
	n.balance(d, c)
}

// sizeOf returns the sum of the sizes of all numbers of a decision that are finite and are written.
func sizeOf(d *model.Decision, c *chosen) (sum float64) {
	add := func(x float64) {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			sum += math.Abs(x)
		}
	}
	add(d.Margin)
	add(d.Rest)
	for _, i := range c.compared {
		add(d.Classes[i].LogPosterior)
		add(d.Classes[i].LogPrior)
	}
	for _, i := range c.listed {
		add(d.Classes[i].Risk)
	}
	for i := range d.Evidence {
		add(d.Evidence[i].Weight)
		add(d.Evidence[i].Correction)
		for _, weight := range d.Evidence[i].FieldWeights {
			add(weight)
		}
	}
	return sum
}

// shareOut rounds the posteriors so that they still add up to 1: each is rounded down, and those
// that lose most by it get the units that are left. It reports false for what are no posteriors.
func (n *decimals) shareOut(d *model.Decision, c *chosen) bool {
	n.shares = n.shares[:0]
	for _, i := range c.listed {
		n.shares = append(n.shares, n.share(d.Classes[i].Posterior))
	}
	if c.others.Classes > 0 {
		n.shares = append(n.shares, n.share(c.others.Posterior))
	}
	left := int64(n.scale)
	n.order = n.order[:0]
	for i, s := range n.shares {
		if !(s.lost >= 0) || s.units < 0 || s.units > left {
			return false
		}
		left -= s.units
		n.order = append(n.order, i)
	}
	if !d.Labelled { // of a document that no class can have, all posteriors are 0
		return true
	}
	if left > int64(len(n.order)) {
		return false
	}
	slices.SortStableFunc(n.order, func(a, b int) int {
		return cmp.Compare(n.shares[b].lost, n.shares[a].lost)
	})
	for _, i := range n.order[:left] {
		n.shares[i].units++
	}
	return true
}

// share returns a posterior rounded down.
func (n *decimals) share(p float64) share {
	units := math.Floor(p * n.scale)
	return share{int64(units), p*n.scale - units}
}

// balance sets the margin, and the rest so that it takes up what rounding does to all parts of the
// margin. Without a runner-up, and where a part is infinite, nothing adds up, and each is rounded
// by itself.
func (n *decimals) balance(d *model.Decision, c *chosen) {
	n.margin = n.units(d.Margin)
	n.rest = n.units(d.Rest)
	var label, runnerUp *model.ClassScore
	for _, i := range c.compared {
		switch x := &d.Classes[i]; {
		case d.Labelled && x.Name == d.Label:
			label = x
		case x.Name == d.RunnerUp:
			runnerUp = x
		}
	}
	if !d.HasMargin || label == nil || runnerUp == nil {
		return
	}
	parts := d.Margin + label.LogPrior + runnerUp.LogPrior
	margin := n.units(label.LogPosterior) - n.units(runnerUp.LogPosterior)
	rest := margin - n.units(label.LogPrior) + n.units(runnerUp.LogPrior)
	for i := range d.Evidence {
		parts += d.Evidence[i].Weight
		rest -= n.units(d.Evidence[i].Weight)
	}
	if !math.IsNaN(parts) && !math.IsInf(parts, 0) {
		n.margin = margin
		n.rest = rest
	}
}

// units returns a number in units of the last digit.
func (n *decimals) units(x float64) int64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return int64(math.RoundToEven(x * n.scale))
}

// appendNumber appends a number by itself.
func (n *decimals) appendNumber(dst []byte, x float64) []byte {
	if n.digits == 0 {
		return appendNumber(dst, x)
	}
	return n.appendRounded(dst, x, n.units(x))
}

// appendShare appends the posterior of the i-th share.
func (n *decimals) appendShare(dst []byte, p float64, i int) []byte {
	if n.digits == 0 {
		return appendNumber(dst, p)
	}
	return n.appendRounded(dst, p, n.shares[i].units)
}

// appendRounded appends a number that was rounded to so many units, null if it is not finite.
func (n *decimals) appendRounded(dst []byte, x float64, units int64) []byte {
	if n.digits == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return appendNumber(dst, x)
	}
	if units < 0 {
		dst = append(dst, '-')
		units = -units
	}
	one := int64(n.scale)
	dst = strconv.AppendInt(dst, units/one, 10)
	point := len(dst)
	dst = strconv.AppendInt(dst, one+units%one, 10)
	dst[point] = '.' // instead of the 1 that keeps zeros behind it
	return dst
}
