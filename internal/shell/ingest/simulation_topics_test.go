package ingest

import (
	"fmt"
	"path/filepath"
	"slices"

	"bayestream/internal/testing/recount"
)

// elect gives the model log another leader, which may lack its last records.
func (w *world) elect(unclean bool) {
	records := w.memory.Records("model", 0)
	end := int64(len(w.head) + len(records))
	if unclean {
		w.lost = append(w.lost, slices.Concat(w.head, records))
		end -= int64(w.rnd.IntN(4))
		w.count("unclean elections")
	} else {
		w.count("elections")
	}
	w.trace("another leader of the model log, up to offset %d", end)
	w.memory.Elect("model", 0, max(end, int64(len(w.head))))
}

// recreate deletes the model log and creates it again.
func (w *world) recreate() {
	w.count("model logs created again")
	w.lost = append(w.lost, w.memory.Records("model", 0))
	w.trace("the model log is created again")
	w.memory.CreateTopic("model", 1)
}

// cut takes a snapshot of a process and deletes what it holds from the model log.
func (w *world) cut(p *process) {
	path, next, ok := p.copy(filepath.Join(w.dir, fmt.Sprintf("snapshot-%d", len(w.head))))
	first := int64(len(w.head))
	if !ok || next <= first {
		return
	}
	w.count("heads cut off")
	w.snapshot = path
	w.head = append(w.head, w.memory.Records("model", 0)[:next-first]...)
	w.trace("the model log is cut off before offset %d", next)
	w.memory.Truncate("model", 0, next)
}

// save keeps a copy of the model file of a process.
func (w *world) save(p *process) {
	w.started++
	if path, next, ok := p.copy(filepath.Join(w.dir, fmt.Sprint("backup-", w.started))); ok {
		w.backup = path
		w.trace("a copy of the model file of %s is kept, which stands at offset %d", p.name, next)
	}
}

// vanish deletes texts, of the training topic or of the other one: those that are counted, and
// where loss is accepted others too.
func (w *world) vanish() {
	if w.rnd.IntN(2) == 0 || w.o.Unclean && !w.o.Accept {
		s := recount.Source{Topic: "texts"}
		w.truncate(s, w.rnd.Int64N(w.end(s)+1))
		return
	}
	s := w.training(w.rnd.IntN(partitions))
	if w.o.Accept {
		w.truncate(s, w.rnd.Int64N(w.end(s)+1))
		return
	}
	log := w.recount()
	if counted := log.Watermark(s); counted > 0 {
		w.truncate(s, 1+w.rnd.Int64N(counted))
	}
}

// truncate deletes the records of a partition before an offset. What is deleted does not come back.
func (w *world) truncate(s recount.Source, first int64) {
	if now, _, _ := w.memory.Offsets(w.t.Context(), s.Topic, int(s.Partition)); first <= now { // it has one
		return
	}
	w.count("texts deleted")
	w.trace("%s/%d begins at offset %d", s.Topic, s.Partition, first)
	w.change(func(t *recount.Topics) { t.Truncate(s, first) })
	w.memory.Truncate(s.Topic, int(s.Partition), first)
}

// create creates a topic, in the place of one of that name if there is one.
func (w *world) create(name string, partitions int) {
	w.memory.CreateTopic(name, partitions)
	id, err := w.memory.TopicID(w.t.Context(), name, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	w.change(func(t *recount.Topics) { t.Create(name, string(id[:]), partitions) })
}

// replace deletes the training topic and creates it again, with fewer or more records.
func (w *world) replace() {
	w.count("training topics created again")
	w.trace("the training topic is created again")
	w.create("training", partitions)
	for range w.rnd.IntN(4) {
		w.produce()
	}
}
