package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"

	"github.com/klauspost/compress/snappy"
	"github.com/segmentio/kafka-go/compress"
)

var codecCodes = map[string]int8{"none": codecNone, "gzip": codecGzip, "snappy": codecSnappy, "lz4": codecLz4, "zstd": codecZstd}

// pack compresses as kafka-go does.
func pack(t testing.TB, codec string, plain []byte) []byte {
	t.Helper()
	if codec == "none" {
		return plain
	}
	var packed bytes.Buffer
	w := compress.Codecs[codecCodes[codec]].NewWriter(&packed)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestUnpack(t *testing.T) {
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	random := make([]byte, 200_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(r.Uint32() >> 5 & 0x3f)
	}
	for codec, code := range codecCodes {
		for name, plain := range map[string][]byte{"text": bytes.Repeat([]byte("some text "), 5000), "random": random, "short": []byte("x"), "full": make([]byte, testLimit)} {
			t.Run(codec+"/"+name, func(t *testing.T) {
				got, err := d.unpack(code, pack(t, codec, plain))
				if err != nil || !bytes.Equal(got, plain) {
					t.Errorf("%d bytes came back as %d: %v", len(plain), len(got), err)
				}
			})
		}
	}
	if got, err := d.unpack(codecSnappy, snappy.Encode(nil, random)); err != nil || !bytes.Equal(got, random) {
		t.Errorf("a bare snappy block: %d bytes, %v", len(got), err)
	}
}

// TestUnpackRefusesBombs: what unpacks to more than the limit is refused without
// taking the memory for it.
func TestUnpackRefusesBombs(t *testing.T) {
	const bomb = 6 * testLimit
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	claim := binary.AppendUvarint(nil, 1<<32-1) // a snappy block of 4 GB, by its own word
	packed := map[string][]byte{"snappy claim": append(claim, 0, 0)}
	for codec := range codecCodes {
		if codec != "none" {
			packed[codec] = pack(t, codec, make([]byte, bomb))
		}
	}
	for name, bytes := range packed {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := d.unpack(codecCodes[strings.Fields(name)[0]], bytes)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, errBatchLimit) {
				t.Errorf("%d bytes that unpack to more than the limit: %v", len(bytes), err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > bomb {
				t.Errorf("refusing took %d MB", took>>20)
			}
		})
	}
}

func TestUnpackRefusesDamage(t *testing.T) {
	d, err := newDecompressor(testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	text := bytes.Repeat([]byte("some text "), 500)
	for codec, code := range codecCodes {
		if codec == "none" {
			continue
		}
		good := pack(t, codec, text)
		for name, packed := range map[string][]byte{"empty": {}, "noise": []byte("\x01\x02noise"), "cut": good[:len(good)/2]} {
			if codec == "zstd" && name == "empty" || codec == "lz4" && name == "empty" {
				continue // no frame at all is an empty stream to them
			}
			if got, err := d.unpack(code, packed); err == nil {
				t.Errorf("%s %s: %d bytes and no error", codec, name, len(got))
			}
		}
	}
	if _, err := d.unpack(7, text); err == nil || !strings.Contains(err.Error(), "codec 7") {
		t.Errorf("an unknown codec: %v", err)
	}
}

// fuzzLimit is the limit of a decompressor in fuzz tests: what is packed may unpack to it, however
// short it is.
const fuzzLimit = 128 << 10

// lz4Buffers is the input for which as much memory is allowed as the buffers of lz4 take, 8 MiB, which
// are from a pool: under the race detector a pool forgets at random.
const lz4Buffers = 1 << 18

func FuzzUnpack(f *testing.F) {
	for codec, code := range codecCodes {
		f.Add(code, pack(f, codec, []byte("some text some text")))
	}
	f.Add(int8(codecSnappy), append(xerial[:8:8], 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 1))
	d, err := newDecompressor(fuzzLimit)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, codec int8, packed []byte) {
		var plain []byte
		var err error
		input := len(packed)
		if codec == codecLz4 {
			input += lz4Buffers
		}
		alloctest.Bound(t, input, func() { plain, err = d.unpack(codec, packed) })
		if err == nil && codec != codecNone && len(plain) > fuzzLimit {
			t.Fatalf("%d bytes are beyond the limit", len(plain))
		}
	})
}
