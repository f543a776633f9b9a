package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// walk is the state of a walk over the pages of a file.
type walk struct {
	file io.ReaderAt
	size int      // of a page
	high uint64   // number of pages
	seen []uint64 // bit set of pages that were referred to
	bufs [][]byte // one by depth: a page is needed while those below it are read
}

// element is one entry of a page: its key, and in a branch the page below it, in a leaf its value.
type element struct {
	key, value []byte
	child      uint64
	isBucket   bool
}

// pages checks the page id and all pages below it: keys ascend, are at least low and less than high
// (nil: no bound). The root holds buckets, buckets hold rows. It returns the last key, valid until
// the next page of that depth is read.
func (w *walk) pages(id uint64, low, high []byte, depth int, isRoot bool) (last []byte, err error) {
	page, err := w.read(id, depth, flagBranch, flagLeaf)
	if err != nil {
		return nil, err
	}
	return w.elements(page, id, low, high, depth, isRoot)
}

// elements checks the elements of a page and the pages below it.
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
		order := bytes.Compare(last, e.key)
		if order > 0 || order == 0 && i > 0 || high != nil && bytes.Compare(e.key, high) >= 0 {
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

// bucket checks a bucket, which has pages of its own or one page within its value.
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
		return errors.New("it has neither a page nor a value")
	}
	_, err := w.elements(page, id, nil, nil, depth, false)
	return err
}

// read returns a page of one of the kinds, with its overflow, and marks it.
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
	got := native.Uint64(page)
	kind := native.Uint16(page[8:])
	if got != id || !slices.Contains(kinds, kind) || overflow >= w.high-id {
		return nil, fmt.Errorf("page %d says that it is page %d of kind %d with %d more", id, got, kind, overflow)
	}
	for i := range overflow {
		if err := w.mark(id + 1 + i); err != nil {
			return nil, err
		}
	}
	return w.readRest(page, id, overflow, depth)
}

// mark records that a page was referred to. A second reference is an error.
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

// readRest appends to a page those that continue it.
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

// elementAt returns the i-th element of a page; ok is false if it is not within the page.
func elementAt(page []byte, i int, isBranch bool) (e element, ok bool) {
	at := pageHeader + i*pageElement
	if at+pageElement > len(page) {
		return e, false
	}
	b := page[at:]
	var pos, keys, values uint64
	if isBranch {
		pos = uint64(native.Uint32(b))
		keys = uint64(native.Uint32(b[4:]))
		e.child = native.Uint64(b[8:])
	} else {
		e.isBucket = native.Uint32(b)&flagBucket != 0
		pos = uint64(native.Uint32(b[4:]))
		keys = uint64(native.Uint32(b[8:]))
		values = uint64(native.Uint32(b[12:]))
	}
	if keys == 0 || pos+keys+values > uint64(len(b)) {
		return e, false
	}
	e.key = b[pos : pos+keys]
	e.value = b[pos+keys : pos+keys+values]
	return e, true
}

// freeList checks the list of free pages, whose numbers bbolt trusts. Only a new file has one, or a
// file of another program: the store does not write it.
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
	list := page[pageHeader:]
	n := uint64(native.Uint16(page[10:]))
	if n == math.MaxUint16 { // the number is the first entry
		n = native.Uint64(list)
		list = list[8:]
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
