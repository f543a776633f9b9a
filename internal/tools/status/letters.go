package status

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"bayestream/internal/shell/wire"
)

// Bounds on what is kept of dead letters.
const (
	mostLetters = 10_000 // that are read of a partition
	mostText    = 200    // bytes of a value
	mostMessage = 1024   // the whole sentence: it ends with what to do
	mostKey     = 100
)

type letters struct {
	next    map[int]int64 // by partition of their topic: the offset to read next
	read    int64
	passed  int64 // before those that were read
	reasons map[[2]string]*Letter
	offsets map[origin][]int64 // where they came from, as they came
}

// origin is a partition, and the worker that was at it.
type origin struct {
	place
	stage string
}

func newLetters() letters {
	return letters{next: map[int]int64{}, reasons: map[[2]string]*Letter{}, offsets: map[origin][]int64{}}
}

func (s *letters) add(l *wire.Letter) {
	s.read++
	at := origin{place{l.Topic, l.Partition}, l.Stage}
	if s.offsets[at] = append(s.offsets[at], l.Offset); len(s.offsets[at]) > 2*mostLetters {
		s.offsets[at] = slices.Delete(s.offsets[at], 0, mostLetters)
	}
	key := [2]string{l.Reason, l.Stage}
	r := s.reasons[key]
	if r == nil {
		r = &Letter{Reason: l.Reason, Stage: l.Stage}
		s.reasons[key] = r
	}
	r.Records++
	if l.Record.Time.Before(r.Newest) {
		return
	}
	r.Newest, r.At = l.Record.Time, fmt.Sprintf("%d/%d", l.Record.Partition, l.Record.Offset)
	r.ID, r.Message, r.Text = begin(string(l.Record.Key), mostKey), begin(l.Message, mostMessage),
		begin(string(l.Record.Value), mostText)
}

// begin returns the beginning of a text, whole characters.
func begin(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most] + "…"
	}
	return strings.ToValidUTF8(strings.Clone(text), "\uFFFD")
}

// of returns the offsets of the records of a partition that became dead letters. Those up to one
// behind its end are of an earlier topic of its name.
func (s *letters) of(at origin, end int64) []int64 {
	all := s.offsets[at]
	for i, offset := range slices.Backward(all) {
		if offset >= end {
			return all[i+1:]
		}
	}
	return all
}

// between returns how many offsets are from one up to another.
func between(offsets []int64, from, until int64) int64 {
	unlike := map[int64]bool{} // one that is written twice counts once
	for _, offset := range offsets {
		if from <= offset && offset < until {
			unlike[offset] = true
		}
	}
	return int64(len(unlike))
}

func (s *letters) count() Letters {
	out := Letters{Total: s.passed + s.read, Read: s.read, Reasons: []Letter{}}
	for _, r := range slices.SortedFunc(maps.Values(s.reasons), func(a, b *Letter) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Reason, b.Reason))
	}) {
		out.Reasons = append(out.Reasons, *r)
	}
	return out
}
