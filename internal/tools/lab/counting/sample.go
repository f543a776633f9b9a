package counting

import (
	"cmp"
	"io"
	"slices"

	"bayestream/internal/core/digest"
	"bayestream/internal/tools/lab/choice"
	"bayestream/internal/tools/lab/dataset"
)

// Bounds of a sample, and of the part of it on which all ways are compared.
const (
	mostDocuments = 20000
	mostBytes     = 8 << 20 // of their texts
	partDocuments = 5000
	partBytes     = 2 << 20
)

// Sample keeps some records of files: those with the largest keys, so that which they are does not
// depend on their order.
type Sample struct {
	kept  []kept
	bytes int
	limit digest.Sum // no smaller key can be in the sample
	read  int        // records
}

// kept is a record of a sample.
type kept struct {
	key    digest.Sum
	bytes  int
	record *dataset.Record
}

// Add adds a record, which it copies if it may be in the sample.
func (s *Sample) Add(rec *dataset.Record) {
	key := choice.Key(rec.ID, rec.Explicit, s.read)
	s.read++
	if key < s.limit {
		return
	}
	n := 0
	for _, segment := range rec.Input.Segments {
		n += len(segment.Text)
	}
	s.kept = append(s.kept, kept{key, n, rec.Clone()})
	s.bytes += n
	if len(s.kept) >= 2*mostDocuments || s.bytes >= 2*mostBytes {
		s.shrink()
	}
}

// shrink keeps the records with the largest keys, within the bounds, in the order of their keys.
func (s *Sample) shrink() {
	slices.SortStableFunc(s.kept, func(a, b kept) int { return cmp.Compare(b.key, a.key) })
	s.bytes = 0
	for i, k := range s.kept {
		if i == mostDocuments || s.bytes+k.bytes > mostBytes {
			clear(s.kept[i:])
			s.kept = s.kept[:i]
			break
		}
		s.bytes += k.bytes
		s.limit = k.key
	}
}

// part returns the records with the largest keys that are within the bounds of the part.
func (s *Sample) part() []kept {
	bytes := 0
	for i, k := range s.kept {
		if i == partDocuments || bytes+k.bytes > partBytes {
			return s.kept[:i]
		}
		bytes += k.bytes
	}
	return s.kept
}

// reader reads the records of a sample.
type reader struct{ left []kept }

func (r *reader) Read(rec *dataset.Record) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	*rec = *r.left[0].record
	r.left = r.left[1:]
	return nil
}

func (r *reader) Close() error { return nil }
