package stream

import (
	"fmt"
	"testing"
)

// The values are those of Kafka's own UtilsTest.testMurmur2.
func TestMurmur2KnownValues(t *testing.T) {
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		const n = 997
		if got, want := Murmur2Partition([]byte(key), n), int(want&0x7fffffff)%n; got != want {
			t.Errorf("the partition of %q is %d, Kafka's is %d", key, got, want)
		}
	}
}

func TestMurmur2Partition(t *testing.T) {
	hit := make(map[int]int)
	for i := range 1000 {
		key := fmt.Appendf(nil, "key-%d", i)
		p := Murmur2Partition(key, 7)
		if p < 0 || p >= 7 {
			t.Fatalf("Murmur2Partition(%q, 7) = %d, want 0 to 6", key, p)
		}
		hit[p]++
	}
	for p := range 7 {
		if hit[p] < 80 {
			t.Errorf("partition %d got %d of 1000 keys, want about 143", p, hit[p])
		}
	}
	if got, want := Murmur2Partition(nil, 5), Murmur2Partition([]byte{}, 5); got != want {
		t.Errorf("a nil key goes to partition %d, an empty one to %d", got, want)
	}
}

func TestMurmur2PartitionRefusesNoPartitions(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Murmur2Partition(key, 0) did not panic")
		}
	}()
	Murmur2Partition([]byte("key"), 0)
}
