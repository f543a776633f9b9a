package fold

import (
	"encoding/binary"
	"iter"
	"sort"
	"unsafe"

	"bayestream/internal/bow/intern"
)

// documents holds the entries of a ledger by ascending source offset, in a ring, and finds them by
// their ids. Each entry has a sequence number, which grows from one to the next. There may be
// millions: each takes 40 bytes, 8 in the index, and its id. None has a pointer, so that the garbage
// collector does not look at them.
type documents struct {
	ring    []entry
	times   column
	more    column // weights beyond 1
	first   int64  // sequence number of the first entry
	end     int64  // behind the last one
	live    int    // entries that were not dropped
	added   int64  // entries from this sequence number on were added since clearChanges
	index   intern.Index
	ids     ids
	commons commons
}

// An entry is a document, or what is left of one that was dropped.
type entry struct {
	offset int64 // of the record that put it in
	text   int64 // the offset of the text
	sum    uint64
	hash   uint32 // of its id
	common uint32 // number of what it has in common with others
	block  uint32 // where its id is
	at     uint16 // likewise
	flags  flags
}

// flags of an entry.
type flags uint8

const (
	isDropped flags = 1 << iota
	isNamed         // its id names it
	isOwed          // as in Learned
	isGone          // likewise
	isChanged       // in place, since clearChanges
	// An entry of an earlier generation was dropped since clearChanges, at the same offset.
	isReplacing
)

func (e *entry) has(f flags) bool { return e.flags&f != 0 }

// entry returns the entry with a sequence number. It is valid until one is added, or some are removed.
func (d *documents) entry(seq int64) *entry { return &d.ring[d.place(seq)] }

// place returns where in the ring the entry with a sequence number is.
func (d *documents) place(seq int64) int { return int(seq % int64(len(d.ring))) }

// find returns the sequence number of the entry that an id names.
func (d *documents) find(id string) (seq int64, ok bool) {
	hash := hashID(id)
	slot, place := d.index.First(spread(hash))
	for ; place >= 0; slot, place = d.index.Next(slot, spread(hash)) {
		if e := &d.ring[place]; e.hash == hash && d.ids.get(e) == id {
			behind := place - d.place(d.first)
			if behind < 0 {
				behind += len(d.ring)
			}
			return d.first + int64(behind), true
		}
	}
	return 0, false
}

// search returns the sequence number of the first entry that has the offset or a larger one.
func (d *documents) search(offset int64) (seq int64) {
	return d.first + int64(sort.Search(int(d.end-d.first), func(i int) bool {
		return d.entry(d.first+int64(i)).offset >= offset
	}))
}

// from yields the entries from a sequence number on that were not dropped.
func (d *documents) from(seq int64) iter.Seq2[int64, *entry] {
	return func(yield func(int64, *entry) bool) {
		for seq := max(seq, d.first); seq < d.end; seq++ {
			if e := d.entry(seq); !e.has(isDropped) && !yield(seq, e) {
				return
			}
		}
	}
}

// add adds an entry, its id and what it has in common with others.
func (d *documents) add(e entry, id string, c *common, weight, time int64) (seq int64) {
	if d.end-d.first == int64(len(d.ring)) {
		d.rebuild()
	}
	e.hash = hashID(id)
	e.common = d.commons.add(c)
	d.ids.add(&e, id)
	seq = d.append(&e, weight, time)
	d.live++
	return seq
}

// append adds an entry at the end, where there is room.
func (d *documents) append(e *entry, weight, time int64) (seq int64) {
	seq = d.end
	d.end++
	at := d.place(seq)
	d.ring[at] = *e
	d.times.set(at, len(d.ring), time)
	d.more.set(at, len(d.ring), weight-1)
	if e.has(isNamed) {
		d.index.Enter(spread(e.hash), at)
	}
	return seq
}

// few is how much room the smallest ring has.
const few = 16

// rebuild moves the entries that were not dropped to a ring with room for a quarter more.
func (d *documents) rebuild() {
	places := d.live + d.live/4 + few
	kept := documents{
		ring: make([]entry, places), first: d.first, end: d.first, live: d.live, added: d.first,
		index: intern.NewIndex(2 * places),
	}
	fewDropped := 4*int64(d.live) > 3*(d.end-d.first)
	if fewDropped {
		kept.ids = d.ids
	}
	numbers := d.commons.moved(&kept.commons)
	for seq, e := range d.from(d.first) {
		if seq < d.added {
			kept.added++
		}
		moved := *e
		moved.common = numbers[e.common]
		if !fewDropped {
			kept.ids.add(&moved, d.ids.get(e))
		}
		kept.append(&moved, d.weight(seq), d.time(seq))
	}
	*d = kept
}

func (d *documents) weight(seq int64) int64 { return 1 + d.more.at(d.place(seq)) }

