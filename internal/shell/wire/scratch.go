package wire

import (
	"unsafe"

	"bayestream/internal/shell/wire/jsonread"
)

// scratch is the memory of one destination. Decoding does not allocate once it has grown.
type scratch struct {
	buf    []byte            // text that is not a part of the record
	plain  []byte            // the value, if a schema reads it
	reader jsonread.Reader   // of the record, then of an object in it
	fields fields            // of the record
	seen   []bool            // which features were met, as a name may stand twice
	labels map[string]string // copies of the labels met before

	eventID jsonread.Value // of a CloudEvent in structured mode
}

// reset empties the scratch but keeps its memory.
func (sc *scratch) reset() {
	sc.buf = sc.buf[:0]
	sc.eventID = nil
}

// maxInterned bounds the labels remembered. Usually there are few.
const maxInterned = 1024

func (sc *scratch) intern(label []byte) string {
	if s, ok := sc.labels[string(label)]; ok {
		return s
	}
	if sc.labels == nil || len(sc.labels) >= maxInterned {
		sc.labels = make(map[string]string)
	}
	s := string(label)
	sc.labels[s] = s
	return s
}

func (sc *scratch) unseen(n int) []bool {
	sc.seen = zeroed(sc.seen, n)
	return sc.seen
}

// zeroed returns n zero values, in the memory of dst if that is large enough.
func zeroed[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n)
	}
	dst = dst[:n]
	clear(dst)
	return dst
}

// text returns the text of a JSON string: a part of v, or of the scratch if v has escapes.
func (sc *scratch) text(v jsonread.Value) []byte {
	text, buf := v.Text(sc.buf)
	sc.buf = buf
	return text
}

// recordID returns topic/partition/offset, in the memory of the scratch.
func (sc *scratch) recordID(topic string, partition int, offset int64) []byte {
	start := len(sc.buf)
	sc.buf = appendRecordID(sc.buf, topic, partition, offset)
	return sc.buf[start:len(sc.buf):len(sc.buf)]
}

// view returns b as a string without a copy: it changes when b does.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
