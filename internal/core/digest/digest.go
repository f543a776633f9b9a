// Package digest has sums that tell whether two sets of counts are equal.
//
// A digest is linear: the digest of a sum of counts is the sum of their digests, in the integers
// modulo the prime 2^61-1. So it is kept by addition as counts change, and depends neither on their
// order nor on how they were cut into deltas; what is learned and then taken out leaves it as it
// was. The weight of a count is a hash of what is counted, the same for every process and
// architecture. Two different sets of counts have the same digest with a chance of 2^-61.
//
// Caveat: the hash has no secret. A digest finds errors; it does not stop somebody who looks for
// counts with a given digest.
package digest

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// A Sum is an integer modulo 2^61-1, the least that is not negative.
type Sum uint64

// String returns 16 hexadecimal digits.
func (s Sum) String() string { return fmt.Sprintf("%016x", uint64(s)) }

const (
	sumBits = 61
	modulus = 1<<sumBits - 1
)

// reduce returns x modulo 2^61-1.
func reduce(x uint64) Sum {
	x = x&modulus + x>>sumBits
	if x >= modulus {
		x -= modulus
	}
	return Sum(x)
}

// Int returns the sum of an integer.
func Int(n int64) Sum {
	if n < 0 {
		return Sum(0).Minus(reduce(-uint64(n)))
	}
	return reduce(uint64(n))
}

// Words returns the sum of an integer of 192 bits, two's complement, least significant word first.
func Words(z [3]uint64) Sum {
	s := z[0]&modulus + z[0]>>61
	s += z[1]<<3&modulus + z[1]>>58 // 2^64 is 2^3
	s += z[2]<<6&modulus + z[2]>>55
	if z[2]>>63 == 1 {
		s += modulus - 1<<9 // less 2^192
	}
	return reduce(s)
}

// Plus returns s + t.
func (s Sum) Plus(t Sum) Sum { return reduce(uint64(s) + uint64(t)) }

// Minus returns s - t.
func (s Sum) Minus(t Sum) Sum { return reduce(uint64(s) + modulus - uint64(t)) }

// Times returns s t.
func (s Sum) Times(t Sum) Sum {
	hi, lo := bits.Mul64(uint64(s), uint64(t))
	return reduce(hi<<(64-sumBits) + lo>>sumBits + lo&modulus)
}

// Hash returns the weight of a byte string, which is not 0.
func Hash(b []byte) Sum { return weight(xxhash.Sum64(b)) }

// Name returns the XXH64 of a byte string, by which it can be told from another one. It is not 0.
func Name(b []byte) uint64 { return max(1, xxhash.Sum64(b)) }

// HashString returns Hash of the bytes of s.
func HashString(s string) Sum { return weight(xxhash.Sum64String(s)) }

func weight(hash uint64) Sum { return max(1, reduce(hash)) }

// Key returns the weight of what a name and numbers say: of "documents", or of the second field of
// "numbers".
func Key(name string, numbers ...int) Sum {
	var key [64]byte
	b := append(key[:0], name...)
	b = append(b, 0)
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n))
	}
	return Hash(b)
}