func (d *documents) time(seq int64) int64 { return d.times.at(d.place(seq)) }

// A column has an integer for each place in a ring; nil: all are 0.
type column []int64

func (c column) at(place int) int64 {
	if c == nil {
		return 0
	}
	return c[place]
}

// set sets the integer of a place in a ring with so many.
func (c *column) set(place, places int, n int64) {
	if n != 0 && *c == nil {
		*c = make(column, places)
	}
	if *c != nil {
		(*c)[place] = n
	}
}

// drop drops an entry. Its place and its offset remain.
func (d *documents) drop(seq int64) {
	d.unname(seq)
	e := d.entry(seq)
	d.commons.remove(e.common)
	*e = entry{offset: e.offset, block: e.block, flags: isDropped}
	d.live--
}

// unname has the id of an entry name it no more.
func (d *documents) unname(seq int64) {
	e := d.entry(seq)
	if e.has(isNamed) {
		e.flags &^= isNamed
		d.index.Remove(spread(e.hash), d.place(seq), func(place int) uint64 { return spread(d.ring[place].hash) })
	}
}

// trim removes the dropped entries at the front, and all of them where few are left.
func (d *documents) trim() {
	for d.first < d.end && d.entry(d.first).has(isDropped) {
		d.first++
	}
	if d.first < d.end {
		d.ids.free(d.entry(d.first).block)
	}
	if len(d.ring) > 4*(d.live+few) || len(d.commons.unused) > max(len(d.commons.all)/2, d.live/8, few) {
		d.rebuild()
	}
}

// hashID returns the hash of an id, of which an entry keeps 32 bits.
func hashID(id string) uint32 {
	return uint32(intern.Hash(unsafe.Slice(unsafe.StringData(id), len(id))) >> 32)
}

// spread makes a hash for the index of the 32 bits: it takes a place from the upper half, and what
// it compares from the lower one.
func spread(hash uint32) uint64 { return uint64(hash)<<32 | uint64(hash*0x9E3779B1) }

// ids are the ids of entries, each behind its length, in blocks, which are freed in their order.
type ids struct {
	blocks [][]byte
	first  uint32 // number of the first block
}

// add adds the id of an entry. No id begins behind the first 64 KiB of a block.
func (x *ids) add(e *entry, id string) {
	const full = 1 << 16
	last := len(x.blocks) - 1
	if last < 0 || len(x.blocks[last])+len(id) >= full {
		x.blocks = append(x.blocks, nil)
		last++
	}
	e.block = x.first + uint32(last)
	e.at = uint16(len(x.blocks[last]))
	x.blocks[last] = append(binary.AppendUvarint(x.blocks[last], uint64(len(id))), id...)
}

// get returns the id of an entry without a copy: what is in a block never changes.
func (x *ids) get(e *entry) string {
	b := x.blocks[e.block-x.first][e.at:]
	length, n := binary.Uvarint(b)
	return unsafe.String(unsafe.SliceData(b[n:]), int(length))
}

// free frees the blocks before one.
func (x *ids) free(block uint32) {
	clear(x.blocks[:block-x.first])
	x.blocks = x.blocks[block-x.first:]
	x.first = block
}

// common is what many documents of a ledger have alike.
type common struct {
	label, by, topic string
	ahead            string // the class against which it corrected
	partition        int32
}

// commons numbers what entries have in common, and counts the entries of each.
type commons struct {
	all     []shared
	numbers map[common]uint32
	unused  []uint32 // numbers without entries
}

type shared struct {
	common

	entries int
}

// add returns the number for one entry more.
func (x *commons) add(c *common) (number uint32) {
	number, ok := x.numbers[*c]
	if !ok {
		if last := len(x.unused) - 1; last >= 0 {
			number = x.unused[last]
			x.unused = x.unused[:last]
		} else {
			number = uint32(len(x.all))
			x.all = append(x.all, shared{})
		}
		if x.numbers == nil {
			x.numbers = map[common]uint32{}
		}
		x.all[number].common = *c
		x.numbers[*c] = number
	}
	x.all[number].entries++
	return number
}

// remove says that a number has one entry less.
func (x *commons) remove(number uint32) {
	s := &x.all[number]
	if s.entries--; s.entries == 0 {
		delete(x.numbers, s.common)
		*s = shared{}
		x.unused = append(x.unused, number)
	}
}

// moved moves what entries have to another commons, without what none has. It returns the new
// numbers by the old ones.
func (x *commons) moved(to *commons) (numbers []uint32) {
	numbers = make([]uint32, len(x.all))
	to.numbers = map[common]uint32{}
	for old, s := range x.all {
		if s.entries > 0 {
			numbers[old] = uint32(len(to.all))
			to.numbers[s.common] = numbers[old]
			to.all = append(to.all, s)
		}
	}
	return numbers
}
