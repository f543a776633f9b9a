package recount

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"slices"

	"bayestream/internal/shell/modellog/logpb"
)

// void is a control that takes the records [from, to) out of the log: with recount as if they had
// never been there. A rollback leaves the specs among them in force, and their forgets, and says
// how far the sources were counted.
type void struct {
	at, from, to int64
	isRollback   bool
	marks        []*logpb.Source // of a rollback
}

// Voids are those that are in force in a log, in the order of their records, the recounts first.
type Voids []void

// Count counts a log to its end, with the voids that its own records put in force. The error says
// what is wrong with a record that must be accepted.
func Count(rules Rules, topics *Topics, log []*Entry) (*Log, error) {
	voids := recounts(log)
	for {
		l := New(rules, topics, voids)
		found, err := l.firstRollback(log)
		if err != nil || found == nil {
			return l, err
		}
		voids = append(voids, *found)
	}
}

// Known returns the voids that the records of a log put in force. A replica that starts over knows
// those after the record that it is at.
func Known(rules Rules, topics *Topics, log []*Entry) (Voids, error) {
	isRollback := func(e *Entry) bool { v := e.record.GetControl().GetVoid(); return v != nil && !v.GetRecount() }
	if !slices.ContainsFunc(log, isRollback) { // the others need no counting
		return recounts(log), nil
	}
	l, err := Count(rules, topics, log)
	return l.voids, err
}

// recounts returns the voids with recount that are in force: those that name records of the log,
// and are not taken out themselves by one behind them.
func recounts(log []*Entry) (voids Voids) {
	for at := len(log) - 1; at >= 0; at-- {
		v := log[at].record.GetControl().GetVoid()
		if v == nil || !v.GetRecount() || v.GetFrom() >= v.GetTo() || v.GetTo() > int64(at) || voids.of(int64(at)) != nil ||
			!names(log, v) {
			continue
		}
		voids = append(voids, void{at: int64(at), from: v.GetFrom(), to: v.GetTo()})
	}
	return voids
}

// names reports whether a void names records of the log.
func names(log []*Entry, v *logpb.Void) bool {
	return log[v.GetFrom()].sum == v.GetFirstCrc() && log[v.GetTo()-1].sum == v.GetLastCrc()
}

func sum(value []byte) uint32 { return crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)) }

// of returns the void that takes out the record at an offset, nil if there is none: a recount
// before a rollback, and of rollbacks the last.
func (voids Voids) of(at int64) (found *void) {
	for i := range voids {
		if v := &voids[i]; v.from <= at && at < v.to && (found == nil || found.isRollback) {
			found = v
		}
	}
	return found
}

// JudgedBefore returns the voids but for the rollbacks from an offset on: a replica that has
// started over for a recount judges those again when it meets them.
func (voids Voids) JudgedBefore(next int64) Voids {
	return slices.DeleteFunc(slices.Clone(voids), func(v void) bool { return v.isRollback && v.at >= next })
}

// recount reports whether there is a recount: it may have taken out, within a rollback, the forget
// for which a document was owed.
func (voids Voids) recount() bool {
	return slices.ContainsFunc(voids, func(v void) bool { return !v.isRollback })
}

// recountBehind reports whether there is a recount behind an offset: what was built there was built on
// records that are taken out since.
func (voids Voids) recountBehind(at int64) bool {
	return slices.ContainsFunc(voids, func(v void) bool { return !v.isRollback && v.at > at })
}

// at returns the void whose control is at an offset, nil if none does.
func (voids Voids) at(at int64) *void {
	i := slices.IndexFunc(voids, func(v void) bool { return v.at == at })
	if i < 0 {
		return nil
	}
	return &voids[i]
}

// Key names the voids: what counts of the same records is equal under equal voids.
func (voids Voids) Key() string {
	var out []int64
	for i := range voids {
		out = append(out, voids[i].at, voids[i].from, voids[i].to)
	}
	return fmt.Sprint(out)
}

// firstRollback counts the log up to the first rollback that is in force and not known.
func (l *Log) firstRollback(log []*Entry) (*void, error) {
	for _, e := range log {
		at := l.next
		found, err := l.rollback(log, at, e.record.GetControl())
		if found != nil || err != nil {
			return found, err
		}
		if err := l.Fold(e); err != nil {
			return nil, fmt.Errorf("offset %d of the model log: %w", at, err)
		}
	}
	return nil, nil
}

