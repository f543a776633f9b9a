package console

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// decided remembers the decisions of a batch. Those that it can describe in time it describes
// before others see them.
func (c *Console) decided(ctx context.Context, batch []stream.Record) {
	now := time.Now()
	list := make([]*entry, 0, len(batch))
	for i := range batch {
		if e := remember(&batch[i], c.options.EnrichField); e != nil {
			list = append(list, e)
			c.meter.decided(e, now)
			c.saw(e)
		}
	}
	if c.meter.mayDescribe(now) {
		soon, cancel := context.WithTimeout(ctx, describeTime)
		c.describe(soon, list, 1)
		cancel()
	}
	c.memory.add(list)
}

// saw notes how far the documents are decided.
func (c *Console) saw(e *entry) {
	if e.source != nil {
		c.watcher.Saw(e.at.Topic, e.source)
	}
}

const (
	describeTime  = 500 * time.Millisecond // for the texts of a batch
	describeBytes = 256 << 10              // of a topic of documents, at once
	describeAsks  = 20                     // fetches for a page
)

// describe fetches the texts of decisions that have no snippet yet, with a bounded number of
// fetches, and weighs those that carry no evidence by the model now. What it does not reach stays
// as it is.
func (c *Console) describe(ctx context.Context, list []*entry, asks int) {
	l, err := c.lens()
	if err != nil {
		return
	}
	missing := c.undescribed(list)
	for len(missing) > 0 && asks > 0 {
		asks--
		at := missing[0].source
		got, err := c.client.Fetch(ctx, stream.FetchRequest{
			Topic: at.Topic, Partition: at.Partition, Offset: at.Offset, MaxBytes: describeBytes, MaxWait: time.Millisecond,
			Committed: true, Schemas: true,
		})
		if errors.Is(err, stream.ErrOffsetOutOfRange) {
			c.memory.describe(missing[0], nil)
			missing = missing[1:]
			continue
		}
		if err != nil {
			return
		}
		missing = c.describeFrom(l, &got, missing)
	}
}

// undescribed returns the decisions without a snippet whose document has a place, in the order of
// the places.
func (c *Console) undescribed(list []*entry) []*entry {
	c.memory.mu.RLock()
	defer c.memory.mu.RUnlock()
	var out []*entry
	for _, e := range list {
		if !e.asked && e.source != nil {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.source.Topic, b.source.Topic), cmp.Compare(a.source.Partition, b.source.Partition),
			cmp.Compare(a.source.Offset, b.source.Offset))
	})
	return out
}

// describeFrom describes the decisions whose documents are in a fetch from the first of them on,
// and returns the others.
func (c *Console) describeFrom(l *lens, got *stream.Fetched, missing []*entry) []*entry {
	first := *missing[0].source
	for len(missing) > 0 {
		at := missing[0].source
		if at.Topic != first.Topic || at.Partition != first.Partition || at.Offset >= got.Next {
			break
		}
		i, found := slices.BinarySearchFunc(got.Records, at.Offset,
			func(r stream.Record, offset int64) int { return cmp.Compare(r.Offset, offset) })
		if found {
			c.describeBy(l, missing[0], &got.Records[i])
		} else {
			c.memory.describe(missing[0], nil)
		}
		missing = missing[1:]
	}
	if len(missing) > 0 && *missing[0].source == first { // nothing came
		c.memory.describe(missing[0], nil)
		missing = missing[1:]
	}
	return missing
}

// describeBy describes a decision by the record of its document.
func (c *Console) describeBy(l *lens, e *entry, rec *stream.Record) {
	var document wire.Document
	if err := l.decoder.Document(rec, &document); err != nil {
		c.memory.describe(e, nil)
		return
	}
	snippet := snippetOf(&document.Input)
	c.memory.describe(e, &snippet)
	if l.hashed || !c.memory.lacksEvidence(e) {
		return
	}
	var evidence []evidenceJSON
	c.replica.Read(func(s *fold.State) {
		if s.Model() == nil || s.Spec() != l.spec {
			return
		}
		l.judge(s, &document.Input, document.ID, shownEvidence, func(d *model.Decision) { evidence = evidenceOf(d.Evidence) })
	})
	if len(evidence) > 0 {
		c.memory.weigh(e, evidence)
	}
}

// snippetOf returns the beginning of a text on one line, without characters that change how others
// are shown. Of a document without a text it says the numbers and categories.
func snippetOf(in *model.Input) string {
	var b strings.Builder
	n, space := 0, false
	for _, s := range in.Segments {
		if s.Lines {
			continue
		}
		for _, r := range string(s.Text[:min(len(s.Text), 8*snippetRunes)]) {
			switch {
			case unicode.IsSpace(r) || unicode.IsControl(r):
				space = n > 0
				continue
			case unicode.Is(unicode.Bidi_Control, r) || r == unicode.ReplacementChar:
				continue
			}
			if space {
				b.WriteByte(' ')
				space = false
				n++
			}
			if n >= snippetRunes {
				return b.String() + "…"
			}
			b.WriteRune(r)
			n++
		}
		space = n > 0
	}
	return b.String()
}

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
		decisionJSON: decisionJSON{Time: rec.Time.UTC(), ID: strings.Clone(d.ID), Status: d.Status,
			Evidence: evidenceOf(d.Evidence), Posterior: map[string]float64{}},
	}
	e.Place = e.at.String()
	if e.source != nil {
		e.Source = new(e.source.String())
	}
	if len(e.Evidence) > 0 {
		e.EvidenceBy = new("decision")
	}
	if d.Labelled {
		e.Label = new(strings.Clone(d.Label))
		e.Confidence = finite(d.Confidence())
	}
	if d.HasMargin {
		e.Margin = new(d.Margin) // a pointer into the decision would keep all of it
	}
	if d.ModelInfo.Offset >= 0 {
		e.ModelOffset = new(d.ModelInfo.Offset)
	}
	if raw != nil { // a decision in headers has the confidence alone
		e.Posterior = largest(d.Classes, shownClasses)
		e.isWhole = d.Others.Classes == 0 && len(e.Posterior) == len(d.Classes)
	}
	return e
}

// evidenceOf returns the first of the evidence in short.
func evidenceOf(list []model.Evidence) []evidenceJSON {
	short := []evidenceJSON{}
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
