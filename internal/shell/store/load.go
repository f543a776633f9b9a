package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"
)

// Load reads and checks the state of the file; it is nil if nothing was written. An error that is
// ErrDamaged means that the file must not be used, a *codec.RevisionError that it belongs to
// another version, and so does a *codec.FormatError.
func (s *Store) Load() (*fold.State, error) {
	return view(s, "load", func(tx *bbolt.Tx) (*fold.State, error) {
		meta, err := readMeta(tx)
		if err != nil {
			return nil, err
		}
		if meta == nil {
			return nil, s.checkMetas(tx) // the other page may begin a state that was written
		}
		return restore(tx, meta)
	})
}

// IsBlank reports whether nothing was ever written into the file.
func (s *Store) IsBlank() bool {
	isBlank := true
	err := s.view(func(tx *bbolt.Tx) error {
		return tx.ForEach(func([]byte, *bbolt.Bucket) error {
			isBlank = false
			return nil
		})
	})
	return err == nil && isBlank
}

// ReadModel returns the state in a model file, which must have one, and waits up to wait for
// another process to release the file.
func ReadModel(path string, wait time.Duration) (*fold.State, error) {
	if err := CheckModel(path); err != nil {
		return nil, err
	}
	s, err := OpenReadOnly(path, wait)
	if err != nil {
		return nil, err
	}
	state, err := s.Load()
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	if state == nil || state.Model() == nil {
		return nil, fmt.Errorf("%s holds no model: nothing was learned into it", path)
	}
	return state, nil
}

// IsOffline reports whether a file has a model that no ingest made: it has no ledgers.
func IsOffline(path string) bool {
	s, err := OpenReadOnly(path, time.Second)
	if err != nil {
		return false
	}
	isOffline := false
	err = s.view(func(tx *bbolt.Tx) error {
		meta, err := readMeta(tx)
		isOffline = meta != nil && !meta.GetLedgers()
		return err
	})
	return errors.Join(err, s.Close()) == nil && isOffline
}