// rollback returns the void that a control says, if it is a rollback that is not known, and was
// made for the log as it is. A void with recount behind it may since have taken out what was
// counted when it was made: if it was counted before the records of the rollback, that is undone.
// So it is if a control is among these records, whatever the void has taken out before them: behind
// a reset the marks do not say what was counted before it.
func (l *Log) rollback(log []*Entry, at int64, c *logpb.Control) (*void, error) {
	v := c.GetVoid()
	switch {
	case v == nil, v.GetRecount(), l.voids.of(at) != nil, l.voids.at(at) != nil, !l.begun, !bytes.Equal(c.GetLogId(),
		l.id), c.GetEra() != l.era:
		return nil, nil
	case v.GetFrom() <= 0, v.GetFrom() >= v.GetTo(), v.GetTo() != at, !names(log, v):
		return nil, nil
	}
	err := l.checkMarks(at, v.GetMarks())
	isRewritten := slices.ContainsFunc(l.voids, func(w void) bool {
		return !w.isRollback && w.at > at && w.from < v.GetFrom()
	})
	takesOutControl := int64(l.era) > v.GetFrom()
	switch {
	case isRewritten && (err != nil || takesOutControl):
		return nil, nil //nolint:nilerr // an outcome, not a mistake of the log
	case l.voids.recountBehind(at):
		err = nil
	}
	return &void{at: at, from: v.GetFrom(), to: v.GetTo(), isRollback: true, marks: v.GetMarks()}, err
}

// checkMarks compares what a rollback says of the sources with how far they are counted.
func (l *Log) checkMarks(at int64, marks []*logpb.Source) error {
	if len(marks) != len(l.sources) {
		return fmt.Errorf("the rollback at offset %d of the model log knows %d sources, want %d", at, len(marks),
			len(l.sources))
	}
	for _, m := range marks {
		src := l.sources[Source{Topic: m.GetTopic(), Partition: m.GetPartition()}]
		if src == nil || marked(m) != src.progress {
			return fmt.Errorf("the rollback at offset %d of the model log says %v of a source, want %+v", at, m, src)
		}
	}
	return nil
}

// marked returns the progress that a mark says.
func marked(m *logpb.Source) progress {
	return progress{
		watermark: m.GetWatermark(), begin: m.GetBegin(), skipped: m.GetSkipped(), lost: m.GetLost(),
		fromStart: m.GetFromStart(),
		previous:  m.GetPrevious(), generation: m.GetGeneration(), at: m.GetAt(), ahead: m.GetAhead(),
		path: m.GetPath(),
	}
}

// pass passes over a record that a void takes out. Of those that a rollback takes out, what was
// forgotten stays forgotten. What was built behind a control that is taken out does not count up to
// the void.
func (l *Log) pass(at int64, r *logpb.Record, v *void) {
	d := r.GetDelta()
	switch {
	case !v.isRollback:
		if r.GetControl() != nil {
			l.era = max(l.era, uint64(v.at)+1)
		}
		return
	case r.GetSpec() != nil:
		l.begin(at, r.GetSpec())
		return
	case d == nil, d.GetSpec() != l.spec, d.GetSpecCrc() != l.specSum():
		return
	}
	for _, r := range d.GetRanges() {
		l.owe(r, v)
	}
}

// owe marks what the forgets of a range took out that a rollback takes out.
func (l *Log) owe(read *logpb.Range, v *void) {
	id := idOf(read)
	src := l.sources[id]
	i := slices.IndexFunc(v.marks, func(m *logpb.Source) bool {
		return m.GetTopic() == id.Topic &&
			m.GetPartition() == id.Partition
	})
	if src == nil || i < 0 || isUpkeep(read) || read.GetGeneration() != src.generation ||
		v.marks[i].GetGeneration() != src.generation {
		return
	}
	for _, a := range []*logpb.Anchor{read.GetAnchor(), v.marks[i].GetAnchor()} {
		if l.isOther(src, a) {
			return
		}
	}
	skip := skipsOf(read)
	for offset := read.GetStart(); offset < min(read.GetEnd(), v.marks[i].GetWatermark()); offset++ {
		r := l.topics.Records[Place{Source{id.Topic, id.Partition, src.made}, offset}].by(l.IsOther())
		reason, skipped := skip[offset]
		if reason == lost {
			offset += read.GetLost() - 1 // nobody has read them
			continue
		}
		if r != nil && r.Forget && !skipped {
			if src.ledger.owe(r.ID, offset, &l.rules) {
				l.Owed++
			}
		}
	}
}

// move sets the sources to where a rollback says they are. None goes back.
func (l *Log) move(v *void) {
	for _, m := range v.marks {
		id := Source{Topic: m.GetTopic(), Partition: m.GetPartition()}
		src, to := l.sources[id], marked(m)
		switch {
		case src == nil:
			src = &source{}
			l.sources[id] = src
		case l.isOther(src, m.GetAnchor()):
			l.Crossed = l.Crossed || to.generation <= src.generation
			src.ledger = nil
			src.newest = 0
		case to.generation < src.generation, to.generation == src.generation && to.watermark < src.watermark:
			continue
		case to.generation > src.generation:
			src.ledger = nil
			src.newest = 0
		}
		l.Generations += max(0, int(to.generation)-int(src.generation))
		if made, known := l.topics.IDs[string(m.GetAnchor().GetTopicId())]; known {
			src.made = made
		}
		src.progress = to
	}
}

// isOther reports whether an anchor is of another topic of its name than the one that a source was
// counted from.
func (l *Log) isOther(src *source, a *logpb.Anchor) bool {
	made, known := l.topics.IDs[string(a.GetTopicId())]
	return known && made != src.made
}
