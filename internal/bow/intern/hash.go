package intern

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// seed and keySeeds differ from process to process, so that a sender cannot choose terms that
// collide. Nothing that is stored or printed depends on them.
var (
	seed     = maphash.MakeSeed()
	keySeeds = [2]uint64{Hash([]byte("first")), Hash([]byte("second"))}
)

// Hash returns the hash of a term, the same in the whole process.
func Hash(term []byte) uint64 { return maphash.Bytes(seed, term) }

// A key is what a term is compared by: up to fifteen bytes filled up with zeros, and their number
// in the last one; of a longer term, the first eight bytes and seven of its hash.
type key struct{ first, second uint64 }

const (
	keyBytes = 16
	longMark = 0xFF << 56
)

// keyOf returns the key of a term. It reads the memory behind a short term, where there is any,
// instead of copying the term byte by byte.
func keyOf(term []byte) key {
	n := len(term)
	if n >= keyBytes {
		return key{binary.LittleEndian.Uint64(term), longMark | Hash(term)>>8}
	}
	if cap(term) < keyBytes {
		var padded [keyBytes]byte
		copy(padded[:], term)
		term = padded[:]
	}
	term = term[:keyBytes]
	mask := &keyMasks[n]
	return key{
		binary.LittleEndian.Uint64(term) & mask.first,
		binary.LittleEndian.Uint64(term[8:])&mask.second | uint64(n)<<56,
	}
}

// keyMasks keep the first n of sixteen bytes.
var keyMasks = func() (masks [keyBytes]key) {
	for n := range masks {
		var bytes [keyBytes]byte
		for i := range n {
			bytes[i] = 0xFF
		}
		masks[n] = key{binary.LittleEndian.Uint64(bytes[:]), binary.LittleEndian.Uint64(bytes[8:])}
	}
	return masks
}()

func (k key) isLong() bool { return k.second >= longMark }

// hash returns the hash of a key: the product of its halves, folded, as wyhash has it.
func (k key) hash() uint64 {
	high, low := bits.Mul64(k.first^keySeeds[0], k.second^keySeeds[1])
	return high ^ low
}
