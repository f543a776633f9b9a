// Package pages checks the pages of a bbolt file without trusting any of them, before bbolt reads
// the file.
//
// bbolt trusts the page numbers in its pages: one wrong bit can send it into a loop, or into a
// panic in a goroutine of its own, which ends the process. Neither can be stopped from within. The
// checksums of rows are no help, since bbolt must walk the pages to find the rows. This package
// walks the same pages through the file, each at most once.
//
// The page format belongs to bbolt, and this package is the only one that knows it; docs/store.md
// draws it. The alternative is a child process with a time limit that runs bbolt's own check. It
// was tried and costs more than this package: 20 to 40 ms for a model file of 0.3 MB and 0.4 s for
// one of 60 MB, where the walk takes 0.3 ms and 0.18 s, so that "bayestream inspect" of the small
// one takes 65 ms instead of 27. It does less: a child cannot open the file that a worker holds
// locked, and bbolt's check within the worker ends the process if the disk fails below an open file
// (TestDamageWhileOpen). And every program and test binary would have to be able to start itself.
package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"

	"go.etcd.io/bbolt"
)

// The layout of a file, in the byte order of the machine.
const (
	pageHeader   = 16 // id uint64, flags uint16, count uint16, overflow uint32
	pageElement  = 16
	bucketHeader = 16 // root uint64, sequence uint64
	metaSize     = 56 // magic, version, page size, flags; root; free list, pages, transaction; then its FNV-64a
	metaPageSize = 8  // offset of the size of a page in it
	metaFreeList = 32 // of the page of the free list
	metaPages    = 40 // of the number of pages
	noFreeList   = math.MaxUint64
	flagBranch   = 1
	flagLeaf     = 2
	flagFree     = 16
	flagBucket   = 1 // of an element: the value is a bucket
)

var native = binary.NativeEndian

// CheckTree reads all pages that the transaction can reach, and the list of free pages. It reads f,
// the file of the transaction, and not bbolt's memory map.
func CheckTree(f io.ReaderAt, tx *bbolt.Tx) error {
	size := tx.DB().Info().PageSize
	high := uint64(tx.Size()) / uint64(size)
	w := walk{file: f, size: size, high: high, seen: make([]uint64, high/64+1)}
	if _, err := w.pages(uint64(tx.Cursor().Bucket().Root()), nil, nil, 0, true); err != nil {
		return err
	}
	return w.freeList(uint64(tx.ID()) % 2)
}

// CheckMetas checks both meta pages, which say where the tree begins. bbolt needs only one of them
// and continues with the earlier checkpoint: a crash may have torn the other.
func CheckMetas(f io.ReaderAt, pageSize int) error {
	meta := make([]byte, pageHeader+metaSize+8)
	for i := range int64(2) {
		if _, err := f.ReadAt(meta, i*int64(pageSize)); err != nil {
			return fmt.Errorf("meta page %d: %w", i, err)
		}
		body := meta[pageHeader:]
		h := fnv.New64a()
		_, _ = h.Write(body[:metaSize])
		if h.Sum64() != native.Uint64(body[metaSize:]) {
			return fmt.Errorf("the checksum of meta page %d does not match", i)
		}
	}
	return nil
}

const (
	magicNumber = 0xED0CDAED // behind the header of both meta pages
	minPageSize = 1 << 10
	maxPageSize = 1 << 16
)

// ReadHead reads the two meta pages from the start of a file. Of what is no such file it reads as
// much as these may take.
func ReadHead(r io.Reader) (head []byte, err error) {
	head, err = io.ReadAll(io.LimitReader(r, minPageSize))
	if err != nil {
		return nil, err
	}
	size, isKnown := pageSize(head)
	if !isKnown {
		size = maxPageSize
	}
	rest, err := io.ReadAll(io.LimitReader(r, int64(2*size-len(head))))
	return append(head, rest...), err
}

// pageSize returns the size that the first meta page says.
func pageSize(head []byte) (size int, isKnown bool) {
	if len(head) < minPageSize || !hasMagic(bytes.NewReader(head), 0) {
		return 0, false
	}
	size = int(native.Uint32(head[pageHeader+metaPageSize:]))
	return size, size >= minPageSize && size <= maxPageSize && size&(size-1) == 0
}

// Extent returns how many bytes of a file hold pages, by its head. What follows them is spare.
func Extent(head []byte) (bytesOfPages int64, err error) {
	size, isKnown := pageSize(head)
	switch {
	case !isKnown:
		return 0, errors.New("it does not begin with a meta page")
	case len(head) < 2*size:
		return 0, errors.New("it ends within its two meta pages")
	}
	if err := CheckMetas(bytes.NewReader(head), size); err != nil {
		return 0, err
	}
	const number = pageHeader + metaPages
	high := max(native.Uint64(head[number:]), native.Uint64(head[size+number:]))
	if high < 2 || high > math.MaxInt64/maxPageSize {
		return 0, fmt.Errorf("its meta pages say that it has %d pages", high)
	}
	return int64(high) * int64(size), nil
}

// MayBeBolt reports whether bbolt may have written a file that it no longer opens: the first page
// begins with its number, 0, or one of the first two has the magic number, for any size of the
// pages.
func MayBeBolt(f io.ReaderAt) bool {
	var number [8]byte
	n, err := f.ReadAt(number[:], 0)
	if n == 0 && err != nil || bytes.Equal(number[:n], make([]byte, n)) {
		return true
	}
	found := hasMagic(f, 0)
	for page := int64(minPageSize); page <= maxPageSize && !found; page *= 2 {
		found = hasMagic(f, page)
	}
	return found
}

func hasMagic(f io.ReaderAt, page int64) bool {
	var magic [4]byte
	_, err := f.ReadAt(magic[:], page+pageHeader)
	return err == nil && native.Uint32(magic[:]) == magicNumber
}
