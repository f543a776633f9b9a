package console

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// remember returns the entry of a record of a topic of labels; nil if it holds no decision.
func remember(rec *stream.Record, field string) *entry {
	if rec.Value == nil {
		return nil
	}
	d, raw := wire.ReadDecision(rec, field)
	if d.IsNone() {
		return nil
	}
	e := &entry{
		at: wire.Ref{Topic: strings.Clone(rec.Topic), Partition: rec.Partition, Offset: rec.Offset}, source: d.Source.Place(),
		time: rec.Time, id: strings.Clone(d.ID),
		status: d.Status, evidence: evidenceOf(d.Evidence),
	}
	if d.Labelled {
		label := strings.Clone(d.Label)
		e.label = &label
		e.confidence = finite(d.Confidence())
	}
	if d.HasMargin {
		e.margin = &d.Margin
	}
	if d.ModelInfo.Offset >= 0 {
		e.modelOffset = &d.ModelInfo.Offset
	}
	if raw != nil { // a decision in headers has the confidence alone
		e.posterior = largest(d.Classes, shownClasses)
		e.isWhole = d.Others.Classes == 0 && len(e.posterior) == len(d.Classes)
	}
	return e
}

// evidenceOf returns the first of the evidence in short.
func evidenceOf(list []model.Evidence) (short []evidenceJSON) {
	for _, x := range model.CloneEvidence(list[:min(len(list), shownEvidence)]) {
		short = append(short, evidenceJSON{Term: x.Term, As: x.As, Block: x.Block, Fields: x.Fields, Value: x.Value,
			Weight: finite(x.Weight)})
	}
	return short
}

// largest returns the largest posteriors by class.
func largest(classes []model.ClassScore, most int) map[string]float64 {
	sorted := slices.SortedStableFunc(slices.Values(classes),
		func(a, b model.ClassScore) int { return cmp.Compare(b.Posterior, a.Posterior) })
	kept := map[string]float64{}
	for _, c := range sorted[:min(len(sorted), most)] {
		if !math.IsNaN(c.Posterior) {
			kept[strings.Clone(c.Name)] = c.Posterior
		}
	}
	return kept
}
