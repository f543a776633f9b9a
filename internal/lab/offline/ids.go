package offline

import (
	"hash/maphash"
	"strconv"
)

// ids remembers where each id was met first. It is a table without pointers: of short records, looking their ids up
// in a map of strings and growing that took a sixth of the time to learn them. The zero value is ready for use.
type ids struct {
	seed  maphash.Seed
	slots []uint64 // open addressing: high half of the hash | number+1; 0 is empty
	met   []meeting
	text  []byte // all ids, one behind the other
	files []string
}

// A meeting is a record with a new id.
type meeting struct {
	end  int // of the id in text
	file int // among the files
	line int64
}

// location is where a record stands.
type location struct {
	file string
	line int64
}

func (p location) String() string { return p.file + ":" + strconv.FormatInt(p.line, 10) }

// add enters an id. If it was entered before, it returns where that was.
func (s *ids) add(id string, at location) (before location, again bool) {
	if 4*(len(s.met)+1) > 3*len(s.slots) {
		s.grow()
	}
	high := maphash.String(s.seed, id) >> 32
	mask := uint64(len(s.slots) - 1)
	i := high & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if number := int(uint32(s.slots[i])) - 1; s.slots[i]>>32 == high && string(s.id(number)) == id {
			m := s.met[number]
			return location{s.files[m.file], m.line}, true
		}
	}
	if len(s.files) == 0 || s.files[len(s.files)-1] != at.file {
		s.files = append(s.files, at.file)
	}
	s.text = append(s.text, id...)
	s.met = append(s.met, meeting{end: len(s.text), file: len(s.files) - 1, line: at.line})
	s.slots[i] = high<<32 | uint64(len(s.met))
	return location{}, false
}

// id returns the id with a number.
func (s *ids) id(number int) []byte {
	begin := 0
	if number > 0 {
		begin = s.met[number-1].end
	}
	return s.text[begin:s.met[number].end]
}

func (s *ids) grow() {
	old := s.slots
	if old == nil {
		s.seed = maphash.MakeSeed()
	}
	s.slots = make([]uint64, max(64, 2*len(old)))
	mask := uint64(len(s.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := slot >> 32 & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = slot
	}
}
