package recount

import (
	"math/big"
	"slices"
)

// Source is a partition of a training topic.
type Source struct {
	Topic     string
	Partition int32
	Made      int // how many topics of that name there were before
}

// Place is where a record is.
type Place struct {
	Source
	Offset int64
}

// Document is what is counted of a record.
type Document struct {
	Words   []string
	Values  []string     // by field; "": missing
	Numbers [][]*big.Int // by block and field, in the unit of fixed-point numbers; nil: missing
}

// Record is a training record as its producer meant it.
type Record struct {
	Reject string // the reason why it cannot be used; "": it can
	ID     string // "": none of its own
	Forget bool
	Label  string
	Weight int64  // 0: as it was, where the record relabels
	By     string // who says the label; "": nobody is named
	Time   int64  // in milliseconds; 0: it has none
	Ref    *Place // where the document is; nil: in the record
	Document

	Other     *Record  // what it says by the spec Rules.Other; nil: the same
	Relabel   bool     // it has no document
	Forwarded *Forward // nil: its producer wrote it
}

// SetTime sets the time of a record, in milliseconds; 0: it has none.
func (r *Record) SetTime(milliseconds int64) {
	r.Time = milliseconds
	if r.Other != nil {
		r.Other.Time = milliseconds
	}
}

// by returns what a record says by a spec.
func (r *Record) by(isOther bool) *Record {
	if r != nil && isOther && r.Other != nil {
		return r.Other
	}
	return r
}

// rejected returns the reason of the dead letter of a record; "": any. It keeps the one that it has
// got when it was read by another spec, for a delta that did not count.
func (r *Record) rejected(reason string) string {
	if r.Other != nil && r.Other.Reject != r.Reject {
		return ""
	}
	return reason
}

// Forward is what a record says that was forwarded to the partition which knows its document, or
// written again in its own.
type Forward struct {
	To   Place // the record that put the document into the ledger, or has its text
	From Place // the record that was forwarded

	elsewhere bool // it was forwarded to another partition before
}

// Topics are all records that were ever produced, and what happened to their topics.
type Topics struct {
	Records map[Place]*Record // training records, and documents that refs point at
	Starts  map[Source][]int64
	Ends    map[Source]int64
	Early   map[Place]bool // was asked for before it was there
	Made    map[string]int // by topic: that of the topic as it is now
	IDs     map[string]int // by the id of a topic: its Made

	Forwards  map[Place]bool // records that were forwarded
	elsewhere map[Place]bool // those that were forwarded to another partition
}

// NewTopics returns topics without records.
func NewTopics() *Topics {
	return &Topics{
		Records: map[Place]*Record{}, Starts: map[Source][]int64{}, Ends: map[Source]int64{}, Early: map[Place]bool{},
		Made: map[string]int{}, IDs: map[string]int{}, Forwards: map[Place]bool{}, elsewhere: map[Place]bool{},
	}
}

// Create says that there is a topic with that id. If there was one of its name, it was deleted
// before.
func (t *Topics) Create(name, id string, partitions int) {
	if t.Has(name) {
		t.Made[name]++
	}
	for partition := range partitions {
		t.Ends[t.Source(name, partition)] = 0
	}
	t.IDs[id] = t.Made[name]
}

// Has reports whether there is a topic of that name.
func (t *Topics) Has(name string) bool {
	_, ok := t.Ends[t.Source(name, 0)]
	return ok
}

// Source returns a partition of a topic as it is now.
func (t *Topics) Source(name string, partition int) Source {
	return Source{name, int32(partition), t.Made[name]}
}

// Append adds a record at the end of a partition.
func (t *Topics) Append(s Source, r *Record) {
	if r.Ref != nil && r.Ref.Offset >= t.Ends[r.Ref.Source] {
		t.Early[*r.Ref] = true
	}
	if r.Forwarded != nil {
		t.forward(s, r)
	}
	t.Records[Place{s, t.Ends[s]}] = r
	t.Ends[s]++
}

// forward notes that a record was forwarded to a partition.
func (t *Topics) forward(s Source, r *Record) {
	from := r.Forwarded.From
	t.Forwards[from] = true
	r.Forwarded.elsewhere = t.elsewhere[from]
	t.elsewhere[from] = t.elsewhere[from] || from.Source != s
}

// Skip uses up offsets without a record.
func (t *Topics) Skip(s Source, n int64) { t.Ends[s] += n }

// Truncate deletes the records before an offset. Who read them before still knows them.
func (t *Topics) Truncate(s Source, first int64) { t.Starts[s] = append(t.Starts[s], first) }

// gone reports whether the record at a place could not be read, at some time or always.
func (t *Topics) gone(p Place) bool {
	return t.Records[p] == nil || t.Early[p] || p.Made < t.Made[p.Topic] || slices.ContainsFunc(t.Starts[p.Source],
		func(first int64) bool { return first > p.Offset })
}

// begins reports whether the partition has had its start at an offset.
func (t *Topics) begins(s Source, offset int64) bool {
	return offset == 0 || slices.Contains(t.Starts[s], offset)
}
