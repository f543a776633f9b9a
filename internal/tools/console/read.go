package console

import (
	"strings"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// remember returns the entry of a record of a topic of labels; nil if it holds no decision.
func remember(rec *stream.Record, field string) *entry {
	if rec.Value == nil {
		return nil
	}
	d := wire.ReadDecided(rec, field)
	if d.Status == "?" {
		return nil
	}
	posterior := largest(d.Posterior, shownClasses)
	e := &entry{
		at: wire.Ref{Topic: strings.Clone(rec.Topic), Partition: rec.Partition, Offset: rec.Offset}, source: wire.ParsePlace(strings.Clone(d.Source)), time: rec.Time, id: strings.Clone(d.ID),
		label: d.Label, status: d.Status, confidence: d.Sure(), margin: d.Margin, posterior: posterior,
		isWhole: d.Others.Classes == 0 && len(posterior) == len(d.Posterior),
	}
	if d.Info != nil {
		e.modelOffset = d.Info.Offset
	}
	for i, x := range d.Evidence {
		if i == shownEvidence {
			break
		}
		e.evidence = append(e.evidence, Evidence{Term: x.Term, As: x.As, Block: x.Block, Fields: x.Fields, Value: x.Value, Weight: x.Weight})
	}
	return e
}
