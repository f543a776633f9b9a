package store_test

import (
	"bytes"
	"errors"
	"testing"

	"bayestream/internal/shell/modellog/logpb"

	"go.etcd.io/bbolt"
)

// Rows that were changed with all pages sound.
func TestChangedRows(t *testing.T) {
	x := newSample(t)
	for _, bucket := range []string{"text", "cat0", "cat1", "corrections", "sums", "ledger"} {
		for name, change := range map[string]func(*bbolt.Bucket, []byte, []byte) error{
			"deleted":            func(b *bbolt.Bucket, k, _ []byte) error { return b.Delete(k) },
			"a flipped count":    func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, flip(v, 1)) },
			"a flipped checksum": func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, flip(v, len(v)-1)) },
			"cut short":          func(b *bbolt.Bucket, k, v []byte) error { return b.Put(k, v[:len(v)-1]) },
			"empty":              func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, nil) },
			"another key": func(b *bbolt.Bucket, k, v []byte) error {
				return errors.Join(b.Delete(k), b.Put(append(bytes.Clone(k), 'x'), v))
			},
			"one more":    func(b *bbolt.Bucket, k, v []byte) error { return b.Put(append(bytes.Clone(k), 'x'), v) },
			"a bucket":    func(b *bbolt.Bucket, k, _ []byte) error { return errors.Join(b.Delete(k), second(b.CreateBucket(k))) },
			"of another":  func(b *bbolt.Bucket, k, _ []byte) error { _, v := b.Cursor().Last(); return b.Put(k, bytes.Clone(v)) },
			"sealed junk": func(b *bbolt.Bucket, k, _ []byte) error { return b.Put(k, sealed(k, []byte{0xff, 0xff, 0xff})) },
		} {
			path := writeFile(t, x.bytes)
			edit(t, path, func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte(bucket))
				k, v := b.Cursor().First()
				return change(b, bytes.Clone(k), bytes.Clone(v))
			})
			if !x.mustSee(t, path, bucket+": "+name) {
				t.Errorf("bucket %s, %s: nobody noticed", bucket, name)
			}
		}
	}
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 4
	return b
}

// A row as it was before, with its right checksum: what a disk leaves that says "written" and does
// not.
func TestStaleRow(t *testing.T) {
	x := newSample(t)
	path := writeFile(t, x.bytes)
	edit(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("text"))
		k, v := b.Cursor().First()
		k, v = bytes.Clone(k), bytes.Clone(v[:len(v)-4])
		v[1]++ // the count of its first class
		return b.Put(k, sealed(k, v))
	})
	if !x.mustSee(t, path, "a row with another count and a right checksum") {
		t.Error("nobody noticed")
	}
}

// A row with a count of a class that is not there, with a right checksum: scoring would look for it.
func TestRowOfNoClass(t *testing.T) {
	x := newSample(t)
	for _, bucket := range []string{"text", "cat0", "corrections"} {
		path := writeFile(t, x.bytes)
		edit(t, path, func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			k, v := b.Cursor().First()
			return b.Put(bytes.Clone(k), sealed(bytes.Clone(k), append(bytes.Clone(v[:len(v)-4]), 99, 2)))
		})
		if !x.mustSee(t, path, bucket) {
			t.Errorf("bucket %s: nobody noticed", bucket)
		}
	}
}

// Two rows with each other's counts, and right checksums: all sums are what they were, but for the
// digest.
func TestSwappedRows(t *testing.T) {
	x := newSample(t)
	path := writeFile(t, x.bytes)
	edit(t, path, func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("text"))
		c := b.Cursor()
		first, one := c.First()
		second, other := c.Next()
		for bytes.Equal(one[:len(one)-4], other[:len(other)-4]) {
			second, other = c.Next()
		}
		first, one, second, other = bytes.Clone(first), bytes.Clone(one[:len(one)-4]), bytes.Clone(second), bytes.Clone(other[:len(other)-4])
		return errors.Join(b.Put(first, sealed(first, other)), b.Put(second, sealed(second, one)))
	})
	if !x.mustSee(t, path, "two rows with each other's counts") {
		t.Error("nobody noticed")
	}
}

// Checkpoints that contradict the rows.
func TestChangedCheckpoint(t *testing.T) {
	x := newSample(t)
	for name, change := range map[string]func(*checkpoint){
		"a row less":            func(p *checkpoint) { p.Tables[0].Rows-- },
		"a table less":          func(p *checkpoint) { p.Tables = p.Tables[1:] },
		"a class less":          func(p *checkpoint) { p.Classes = p.Classes[1:] },
		"a class twice":         func(p *checkpoint) { p.Classes[1].Name = p.Classes[0].Name },
		"a number twice":        func(p *checkpoint) { p.Classes[1].Number = p.Classes[0].Number },
		"a class without a sum": func(p *checkpoint) { p.Tables[0].Totals = p.Tables[0].Totals[1:] },
		"no documents":          func(p *checkpoint) { p.Classes[0].Documents = 0 },
		"another source":        func(p *checkpoint) { p.Sources[0].Topic = "other" },
		"sums missing":          func(p *checkpoint) { p.SumsRows++ },
		"ledger missing":        func(p *checkpoint) { p.LedgerRows++ },
		"another digest":        func(p *checkpoint) { p.DigestCounts ^= 1 },
		"another ledger":        func(p *checkpoint) { p.DigestLedgers ^= 1 },
		"no ledger":             func(p *checkpoint) { p.Ledgers = false },
		"frozen or not": func(p *checkpoint) {
			p.Classes = append(p.Classes, &logpb.Class{Number: 1 << 20, Name: "x", Documents: 1})
		},
	} {
		path := writeFile(t, x.bytes)
		edit(t, path, func(tx *bbolt.Tx) error { return putCheckpoint(tx, change) })
		if !x.mustSee(t, path, name) {
			t.Errorf("%s: nobody noticed", name)
		}
	}
	path := writeFile(t, x.bytes)
	edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("checkpoint"), []byte("junk")) })
	if !x.mustSee(t, path, "no checksum") {
		t.Error("a checkpoint of junk: nobody noticed")
	}
}

// Without its checkpoint a file is not a new one: something else would be written between its rows.
func TestMissingCheckpoint(t *testing.T) {
	x := newSample(t)
	for name, change := range map[string]func(*bbolt.Tx) error{
		"the row":     func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Delete([]byte("checkpoint")) },
		"the bucket":  func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("meta")) },
		"all buckets": deleteAll,
		"and another": func(tx *bbolt.Tx) error {
			return errors.Join(deleteAll(tx), second(tx.CreateBucket([]byte("members"))))
		},
	} {
		path := writeFile(t, x.bytes)
		edit(t, path, change)
		if !x.mustSee(t, path, "without "+name) {
			t.Errorf("without %s: nobody noticed", name)
		}
	}
}

func deleteAll(tx *bbolt.Tx) error {
	var names [][]byte
	err := tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		names = append(names, bytes.Clone(name))
		return nil
	})
	for _, name := range names {
		err = errors.Join(err, tx.DeleteBucket(name))
	}
	return err
}
