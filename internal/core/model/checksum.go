package model

import (
	"encoding/binary"

	"bayestream/internal/core/digest"
)

// Checksum returns the digest of what the features say: terms with their counts, the shape of the
// text, its first and its last word, numbers in fixed point, categories. It depends on neither the
// order of the terms between nor how the record was written, so that what is taken out can be told
// from what was put in, however the record is read again.
func (f *Features) Checksum() uint64 {
	var sum digest.Sum
	for i := range f.Bag.Len() {
		n := digest.Int(int64(f.Bag.Count(i)))
		sum = sum.Plus(n.Times(digest.Hash(f.Bag.Term(i))))
	}
	for i := range f.Runs.Len() {
		sum = sum.Plus(digest.Key("runs", 0).Times(digest.Hash(f.Runs.Term(i))))
	}
	sum = sum.Plus(digest.Key("shape", longestTable).Times(digest.Int(int64(f.Bag.Longest()))))
	sum = sum.Plus(digest.Key("shape", nonwordsTable).Times(digest.Int(int64(f.Bag.Nonwords()))))
	first, last := f.Bag.Edges()
	for i, word := range [...]int{first, last} {
		if word >= 0 {
			sum = sum.Plus(digest.Key("edge", i).Times(digest.Hash(f.Bag.Lexicon().Term(uint32(word)))))
		}
	}
	for i, x := range f.Numbers {
		if x.Present {
			var value [8]byte
			binary.LittleEndian.PutUint64(value[:], uint64(x.Value))
			sum = sum.Plus(digest.Key("number", i).Times(digest.Hash(value[:])))
		}
	}
	for i := range f.Categories {
		if c := &f.Categories[i]; c.Present {
			sum = sum.Plus(digest.Key("category", i).Times(digest.Hash(c.Value)))
		}
	}
	return uint64(sum)
}
