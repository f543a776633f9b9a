package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// holder is an entry of a ledger.
type holder struct {
	topic     string
	partition int
	offset    int64 // of the record that put it in
	put       fold.Learned
}

// was returns what an undo needs to know of an entry.
func (h *holder) was() *wasSo {
	text := wire.Ref{Topic: h.put.Topic, Partition: int(h.put.Partition), Offset: h.put.Offset}
	own := wire.Ref{Topic: h.topic, Partition: h.partition, Offset: h.offset}
	return &wasSo{Label: h.put.Label, Weight: h.put.Weight, Place: text.String(), Own: own.String()}
}

// holders returns the entries that the ledgers of the training topic have under an id.
func (c *Console) holders(id string) (found []holder) {
	c.replica.Read(func(s *fold.State) {
		if s.Spec() != nil && s.Spec().HashesTerms() && c.options.Key != nil {
			id = c.options.Key.Hasher().ID(id)
		}
		for _, src := range s.Sources() {
			l := s.Ledger(src)
			if l == nil || src.Topic != c.options.Topics.Training {
				continue
			}
			if e, ok := l.Entry(id); ok && !e.Put.Owed {
				found = append(found, holder{src.Topic, int(src.Partition), e.Offset, *e.Put})
			}
		}
	})
	return found
}

// target is where the record of a correction goes, and what document it has.
type target struct {
	partition int
	text      *stream.Record // nil: the ledger of the partition knows it
	was       *wasSo         // nil: it was not learned
}

// target returns where a correction goes: to the partition whose ledger has the id, or for a document that was not learned to the one
// of its id, with its text.
func (c *Console) target(ctx context.Context, l *lens, n *named, said *wire.Correction) (target, error) {
	holders := c.holders(n.id)
	if len(holders) > 1 && n.source != nil && n.source.Topic == c.options.Topics.Training {
		holders = slices.DeleteFunc(holders, func(h holder) bool { return h.partition != n.source.Partition })
	}
	if len(holders) > 1 {
		return target{}, &httpapi.RefusedError{
			Status: http.StatusConflict, Reason: "ambiguous_id", Message: fmt.Sprintf("%d documents have the id %q, in different partitions", len(holders), n.id),
		}
	}
	if len(holders) == 1 {
		to := target{partition: holders[0].partition, was: holders[0].was()}
		if !l.decoder.IsWhole() || said.Forget {
			return to, nil
		}
		text, err := c.textAt(ctx, to.was.Place)
		to.text = text
		return to, err
	}
	if said.Forget {
		return target{}, &httpapi.RefusedError{
			Status: http.StatusNotFound, Reason: string(wire.UnknownID), Message: fmt.Sprintf("no document %q was learned, or it was forgotten, or it is not among the newest (limits.ledger, or limits.window where the spec has one)", n.id),
		}
	}
	if n.source == nil {
		return target{}, &httpapi.RefusedError{Status: http.StatusNotFound, Reason: "no_source", Message: "nobody says where the document is"}
	}
	text, err := c.textAt(ctx, n.source.String())
	if err != nil {
		return target{}, err
	}
	partitions, err := c.partitions(ctx)
	return target{partition: stream.Murmur2Partition([]byte(n.id), max(1, partitions)), text: text}, err
}

// partitions returns how many partitions the training topic has.
func (c *Console) partitions(ctx context.Context) (int, error) {
	info, err := c.client.Topic(ctx, c.options.Topics.Training)
	return info.Partitions, err
}

// textAt returns the record at a place.
func (c *Console) textAt(ctx context.Context, place string) (*stream.Record, error) {
	at := wire.ParsePlace(place)
	if at == nil {
		return nil, httpapi.RefuseGone(place)
	}
	rec, err := worker.ReadAt(ctx, c.client, at.Topic, at.Partition, at.Offset)
	if err == nil && rec == nil {
		err = httpapi.RefuseGone(place)
	}
	return rec, err
}
