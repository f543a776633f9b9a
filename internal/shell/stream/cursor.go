package stream

import (
	"encoding/binary"
	"errors"
	"math"
)

// errShort says that the bytes end before the value does.
var errShort = errors.New("the bytes end in the middle of a value")

// cursor reads Kafka's primitive types from bytes off the wire. After the first
// failure every read returns zero and err stays set, so that a caller checks err once
// at the end of a structure.
type cursor struct {
	rest []byte
	err  error
}

// take returns the next n bytes without copying them, or nil.
func (c *cursor) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.rest) {
		c.err = errShort
		return nil
	}
	taken := c.rest[:n:n]
	c.rest = c.rest[n:]
	return taken
}

func (c *cursor) int16() int16 {
	b := c.take(2)
	if b == nil {
		return 0
	}
	return int16(binary.BigEndian.Uint16(b))
}

func (c *cursor) int32() int32 {
	b := c.take(4)
	if b == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(b))
}

func (c *cursor) int64() int64 {
	b := c.take(8)
	if b == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// varint reads a zigzag number of variable length.
func (c *cursor) varint() int64 {
	if c.err != nil {
		return 0
	}
	v, n := binary.Varint(c.rest)
	if n <= 0 {
		c.err = errShort
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// varbytes reads a length and that many bytes; a negative length is null, which
// is nil here, and a length of zero is empty, which is not nil.
func (c *cursor) varbytes() []byte {
	n := c.varint()
	if c.err != nil || n < 0 {
		return nil
	}
	if n > int64(len(c.rest)) {
		c.err = errShort
		return nil
	}
	return c.take(int(n))
}

// uvarint reads a number of variable length that is not negative.
func (c *cursor) uvarint() uint64 {
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		c.err = errShort
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// compactLength reads the length of a string, of bytes or of an array in a flexible version of an
// API, where a length is one more than it says, and elements take at least size bytes each. Null
// counts as empty.
func (c *cursor) compactLength(size int) int {
	n := c.uvarint()
	if n == 0 {
		return 0
	}
	if n-1 > uint64(len(c.rest)/size) {
		c.err = errShort
		return 0
	}
	return int(n - 1)
}

// compactText reads a string in a flexible version of an API.
func (c *cursor) compactText() string { return string(c.take(c.compactLength(1))) }

// tags passes over tagged fields: their number, and of each its tag, its size and its bytes.
func (c *cursor) tags() {
	for n := c.uvarint(); n > 0 && c.err == nil; n-- {
		c.uvarint()
		c.take(int(min(c.uvarint(), math.MaxInt32)))
	}
}
