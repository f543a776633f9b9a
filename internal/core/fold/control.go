package fold

import (
	"cmp"
	"encoding/binary"

	"bayestream/internal/core/digest"
)

// foldControl makes a control count, if it was made for this state. A void that the state does not
// know is judged instead.
func (s *State) foldControl(e Entry) (Outcome, error) {
	c := e.Control
	switch {
	case c.Void != nil && s.knows(e.Offset):
		s.move(c.Void.Marks)
	case c.Void != nil:
		return s.judge(e)
	case c.Log != s.log:
		return Foreign, nil
	case c.Era != s.era:
		return outcomeOf(cmp.Compare(c.Era, s.era)), nil
	case s.model == nil:
		return Invalid, nil
	case c.Reset != nil:
		s.reset()
	case c.Rename != nil:
		if !s.rename(c.Rename) {
			return Invalid, nil
		}
	default:
		return Invalid, nil
	}
	s.beginEra(e.Offset, e.CRC)
	return Controlled, nil
}

// beginEra begins the era of the control at an offset, unless the era of a later one has begun.
func (s *State) beginEra(control int64, crc uint32) {
	if era := uint64(control) + 1; era > s.era {
		s.era = era
		s.eraCRC = crc
	}
}

// reset empties everything but the spec.
func (s *State) reset() {
	s.begin(s.Spec(), s.race.List())
	s.emptied = true
	clear(s.sources)
	clear(s.teachers)
}

// rename moves what a class counted to another name, in the ledgers too. It reports whether it can.
func (s *State) rename(r *Rename) bool {
	if s.model.Rename(r.From, r.To) != nil {
		return false
	}
	s.unsettled = true
	s.drift.Rename(r.From, r.To)
	s.decided.Rename(r.From, r.To)
	for _, src := range s.sources {
		if src.ledger != nil {
			src.ledger.rename(r.From, r.To)
		}
	}
	return true
}

// Digest returns what a delta that is built on the state says about its counts; nil before the first
// spec.
func (s *State) Digest() *Digest {
	if s.model == nil {
		return nil
	}
	return &Digest{Next: s.next, Counts: uint64(s.model.Digest())}
}

// LedgerDigest returns the digest of the ledger of a source, 0 if there is none.
func (s *State) LedgerDigest(src Source) uint64 {
	if l := s.Ledger(src); l != nil {
		return uint64(l.digest)
	}
	return 0
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

// hash returns what an entry adds to the digest of its ledger.
func (l *Ledger) hash(seq int64) digest.Sum {
	e := l.entry(seq)
	c := &l.commons.all[e.common]
	var scratch [256]byte
	b := binary.AppendVarint(scratch[:0], e.offset)
	for _, s := range []string{l.ids.get(e), c.label, c.topic} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendVarint(b, l.weight(seq))
	b = binary.AppendVarint(b, int64(c.partition))
	b = binary.AppendVarint(b, e.text)
	b = binary.LittleEndian.AppendUint64(b, e.sum)
	if e.has(isOwed) {
		b = append(b, 1)
	}
	if e.has(isGone) {
		b = append(b, 2)
	}
	if time := l.time(seq); time != 0 {
		b = binary.AppendVarint(b, time)
	}
	if c.by != "" {
		b = append(b, 3)
		b = append(b, c.by...)
	}
	if c.ahead != "" {
		b = append(append(b, 4), c.ahead...)
	}
	return digest.Hash(b)
}
