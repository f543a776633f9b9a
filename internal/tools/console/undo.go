package console

import (
	"context"
	"net/http"
	"slices"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// undo takes a correction back: the document is counted again as it was before.
func (c *Console) undo(ctx context.Context, r *receiptJSON, b *correctJSON) error {
	x, known := c.corrections.find(r.Document)
	if !known {
		return notFound("the console remembers no correction at %s", r.Document)
	}
	r.ID = x.ID
	if !c.corrections.undoable(&x) || !c.isInForce(&x) {
		return httpapi.Refusef(http.StatusConflict, "superseded", "the correction cannot be taken back: it was not written "+
			"by a console, was not counted, or the document was corrected or learned again since")
	}
	l, err := c.lens()
	if err != nil {
		return err
	}
	said, records, err := c.undoing(ctx, l, &x)
	if err != nil {
		return err
	}
	note := note{By: b.By, Source: x.note.Source, Undoes: x.Place, Weight: said.Weight}
	if x.Label != nil {
		note.Was = &wasSo{Label: *x.Label, Weight: x.weight(), Place: x.note.Source, Own: x.Place}
	}
	if x.Before != nil {
		r.class = x.Before.Class
	}
	if source := wire.ParsePlace(x.note.Source); source != nil {
		c.judgeBefore(ctx, l, &named{id: x.ID, source: source}, r)
	}
	note.Before = r.Before
	return c.write(ctx, r, x.at.Partition, note, said, records...)
}

// weight returns how often the document counts by a correction.
func (x *correctionJSON) weight() int64 {
	if x.note.Weight == 0 && x.note.Was != nil {
		return x.note.Was.Weight
	}
	return x.note.Weight
}

// isInForce reports whether the ledger says of the document what the correction said. What is not
// counted yet is in force if nothing follows it.
func (c *Console) isInForce(x *correctionJSON) bool {
	if x.Outcome == httpapi.OutcomeWritten {
		return true
	}
	held := slices.DeleteFunc(c.holders(x.ID), func(h worker.Holder) bool { return h.Partition != x.at.Partition })
	if x.Label == nil {
		return len(held) == 0
	}
	return len(held) == 1 && held[0].Put.Label == *x.Label && held[0].Offset == x.at.Offset
}

// undoing returns what takes a correction back, and the records that say it.
func (c *Console) undoing(ctx context.Context, l *lens, x *correctionJSON) (*wire.Correction, []stream.Record, error) {
	was := x.note.Was
	if was == nil { // it was learned by the correction alone
		said := &wire.Correction{ID: x.ID, Forget: true}
		rec, err := l.decoder.CorrectionRecord(x.ID, said, nil)
		return said, []stream.Record{rec}, err
	}
	said := &wire.Correction{ID: x.ID, Label: was.Label, Weight: was.Weight}
	if x.Label != nil && !l.decoder.IsWhole() { // its text is where it was
		rec, err := l.decoder.CorrectionRecord(x.ID, said, nil)
		return said, []stream.Record{rec}, err
	}
	place := wire.ParsePlace(was.Place)
	if place == nil {
		return nil, nil, httpapi.Refusef(http.StatusNotFound, string(wire.RefGone),
			"the correction does not say where the text is: %q", was.Place)
	}
	text, err := worker.RecordAt(ctx, c.client, place)
	if err != nil {
		return nil, nil, err
	}
	if text.Topic != c.options.Topics.Training || l.decoder.IsWhole() {
		rec, err := l.decoder.CorrectionRecord(x.ID, said, text)
		return said, []stream.Record{rec}, err
	}
	// Ingest follows no reference into the training topic: the record is written again, and then has
	// the label that it had.
	again := stream.Record{Key: text.Key, Value: text.Value, Headers: slices.DeleteFunc(slices.Clone(text.Headers),
		func(h stream.Header) bool { return h.Key == headerCorrection })}
	rec, err := l.decoder.CorrectionRecord(x.ID, said, nil)
	return said, []stream.Record{again, rec}, err
}

// wasOf returns what an undo needs to know of an entry of a ledger.
func (c *Console) wasOf(h *worker.Holder) *wasSo {
	if h == nil {
		return nil
	}
	text := wire.Ref{Topic: h.Put.Topic, Partition: int(h.Put.Partition), Offset: h.Put.Offset}
	own := wire.Ref{Topic: c.options.Topics.Training, Partition: h.Partition, Offset: h.Offset}
	return &wasSo{Label: h.Put.Label, Weight: h.Put.Weight, Place: text.String(), Own: own.String()}
}

// finder finds documents of corrections, in any topic that a decision names.
func (c *Console) finder(decoder *wire.Decoder) *worker.Finder {
	partitions := func(ctx context.Context) (int, error) {
		info, err := c.client.Topic(ctx, c.options.Topics.Training)
		return info.Partitions, err
	}
	return &worker.Finder{Topic: c.options.Topics.Training, Partitions: partitions, Decoder: decoder, Key: c.options.Key,
		Replica: c.replica, Fetcher: c.client}
}

// holders returns the entries that the ledgers of the training topic have under an id.
func (c *Console) holders(id string) []worker.Holder { return c.finder(nil).Holders(id) }
