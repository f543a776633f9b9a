package stream

import (
	"encoding/binary"
	"fmt"
)

// Murmur2Partition returns the partition that Kafka's own default partitioner
// picks for a record with this key on a topic of n partitions, so that all records
// of one key are in one partition, whichever client wrote them. A nil key counts as
// an empty one. n must be positive.
func Murmur2Partition(key []byte, n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("stream: a topic has at least one partition, got %d", n))
	}
	return int(murmur2(key)&0x7fffffff) % n
}

// murmur2 is the 32-bit MurmurHash2 with the seed that Kafka's Java client
// uses (org.apache.kafka.common.utils.Utils.murmur2). The constants are
// Austin Appleby's: https://github.com/aappleby/smhasher, MurmurHash2.cpp.
func murmur2(data []byte) uint32 {
	const (
		seed   = 0x9747b28c
		factor = 0x5bd1e995
		shift  = 24
	)
	hash := uint32(seed) ^ uint32(len(data))
	for len(data) >= 4 {
		word := binary.LittleEndian.Uint32(data) * factor
		word = (word ^ word>>shift) * factor
		hash = hash*factor ^ word
		data = data[4:]
	}
	if len(data) > 0 {
		for i := len(data) - 1; i >= 0; i-- {
			hash ^= uint32(data[i]) << (8 * i)
		}
		hash *= factor
	}
	hash = (hash ^ hash>>13) * factor
	return hash ^ hash>>15
}
