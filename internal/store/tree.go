package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"

	"go.etcd.io/bbolt"
)

// What bbolt writes (docs/store.md draws it), in the byte order of the machine.
const (
	pageHeader   = 16 // id uint64, flags uint16, count uint16, overflow uint32
	pageElement  = 16
	bucketHeader = 16 // root uint64, sequence uint64
	metaSize     = 56 // magic, version, page size, flags; root; free list, pages, transaction; then its FNV-64a
	metaFreeList = 32 // where in it the page of the free list stands
	noFreeList   = math.MaxUint64
	flagBranch   = 1
	flagLeaf     = 2
	flagFree     = 16
	flagBucket   = 1 // of an element: the value is a bucket
)

var native = binary.NativeEndian

// checkTree reads all pages that the transaction can reach, through the file and not through the map,
// and believes none of them. It comes before bbolt reads anything: bbolt trusts page numbers, so that
// one wrong bit can send it round in a circle for ever; and it reads the tree in a goroutine of its
// own when a file is opened or checked, where a panic ends the process.
func (s *Store) checkTree(tx *bbolt.Tx) error {
	size := tx.DB().Info().PageSize
	w := walk{file: s.file, size: size, high: uint64(tx.Size()) / uint64(size)}
	info, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("size of the file: %w", err)
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
	}
	w.seen = make([]uint64, w.high/64+1)
	if _, err := w.pages(uint64(tx.Cursor().Bucket().Root()), nil, nil, 0, true); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := w.freeList(uint64(tx.ID()) % 2); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// freeList checks the list of free pages, of which bbolt believes every number. Only a file that was
// never written to has one, or one that another program wrote: the store does without.
func (w *walk) freeList(meta uint64) error {
	var b [8]byte
	if _, err := w.file.ReadAt(b[:], int64(meta)*int64(w.size)+pageHeader+metaFreeList); err != nil {
		return fmt.Errorf("meta page %d: %w", meta, err)
	}
	id := native.Uint64(b[:])
	if id == noFreeList {
		return nil
	}
	page, err := w.read(id, 0, flagFree)
	if err != nil {
		return fmt.Errorf("list of free pages: %w", err)
	}
	list, n := page[pageHeader:], uint64(native.Uint16(page[10:]))
	if n == math.MaxUint16 { // the number is in the first place
		n, list = native.Uint64(list), list[8:]
	}
	if n > uint64(len(list)/8) {
		return fmt.Errorf("list of free pages: %d of them do not fit", n)
	}
	for i := range n {
		if err := w.mark(native.Uint64(list[8*i:])); err != nil {
			return fmt.Errorf("list of free pages: %w", err)
		}
	}
	return nil
}

// checkMetas reads the two pages that say where the tree begins. One of them is enough to go on, with
// the checkpoint before, which is what bbolt does by itself: a crash may have torn the other.
func (s *Store) checkMetas(tx *bbolt.Tx) error {
	meta := make([]byte, pageHeader+metaSize+8)
	for i := range int64(2) {
		if _, err := s.file.ReadAt(meta, i*int64(tx.DB().Info().PageSize)); err != nil {
			return fmt.Errorf("%w: meta page %d: %w", ErrDamaged, i, err)
		}
		body := meta[pageHeader:]
		h := fnv.New64a()
		_, _ = h.Write(body[:metaSize])
		if h.Sum64() != native.Uint64(body[metaSize:]) {
			return fmt.Errorf("%w: the checksum of meta page %d does not match", ErrDamaged, i)
		}
	}
	return nil
}

type walk struct {
	file io.ReaderAt
	size int      // of a page
	high uint64   // number of pages
	seen []uint64 // bit set of pages
	bufs [][]byte // by depth: a page is needed while those below it are read
}

// An element is one entry of a page: its key, and in a branch the page below it, in a leaf its value.
type element struct {
	key, value []byte
	child      uint64
	isBucket   bool
}

// pages checks the page id and all below it: their keys ascend, from low on and below high (nil: no
// bound). The root holds buckets, buckets hold rows. It returns the last key, valid until the next page
// of that depth is read.
func (w *walk) pages(id uint64, low, high []byte, depth int, isRoot bool) (last []byte, err error) {
	page, err := w.read(id, depth, flagBranch, flagLeaf)
	if err != nil {
		return nil, err
	}
	return w.elements(page, id, low, high, depth, isRoot)
}

