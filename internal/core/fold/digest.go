package fold

import (
	"encoding/binary"

	"bayestream/internal/core/digest"
)

// Digest returns what a delta of src that is built on the state says about it; nil before the first
// spec.
func (s *State) Digest(src Source) *Digest {
	if s.model == nil {
		return nil
	}
	d := &Digest{Next: s.next, Counts: uint64(s.model.Digest())}
	if l := s.Ledger(src); l != nil {
		d.Ledger = uint64(l.digest)
	}
	return d
}

// Digests returns the digests of the counts and of all ledgers.
func (s *State) Digests() (counts, ledgers digest.Sum) {
	if s.model != nil {
		counts = s.model.Digest()
	}
	for id, src := range s.sources {
		if src.ledger != nil {
			key := digest.HashString(id.Topic).Times(digest.Key("partition", int(id.Partition)))
			ledgers = ledgers.Plus(src.ledger.digest.Times(key))
		}
	}
	return counts, ledgers
}

// weight returns what an entry adds to the digest of its ledger.
func (e *entry) weight() digest.Sum {
	var scratch [256]byte
	b := binary.AppendVarint(scratch[:0], e.offset)
	for _, s := range []string{e.id, e.Label, e.Topic} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendVarint(b, e.Weight)
	b = binary.AppendVarint(b, int64(e.Partition))
	b = binary.AppendVarint(b, e.Offset)
	b = binary.LittleEndian.AppendUint64(b, e.Sum)
	if e.Owed {
		b = append(b, 1)
	}
	if e.Gone {
		b = append(b, 2)
	}
	if e.Time != 0 {
		b = binary.AppendVarint(b, e.Time)
	}
	return digest.Hash(b)
}
