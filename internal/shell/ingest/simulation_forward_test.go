package ingest

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
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
			at := records[i].Time
			if at.IsZero() {
				at = time.Now() // that of the append
			}
			r.SetTime(max(at.UnixMilli(), 0))
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
	if r.Ref != nil && r.Ref.Topic == "texts" {
		w.tally["produced: labelled"]++
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
		place := wire.ParsePlace(said[key])
		if place == nil {
			return nil, fmt.Errorf("the header %s says %q", key, said[key])
		}
		*at = recount.Place{Source: recount.Source{Topic: place.Topic, Partition: int32(place.Partition)}, Offset: place.Offset}
		if at.Topic == "training" {
			at.Made = made
		}
	}
	return r, nil
}

// labels are what a process knows of the documents that were labelled. What one knows, and when,
// changes no count: each record that needs it is written again for all.
type labels struct {
	*world
	known bool
}

// drawLabels returns what a process knows: all, or nothing.
func (w *world) drawLabels(name string) index {
	rnd := w.random("labels")
	if !w.o.Refs || rnd.IntN(3) == 0 { // in this schedule nothing was labelled
		return nil
	}
	return &labels{w, w.random("labels of "+name).IntN(3) > 0}
}

func (l *labels) Reach(context.Context) error { return nil }

func (l *labels) Place(id string) (*worker.Labelled, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	offset, ok := l.labelled[id]
	if !ok || !l.known {
		return nil, nil
	}
	return &worker.Labelled{Ref: wire.Ref{Topic: "texts", Offset: offset}, Time: forever}, nil
}

// label gives a text an id, under which it was labelled.
func (w *world) label(value map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprint("d", w.labelling.IntN(6))
	value["id"] = id
	w.labelled[id] = w.produced.Ends[recount.Source{Topic: "texts"}]
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
