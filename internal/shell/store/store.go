package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/shell/store/pages"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// ErrHeld says that another process has the file open.
var ErrHeld = errors.New("the model file is held by another process, such as serve, ingest, classify or stream: stop " +
	"it, or take the snapshot of a worker, http://HOST:PORT/v1/snapshot")

// ErrDamaged says that a file differs from what was written. It can be moved aside and rebuilt from
// the log.
var ErrDamaged = errors.New("the model file is damaged")

const (
	bucketMeta = "meta"
	bucketSums = "sums"
	bucketText = "text"
	bucketLed  = "ledger"
	bucketCorr = "corrections"
	keyMeta    = "checkpoint"

	bucketLearned = "learned"
	bucketSchemas = "schemas"
)

// Store is an open model file.
type Store struct {
	db   *bbolt.DB
	file *os.File // the file that db has open
	path string
	name string // of the file in errors: an incoming file has a temporary path

	learned []digest.Sum // of files, to be written
}

// Open opens or creates the file, and waits up to wait for another process to release it.
func Open(path string, wait time.Duration) (*Store, error) {
	start := time.Now()
	if info, err := os.Stat(path); err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		// bbolt searches a file that it opens for writing for free pages: it must be checked before.
		s, err := OpenReadOnly(path, wait)
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	s, err := open(path, path, wait-time.Since(start),
		&bbolt.Options{FreelistType: bbolt.FreelistMapType, NoFreelistSync: true, InitialMmapSize: addressSpace()})
	if err != nil {
		return nil, err
	}
	s.db.AllocSize = growth
	s.removeCopies()
	return s, nil
}

// growth is the number of spare bytes by which a file grows.
const growth = 32 << 10

// addressSpace is the size up to which bbolt need not map a growing file again, for which it copies
// all that a transaction holds. It takes addresses and no memory; but on Windows, where a file is
// as long as its mapping, it would take a gigabyte of disk.
func addressSpace() int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0
	}
	return 1 << 30
}

// OpenReadOnly opens an existing file for reading. Several readers may have it open.
func OpenReadOnly(path string, wait time.Duration) (*Store, error) {
	return openReadOnly(path, path, wait)
}

func openReadOnly(path, name string, wait time.Duration) (*Store, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, opened(name, "open model file", err)
	}
	if !info.Mode().IsRegular() { // a folder is not damaged and must not be moved aside
		return nil, fmt.Errorf("open model file: %s is not a file", name)
	}
	if info.Size() == 0 { // bbolt would try to write it
		return nil, fmt.Errorf("open %s: %w: it is empty", name, ErrDamaged)
	}
	s, err := open(path, name, wait, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	if err := s.view(s.checkTree); err != nil {
		return nil, errors.Join(fmt.Errorf("open %w", err), s.Close())
	}
	return s, nil
}

func open(path, name string, wait time.Duration, o *bbolt.Options) (*Store, error) {
	s := &Store{path: path, name: name}
	o.Timeout = max(wait, time.Millisecond)
	o.OpenFile = func(file string, flag int, perm os.FileMode) (*os.File, error) {
		var err error
		s.file, err = os.OpenFile(file, flag, perm)
		return s.file, err
	}
	err := guarded(name, func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, o)
		return err
	})
	switch system := syscall.Errno(0); {
	case err == nil:
		return s, nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("open %s: %w", name, ErrHeld)
	case errors.As(err, &system): // bbolt says "file size too small" and the like without a type
		return nil, fmt.Errorf("open model file %s: %w", name, err)
	case !mayBeBolt(path):
		return nil, &NotModelError{Name: name}
	case errors.Is(err, ErrDamaged):
		return nil, err
	}
	return nil, fmt.Errorf("open %s: %w (%w)", name, ErrDamaged, err)
}

// mayBeBolt reports whether a file was a model file once, as far as can be known.
func mayBeBolt(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }()
	return pages.MayBeBolt(f)
}

// view runs f in a read transaction. A panic of f in a damaged file becomes ErrDamaged.
func (s *Store) view(f func(*bbolt.Tx) error) error {
	err := guarded(s.name, func() error { return s.db.View(f) })
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// view returns what read reads in a read transaction. The error says what was read.
func view[T any](s *Store, what string, read func(*bbolt.Tx) (T, error)) (out T, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		out, err = read(tx)
		return err
	})
	if err != nil {
		var none T
		return none, fmt.Errorf("%s %w", what, err)
	}
	return out, nil
}

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// Close releases the file.
func (s *Store) Close() error {
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close %s: %w", s.name, err)
	}
	return nil
}

// MoveAside renames an unusable file to "<path>.<reason>-<time>" and returns the new name.
func MoveAside(path, reason string, now time.Time) (string, error) {
	aside := fmt.Sprintf("%s.%s-%s", path, reason, now.UTC().Format("20060102T150405.000"))
	if err := os.Rename(path, aside); err != nil {
		return "", fmt.Errorf("move %s aside: %w", path, err)
	}
	return aside, syncFolder(path)
}

// syncFolder makes a rename in the folder of path durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func rowSum(key, value []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, key), castagnoli, value)
}

// sumBytes is the length of the checksum behind each value.
const sumBytes = 4

// seal appends the checksum of key and value to value.
func seal(key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, rowSum(key, value))
}

// unseal checks and removes the checksum.
func unseal(key, sealed []byte) ([]byte, error) {
	n := len(sealed) - sumBytes
	if n < 0 || binary.BigEndian.Uint32(sealed[n:]) != rowSum(key, sealed[:n]) {
		return nil, fmt.Errorf("row %q: checksum does not match: %w", key, ErrDamaged)
	}
	return sealed[:n], nil
}

// maxLearned is how many files are remembered: a few hundred KiB of rows.
const maxLearned = 4096

// Learned returns the digests of the files that were learned into the model, as Remember was given
// them.
func (s *Store) Learned() (map[digest.Sum]bool, error) {
	return view(s, "files learned into", readLearned)
}

// Remember adds digests of files that were learned, with the next Write. Of more than maxLearned
// the first are kept.
func (s *Store) Remember(sums []digest.Sum) { s.learned = append(s.learned, sums...) }

// writeLearned writes what Remember was given.
func (s *Store) writeLearned(tx *bbolt.Tx) error {
	if len(s.learned) == 0 {
		return nil
	}
	bucket, err := tx.CreateBucketIfNotExists([]byte(bucketLearned))
	if err != nil {
		return err
	}
	room := maxLearned - bucket.Stats().KeyN
	for _, sum := range s.learned[:min(max(room, 0), len(s.learned))] {
		key := binary.BigEndian.AppendUint64(nil, uint64(sum))
		if err := bucket.Put(key, seal(key, nil)); err != nil {
			return err
		}
	}
	return nil
}

// readLearned returns the digests of the files, checksums checked.
func readLearned(tx *bbolt.Tx) (map[digest.Sum]bool, error) {
	sums := map[digest.Sum]bool{}
	_, err := eachRow(tx, bucketLearned, func(key, _ []byte) error {
		if len(key) != 8 {
			return fmt.Errorf("key %x", key)
		}
		sums[digest.Sum(binary.BigEndian.Uint64(key))] = true
		return nil
	})
	return sums, err
}
