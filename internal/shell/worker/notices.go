package worker

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// noticeEach is the time between two counts of what happens again and again.
const noticeEach = time.Minute

// notices logs what may happen for every record: the first of a kind at once, the others as a
// number each noticeEach.
type notices struct {
	log   *slog.Logger
	mu    sync.Mutex
	kinds map[kind]int // of each, how many were not logged
}

// kind is a sentence, and the attribute that it is about.
type kind struct{ sentence, key, value string }

// note logs the first of a kind, and counts the others. attrs say where it happened.
func (n *notices) note(k kind, attrs ...slog.Attr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kinds == nil {
		n.kinds = map[kind]int{}
	}
	if _, known := n.kinds[k]; known {
		n.kinds[k]++
		return
	}
	n.kinds[k] = 0
	n.log.LogAttrs(context.Background(), slog.LevelWarn, k.sentence,
		append([]slog.Attr{slog.String(k.key, k.value)}, attrs...)...)
}

// flush logs how many there were since the last flush. After a time without any, the next one is a
// first one again.
func (n *notices) flush() {
	n.mu.Lock()
	defer n.mu.Unlock()
	byText := func(a, b kind) int { return cmp.Or(cmp.Compare(a.sentence, b.sentence), cmp.Compare(a.value, b.value)) }
	for _, k := range slices.SortedFunc(maps.Keys(n.kinds), byText) {
		if n.kinds[k] == 0 {
			delete(n.kinds, k)
			continue
		}
		n.log.LogAttrs(context.Background(), slog.LevelWarn, k.sentence, slog.String(k.key, k.value),
			slog.Int("more", n.kinds[k]))
		n.kinds[k] = 0
	}
}

// NoteDeadLetter logs that a record went to the dead-letter topic: its reason, and where it stood.
// What it held is not for a log.
func (w *Worker) NoteDeadLetter(letter *stream.Record) {
	l, _ := wire.ReadLetter(letter)
	w.notices.note(kind{"a record went to the dead-letter topic", "reason", l.Reason},
		slog.String("topic", l.Topic), slog.Int("partition", l.Partition), slog.Int64("offset", l.Offset))
}

// NoteAbstained logs that a block could not vote.
func (w *Worker) NoteAbstained(block string) {
	w.notices.note(kind{"a block could not vote: a class has too few rows or no variance in it", "block", block})
}

// notify logs the numbers of what happened again, and tables that have become full, each noticeEach
// until ctx ends.
func (w *Worker) notify(ctx context.Context) error {
	tick := time.NewTicker(noticeEach)
	defer tick.Stop()
	full, unread := map[string]bool{}, map[string]bool{}
	for {
		w.noteFull(full)
		var names []string
		w.readModel(func(m *model.Model) { names = m.Unseen() })
		w.noteUnread(names, unread)
		select {
		case <-ctx.Done():
			w.notices.flush()
			return nil
		case <-tick.C:
			w.notices.flush()
		}
	}
}

// readModel calls f with the model of the replica, if there is one.
func (w *Worker) readModel(f func(*model.Model)) {
	w.Replica.Read(func(s *fold.State) {
		if s.Model() != nil {
			f(s.Model())
		}
	})
}

// noteFull logs, once for each, the tables that admit no new term. full are those that were logged.
func (w *Worker) noteFull(full map[string]bool) {
	var names []string
	w.readModel(func(m *model.Model) {
		for i, t := range m.Tables() {
			if t.Frozen() {
				names = append(names, m.TableName(i))
			}
		}
	})
	for _, name := range names {
		if !full[name] {
			full[name] = true
			w.log.Warn("a table has reached limits.terms: new terms are not counted any more", "table", name)
		}
	}
}

// unreadField says what a field is that no record had. It is no reason not to be ready: the field
// may be rare.
const unreadField = "no record so far had a field that the spec reads: name the field as the records do, or say " +
	"under from in the spec where it stands"

// noteUnread keeps the fields that no record had, for /readyz, and logs each once. known are those
// that were logged.
func (w *Worker) noteUnread(names []string, known map[string]bool) {
	w.mu.Lock()
	w.unread = names
	w.mu.Unlock()
	for _, name := range names {
		if !known[name] {
			known[name] = true
			w.log.Warn(unreadField, "field", name)
		}
	}
}