func (w *walk) elements(page []byte, id uint64, low, high []byte, depth int, isRoot bool) (last []byte, err error) {
	isBranch := native.Uint16(page[8:]) == flagBranch
	n := int(native.Uint16(page[10:]))
	if isBranch && n == 0 {
		return nil, fmt.Errorf("page %d is a branch without pages", id)
	}
	last = low
	for i := range n {
		e, ok := elementAt(page, i, isBranch)
		if !ok {
			return nil, fmt.Errorf("page %d: element %d lies outside of it", id, i)
		}
		if order := bytes.Compare(last, e.key); order > 0 || order == 0 && i > 0 || high != nil && bytes.Compare(e.key, high) >= 0 {
			return nil, fmt.Errorf("page %d: key %d is out of order", id, i)
		}
		last = e.key
		switch {
		case isBranch:
			next := high
			if following, ok := elementAt(page, i+1, true); ok && i+1 < n {
				next = following.key
			}
			if last, err = w.pages(e.child, e.key, next, depth+1, isRoot); err != nil {
				return nil, err
			}
		case e.isBucket != isRoot:
			return nil, fmt.Errorf("page %d: element %d is not in its place", id, i)
		case isRoot:
			if err := w.bucket(e.value, id, depth); err != nil {
				return nil, fmt.Errorf("bucket %q: %w", e.key, err)
			}
		}
	}
	return last, nil
}

// bucket checks a bucket: it has pages of its own, or one within its value.
func (w *walk) bucket(value []byte, id uint64, depth int) error {
	if len(value) < bucketHeader {
		return errors.New("its header is cut short")
	}
	if root := native.Uint64(value); root != 0 {
		_, err := w.pages(root, nil, nil, depth+1, false)
		return err
	}
	page := value[bucketHeader:]
	if len(page) < pageHeader || native.Uint16(page[8:]) != flagLeaf {
		return errors.New("it is neither here nor elsewhere")
	}
	_, err := w.elements(page, id, nil, nil, depth, false)
	return err
}

// read reads a page of one of the kinds, which nothing else may refer to.
func (w *walk) read(id uint64, depth int, kinds ...uint16) ([]byte, error) {
	if err := w.mark(id); err != nil {
		return nil, err
	}
	for len(w.bufs) <= depth {
		w.bufs = append(w.bufs, make([]byte, w.size))
	}
	page := w.bufs[depth][:w.size]
	if _, err := w.file.ReadAt(page, int64(id)*int64(w.size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	overflow := uint64(native.Uint32(page[12:]))
	if got, kind := native.Uint64(page), native.Uint16(page[8:]); got != id || !slices.Contains(kinds, kind) || overflow >= w.high-id {
		return nil, fmt.Errorf("page %d says that it is page %d of kind %d with %d more", id, got, kind, overflow)
	}
	for i := range overflow {
		if err := w.mark(id + 1 + i); err != nil {
			return nil, err
		}
	}
	return w.readRest(page, id, overflow, depth)
}

// mark notes that a page was referred to.
func (w *walk) mark(id uint64) error {
	if id < 2 || id >= w.high {
		return fmt.Errorf("page %d is referred to, of %d", id, w.high)
	}
	if w.seen[id/64]&(1<<(id%64)) != 0 {
		return fmt.Errorf("page %d is referred to twice", id)
	}
	w.seen[id/64] |= 1 << (id % 64)
	return nil
}

// readRest reads the pages that continue one.
func (w *walk) readRest(page []byte, id, overflow uint64, depth int) ([]byte, error) {
	if overflow == 0 {
		return page, nil
	}
	rest := int(overflow) * w.size
	page = slices.Grow(page, rest)[:w.size+rest]
	w.bufs[depth] = page
	if _, err := w.file.ReadAt(page[w.size:], int64(id+1)*int64(w.size)); err != nil {
		return nil, fmt.Errorf("pages %d to %d: %w", id+1, id+overflow, err)
	}
	return page, nil
}

// elementAt reads the i-th element of a page; false if it is not within the page.
func elementAt(page []byte, i int, isBranch bool) (e element, ok bool) {
	at := pageHeader + i*pageElement
	if at+pageElement > len(page) {
		return e, false
	}
	b := page[at:]
	var pos, keys, values uint64
	if isBranch {
		pos, keys, e.child = uint64(native.Uint32(b)), uint64(native.Uint32(b[4:])), native.Uint64(b[8:])
	} else {
		e.isBucket = native.Uint32(b)&flagBucket != 0
		pos, keys, values = uint64(native.Uint32(b[4:])), uint64(native.Uint32(b[8:])), uint64(native.Uint32(b[12:]))
	}
	if keys == 0 || pos+keys+values > uint64(len(b)) {
		return e, false
	}
	e.key, e.value = b[pos:pos+keys], b[pos+keys:pos+keys+values]
	return e, true
}