// readMeta returns the checkpoint, nil in a new file.
func readMeta(tx *bbolt.Tx) (*logpb.Checkpoint, error) {
	bucket := tx.Bucket([]byte(bucketMeta))
	if bucket == nil {
		if isNew(tx) {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: it has no checkpoint, or it is not a model file", ErrDamaged)
	}
	value, err := unseal([]byte(keyMeta), bucket.Get([]byte(keyMeta)))
	if err != nil {
		return nil, err
	}
	meta := &logpb.Checkpoint{}
	if err := proto.Unmarshal(bytes.Clone(value), meta); err != nil {
		return nil, fmt.Errorf("checkpoint: %w (%w)", ErrDamaged, err)
	}
	switch f := meta.GetFormat(); {
	case f < codec.Format:
		return nil, &codec.FormatError{What: "the model file", Format: f}
	case f > codec.Format:
		return nil, fmt.Errorf("the file has format %d, this program reads %d: upgrade it", f, codec.Format)
	}
	return meta, nil
}

// newFile is the number of the last transaction of a new file.
const newFile = 1

// isNew reports whether no checkpoint was written yet: there is nothing, or there are schemas, which
// are kept before what they read is counted.
func isNew(tx *bbolt.Tx) bool {
	first, _ := tx.Cursor().First()
	if first == nil {
		return tx.ID() <= newFile
	}
	last, _ := tx.Cursor().Last()
	return string(first) == bucketSchemas && string(last) == bucketSchemas
}

func restore(tx *bbolt.Tx, meta *logpb.Checkpoint) (*fold.State, error) {
	c := fold.Checkpoint{
		Next: meta.GetNext(), Era: meta.GetEra(), EraCRC: meta.GetEraCrc(), SpecAt: meta.GetSpecOffset(),
		SpecCRC: meta.GetSpecCrc(), Ledgers: meta.GetLedgers(),
		Anchor: fold.Anchor{Offset: meta.GetAnchorOffset(), Epoch: meta.GetAnchorEpoch(), Checksum: meta.GetAnchorCrc()},
	}
	var err error
	if meta.Spec != nil {
		if c.Spec, c.Log, err = codec.ReadSpec(meta.GetSpec()); err != nil {
			return nil, err
		}
	}
	if err := readMessages(meta, &c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	state := fold.Restore(c)
	if meta.Spec == nil {
		return state, nil
	}
	if err := restoreModel(tx, meta, state.Model()); err != nil {
		return nil, err
	}
	if err := restoreLedgers(tx, meta, state); err != nil {
		return nil, err
	}
	return state, checkDigests(meta, state)
}

// readMessages sets what messages of their own in the checkpoint say, behind its spec.
func readMessages(meta *logpb.Checkpoint, c *fold.Checkpoint) (err error) {
	if c.Voids, err = readVoids(meta); err != nil {
		return err
	}
	if meta.Race != nil {
		if c.Race, err = codec.ReadRace(meta.GetRace(), race.Of(c.Spec)); err != nil {
			return err
		}
	}
	if meta.Prequential != nil {
		if c.Decided, err = codec.ReadPrequential(meta.GetPrequential()); err != nil {
			return err
		}
	}
	if meta.Drift != nil {
		if c.Drift, err = codec.ReadDrift(meta.GetDrift()); err != nil {
			return err
		}
	}
	if c.Teachers, err = codec.ReadTeachers(meta.GetTeachers()); err != nil {
		return err
	}
	for _, p := range meta.GetSources() {
		src, progress, err := codec.ReadSource(p)
		if err != nil {
			return err
		}
		c.Sources = append(c.Sources, src)
		c.Progress = append(c.Progress, progress)
	}
	return nil
}

// checkDigests compares the digests of the rows with the digests that were written.
func checkDigests(meta *logpb.Checkpoint, state *fold.State) error {
	counts, ledgers := state.Digests()
	if uint64(counts) != meta.GetDigestCounts() || uint64(ledgers) != meta.GetDigestLedgers() {
		return fmt.Errorf("%w: the digests are %s of the counts and %s of the ledgers, the checkpoint says %s and %s",
			ErrDamaged, counts, ledgers, digest.Sum(meta.GetDigestCounts()), digest.Sum(meta.GetDigestLedgers()))
	}
	return nil
}

func readVoids(meta *logpb.Checkpoint) ([]fold.KnownVoid, error) {
	var voids []fold.KnownVoid
	for _, p := range meta.GetVoids() {
		v, err := codec.ReadVoid(p.GetVoid())
		if err != nil {
			return nil, err
		}
		if v.To > p.GetAt() || len(voids) > 0 && voids[len(voids)-1].At >= p.GetAt() {
			return nil, fmt.Errorf("a void at offset %d of the records %d to %d is out of order", p.GetAt(), v.From, v.To)
		}
		voids = append(voids, fold.KnownVoid{At: p.GetAt(), CRC: p.GetCrc(), Void: v})
	}
	return voids, nil
}

func restoreModel(tx *bbolt.Tx, meta *logpb.Checkpoint, m *model.Model) error {
	if err := restoreClasses(m.Classes(), meta.GetClasses()); err != nil {
		return err
	}
	tables := m.Tables()
	if len(tables) != len(meta.GetTables()) {
		return fmt.Errorf("%w: %d tables, the spec has %d", ErrDamaged, len(meta.GetTables()), len(tables))
	}
	for i, t := range tables {
		if err := restoreTable(tx, tableBucket(m.Spec(), i), m.Classes(), meta.GetTables()[i], t); err != nil {
			return err
		}
	}
	if c := m.Corrections(); c != nil {
		if err := restoreClasses(&c.Classes, meta.GetCorrected()); err != nil {
			return err
		}
		if err := restoreTable(tx, bucketCorr, &c.Classes, meta.GetCorrections(), c.Table); err != nil {
			return err
		}
	}
	err := rows(tx, bucketSums, meta.GetSumsRows(), func(key, value []byte) error {
		if len(key) != 4 {
			return fmt.Errorf("key %x", key)
		}
		return m.RestoreSums(model.Sums{Block: int(binary.BigEndian.Uint16(key)),
			Class: int(binary.BigEndian.Uint16(key[2:])), Packed: value})
	})
	m.Prepare()
	return err
}

func restoreClasses(classes *counts.Classes, saved []*logpb.Class) error {
	for _, c := range saved {
		if err := classes.Restore(int(c.GetNumber()), c.GetName(), c.GetDocuments()); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return nil
}

func restoreTable(tx *bbolt.Tx, bucket string, classes *counts.Classes, want *logpb.TableSize, t *counts.Table) error {
	l := counts.NewLoader(t)
	if err := measure(tx, bucket, l); err != nil {
		return err
	}
	var cells []counts.Cell
	err := rows(tx, bucket, want.GetRows(), func(term, packed []byte) (err error) {
		cells, err = readCells(cells[:0], packed, bucket == bucketCorr)
		if err != nil {
			return fmt.Errorf("term %q: %w", term, err)
		}
		for _, c := range cells {
			if classes.Documents(c.Class()) == 0 {
				return fmt.Errorf("term %q counts class %d, which does not exist", term, c.Class())
			}
		}
		return l.Restore(term, cells)
	})
	if err != nil {
		return err
	}
	l.Finish(want.GetFrozen())
	live := classes.Live()
	if len(want.GetTotals()) != len(live) {
		return fmt.Errorf("%w: bucket %s: totals of %d classes, there are %d", ErrDamaged, bucket, len(want.GetTotals()),
			len(live))
	}
	for j, c := range live {
		if got := t.Total(c); got != want.GetTotals()[j] {
			return fmt.Errorf("%w: bucket %s: the counts of class %q add up to %d, the checkpoint says %d", ErrDamaged, bucket,
				classes.Name(c), got, want.GetTotals()[j])
		}
	}
	return nil
}

// measure tells the loader how large the rows are. It leaves the checksums to those who read what
// is in them.
func measure(tx *bbolt.Tx, name string, l *counts.Loader) error {
	bucket := tx.Bucket([]byte(name))
	if bucket == nil {
		return nil
	}
	return bucket.ForEach(func(key, sealed []byte) error {
		l.Measure(key, countCells(sealed[:max(len(sealed)-sumBytes, 0)]))
		return nil
	})
}

func restoreLedgers(tx *bbolt.Tx, meta *logpb.Checkpoint, state *fold.State) error {
	return rows(tx, bucketLed, meta.GetLedgerRows(), func(key, value []byte) error {
		i := bytes.IndexByte(key, 0)
		if i < 0 || len(key) != i+13 {
			return fmt.Errorf("key %x", key)
		}
		src := fold.Source{Topic: string(key[:i]), Partition: int32(binary.BigEndian.Uint32(key[i+1:]))}
		var p logpb.LedgerChange
		if err := proto.Unmarshal(value, &p); err != nil {
			return err
		}
		l := state.Ledger(src)
		if l == nil || uint64(p.GetOffset()) != binary.BigEndian.Uint64(key[i+5:]) || !l.Restore(codec.ReadLedger(&p)) {
			return fmt.Errorf("document %q does not belong to the ledger of %s/%d", p.GetId(), src.Topic, src.Partition)
		}
		return nil
	})
}

// rows calls f for every row of a bucket, checksums checked, and compares their number with want.
func rows(tx *bbolt.Tx, name string, want uint64, f func(key, value []byte) error) error {
	n, err := eachRow(tx, name, f)
	if err == nil && n != want {
		err = fmt.Errorf("bucket %s has %d rows, the checkpoint says %d: %w", name, n, want, ErrDamaged)
	}
	return err
}

// eachRow calls f for every row of a bucket, checksums checked, and returns how many there are. What
// f refuses is damaged.
func eachRow(tx *bbolt.Tx, name string, f func(key, value []byte) error) (n uint64, err error) {
	bucket := tx.Bucket([]byte(name))
	if bucket == nil {
		return 0, nil
	}
	err = bucket.ForEach(func(key, sealed []byte) error {
		n++
		value, err := unseal(key, sealed)
		if err != nil {
			return err
		}
		if err := f(key, value); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("bucket %s: %w", name, err)
	}
	return n, err
}

// guarded runs f and turns a panic in it into ErrDamaged: bbolt trusts its pages, and reading a
// file that was truncated faults where it is mapped into memory.
func guarded(path string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read %s: %w (%v)", path, ErrDamaged, p)
		}
	}()
	return f()
}

// NotModelError says that a file never was a model file. It is an ErrDamaged too: a worker moves
// aside any file at the path of its own.
type NotModelError struct{ Name string }

func (e *NotModelError) Error() string { return e.Name + " is not a model file" }

// Is reports that e is ErrDamaged.
func (e *NotModelError) Is(target error) bool { return target == ErrDamaged }

// A row of counts is, for each cell, two unsigned varints: the distance of its class from the one
// before (of the first from 0), and its count, of corrections in zigzag form.

// maxCellBytes is how many bytes a cell takes at most: a class of 16 bits and a count of 47, signed.
const maxCellBytes = 3 + 7

// appendCells appends the bytes of a row.
func appendCells(dst []byte, cells []counts.Cell, isSigned bool) []byte {
	last := 0
	for _, c := range cells {
		dst = binary.AppendUvarint(dst, uint64(c.Class()-last))
		if isSigned {
			dst = binary.AppendVarint(dst, c.Count())
		} else {
			dst = binary.AppendUvarint(dst, uint64(c.Count()))
		}
		last = c.Class()
	}
	return dst
}

var errCells = errors.New("a row of counts is damaged")

// readCells appends the cells of a row to dst. The error is errCells.
func readCells(dst []counts.Cell, packed []byte, isSigned bool) ([]counts.Cell, error) {
	class := uint64(0)
	for len(packed) > 0 {
		step, n := binary.Uvarint(packed)
		if n <= 0 || step >= counts.MaxClasses {
			return nil, errCells
		}
		packed = packed[n:]
		count, n := readCount(packed, isSigned)
		if n <= 0 || count == 0 || count > counts.MaxCount || count < -counts.MaxCount {
			return nil, errCells
		}
		packed = packed[n:]
		class += step
		if class >= counts.MaxClasses {
			return nil, errCells
		}
		dst = append(dst, counts.NewCell(int(class), count))
	}
	return dst, nil
}

// readCount reads a count, and returns how many bytes it takes.
func readCount(packed []byte, isSigned bool) (count int64, n int) {
	if isSigned {
		return binary.Varint(packed)
	}
	unsigned, n := binary.Uvarint(packed)
	return int64(min(unsigned, counts.MaxCount+1)), n
}

// countCells returns how many cells a row has, by the varints that end in it.
func countCells(packed []byte) int {
	ends := 0
	for _, c := range packed {
		ends += int(^c >> 7)
	}
	return ends / 2
}
