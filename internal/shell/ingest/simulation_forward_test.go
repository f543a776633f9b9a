package ingest

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/recount"
)

// noteForwards tells the recount of records that a process has forwarded.
func (w *world) noteForwards(partition int, records []stream.Record) {
	w.change(func(t *recount.Topics) {
		for i := range records {
			r, err := w.forwarded(&records[i], t.IDs)
			if err != nil {
				w.t.Errorf("seed %d: a process writes %q to the training topic: %v", w.seed, records[i].Value, err)
				return
			}
			r.SetTime(time.Now().UnixMilli()) // that of the append: the record has none
			t.Append(t.Source("training", partition), r)
			w.tally["produced: forwarded"]++
		}
	})
}

// forwarded returns what a forwarded record says. ids are those of the topics.
func (w *world) forwarded(rec *stream.Record, ids map[string]int) (*recount.Record, error) {
	r, err := w.places.read(rec.Value)
	if err != nil {
		return nil, err
	}
	said := map[string]string{}
	for _, h := range rec.Headers {
		said[h.Key] = string(h.Value)
	}
	id, err := hex.DecodeString(said[wire.ForwardedTopic])
	made, known := ids[string(id)]
	if err != nil || !known || len(said) != 3 || len(rec.Headers) != 3 {
		return nil, fmt.Errorf("its headers are %q, want where it was for and from, and the id of a topic", said)
	}
	for key, at := range map[string]*recount.Place{wire.ForwardedTo: &r.Forwarded.To, wire.ForwardedFrom: &r.Forwarded.From} {
		at.Topic, at.Made = "training", made
		if _, err := fmt.Sscanf(said[key], "training/%d/%d", &at.Partition, &at.Offset); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// sweep forgets, in the partition that does not know it, each document that one ledger has: none
// may stay.
func (w *world) sweep() {
	found := map[string][]int{}
	w.ledgers(func(partition int, id string) { found[id] = append(found[id], partition) })
	for _, id := range slices.Sorted(maps.Keys(found)) {
		if len(found[id]) > 1 {
			delete(found, id)
			continue
		}
		w.append(w.training(1-found[id][0]), map[string]any{"id": id, "label": nil, "team": nil}, &recount.Record{ID: id, Forget: true})
	}
	w.wait()
	if w.o.Vanish { // without its text a document cannot be forgotten
		return
	}
	w.ledgers(func(partition int, id string) {
		if found[id] != nil {
			w.fail("partition %d still has the document %q, which was forgotten in the other one", partition, id)
		}
	})
}

// ledgers calls f for each document that the first process which learns has in a ledger.
func (w *world) ledgers(f func(partition int, id string)) {
	first := slices.IndexFunc(w.processes, func(p *process) bool { return p.ledger })
	w.processes[first].replica.Read(func(s *fold.State) {
		for partition := range partitions {
			if l := s.Ledger(fold.Source{Topic: "training", Partition: int32(partition)}); l != nil {
				for c := range l.All() {
					if c.ID != "" && !c.Put.Owed {
						f(partition, c.ID)
					}
				}
			}
		}
	})
}
