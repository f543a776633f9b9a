package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"bayestream/internal/shell/store"
	"bayestream/internal/testing/alloctest"
	"bayestream/internal/testing/filetest"

	"go.etcd.io/bbolt"
)

// smallFile returns the bytes of a model file.
func smallFile(f *testing.F) []byte {
	f.Helper()
	content := filetest.Read(f, closed(f, small(f)))
	return content
}

// load loads a model file, which ends in a state or an error.
func load(path string) {
	if err := store.Verify(path); err != nil {
		return
	}
	s, err := store.Open(path, time.Second)
	if err != nil {
		return
	}
	_, _ = s.Load()
	_ = s.Close()
}

// A model file with a piece that is another one is refused or read, in the memory that a file of
// its size may take.
func FuzzPages(f *testing.F) {
	whole := smallFile(f)
	f.Add(uint32(0), []byte{1})
	f.Add(uint32(4096), whole[:64])
	f.Add(uint32(8192+10), []byte{0xff, 0xff})
	f.Add(uint32(len(whole)-4096), make([]byte, 4096))
	path := filepath.Join(f.TempDir(), "fuzzed.db")
	f.Fuzz(func(t *testing.T, at uint32, piece []byte) {
		content := append([]byte(nil), whole...)
		copy(content[int(at)%len(content):], piece)
		filetest.Write(t, path, content)
		alloctest.Bound(t, len(content), func() { load(path) })
	})
}

// A checkpoint of any bytes, with the right checksum, is refused or read.
func FuzzCheckpoint(f *testing.F) {
	whole := smallFile(f)
	path := filepath.Join(f.TempDir(), "fuzzed.db")
	change := func(value []byte) (was []byte, err error) {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			return nil, err
		}
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			return nil, err
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			bucket, key := tx.Bucket([]byte("meta")), []byte("checkpoint")
			was = append(was, bucket.Get(key)...)
			return bucket.Put(key, sealed(key, value))
		})
		if err != nil {
			return nil, err
		}
		return was[:len(was)-4], db.Close()
	}
	was, err := change(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(was)
	f.Add(was[:len(was)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, value []byte) {
		if _, err := change(value); err != nil {
			t.Fatal(err)
		}
		alloctest.Bound(t, len(whole)+len(value), func() { load(path) })
	})
}
