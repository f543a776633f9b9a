package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/proto"
)

// row is one change: a nil value deletes the key.
type row struct{ key, value []byte }

// ErrApart says that a batch is not the one after what the file holds: the batch between them was
// collected and never written.
var ErrApart = errors.New("the checkpoint does not continue the model file, because one before it was not written: " +
	"load the file again and fold the rest")

// Batch is a checkpoint in memory: what changed since the last one, and the position it belongs to.
type Batch struct {
	of      fold.Checkpoint
	meta    *logpb.Checkpoint // of it, without the spec
	buckets map[string][]row
}

// Rows returns how many rows the batch writes or deletes.
func (b *Batch) Rows() int {
	n := 0
	for _, rows := range b.buckets {
		n += len(rows)
	}
	return n
}

// Collect copies what changed in the state since the last Collect, and takes it for stored: when a
// batch was not written, Write refuses all that come after it. It needs the state for itself.
func Collect(s *fold.State) *Batch {
	b := Copy(s)
	s.ClearChanges()
	return b
}

// Copy is Collect for a state that others read meanwhile. The caller calls ClearChanges before the
// state changes.
func Copy(s *fold.State) *Batch {
	c := s.Checkpoint()
	b := &Batch{of: c, meta: metaProto(&c), buckets: map[string][]row{}}
	counts, ledgers := s.Digests()
	b.meta.DigestCounts = uint64(counts)
	b.meta.DigestLedgers = uint64(ledgers)
	if m := s.Model(); m != nil {
		b.collectModel(m)
	}
	for _, src := range c.Sources {
		if l := s.Ledger(src); l != nil {
			b.collectLedger(src, l)
		}
	}
	return b
}

// metaProto returns the protobuf form of a checkpoint, without the spec.
func metaProto(c *fold.Checkpoint) *logpb.Checkpoint {
	p := &logpb.Checkpoint{
		Format: codec.Format, Next: c.Next, AnchorOffset: c.Anchor.Offset, AnchorEpoch: c.Anchor.Epoch,
		AnchorCrc: c.Anchor.Checksum, Ledgers: c.Ledgers, Era: c.Era, EraCrc: c.EraCRC,
		SpecOffset: c.SpecAt, SpecCrc: c.SpecCRC, Teachers: codec.TeachersProto(c.Teachers),
	}
	for i := range c.Voids {
		v := &c.Voids[i]
		p.Voids = append(p.Voids, &logpb.KnownVoid{At: v.At, Crc: v.CRC, Void: codec.VoidProto(v.Void)})
	}
	for i, src := range c.Sources {
		p.Sources = append(p.Sources, codec.SourceProto(src, &c.Progress[i]))
	}
	if c.Race != nil {
		p.Race = codec.RaceProto(c.Race)
		p.Drift = codec.DriftProto(c.Drift)
		p.Prequential = codec.PrequentialProto(c.Decided)
	}
	return p
}

func (b *Batch) collectModel(m *model.Model) {
	classes := m.Classes()
	b.meta.Classes = classesProto(classes)
	for i, t := range m.Tables() {
		b.meta.Tables = append(b.meta.Tables, sizeProto(classes, t))
		b.collectTable(tableBucket(m.Spec(), i), t)
	}
	if c := m.Corrections(); c != nil {
		b.meta.Corrected = classesProto(&c.Classes)
		b.meta.Corrections = sizeProto(&c.Classes, c.Table)
		b.collectTable(bucketCorr, c.Table)
	}
	for s := range m.ChangedSums {
		b.add(bucketSums, sumsKey(s.Block, s.Class), s.Packed)
	}
	b.meta.SumsRows = uint64(m.SumsRows())
}

// classesProto returns the classes that rows may count.
func classesProto(classes *counts.Classes) (p []*logpb.Class) {
	for _, c := range classes.Live() {
		p = append(p, &logpb.Class{Number: uint32(c), Name: classes.Name(c), Documents: classes.Documents(c)})
	}
	return p
}

// sizeProto returns the size of a table of counts of classes.
func sizeProto(classes *counts.Classes, t *counts.Table) *logpb.TableSize {
	p := &logpb.TableSize{Rows: uint64(t.Admitted()), Frozen: t.Frozen()}
	for _, c := range classes.Live() {
		p.Totals = append(p.Totals, t.Total(c))
	}
	return p
}

// tableBucket names the bucket of the i-th of Model.Tables.
func tableBucket(s *spec.Spec, i int) string {
	if s.Text != nil {
		if i == 0 {
			return bucketText
		}
		i--
	}
	return fmt.Sprintf("cat%d", i)
}

// collectTable copies the rows into large pieces of memory: the state is held meanwhile, and making
// a piece for each key and each value would take most of that time.
func (b *Batch) collectTable(bucket string, t *counts.Table) {
	rows := make([]row, 0, t.Dirty())
	var piece []byte
	for term, c := range t.Changes {
		if most := len(term) + maxCellBytes*len(c.Cells) + sumBytes; cap(piece)-len(piece) < most {
			left := max(1, cap(rows)-len(rows))
			piece = make([]byte, 0, max(most, min(left*most, pieceBytes)))
		}
		key := slices.Clip(append(piece, term...)[len(piece):])
		piece = piece[:len(piece)+len(key)]
		if c.Gone {
			rows = append(rows, row{key, nil})
			continue
		}
		value := seal(key, appendCells(piece[len(piece):], c.Cells, bucket == bucketCorr))
		piece = piece[:len(piece)+len(value)]
		rows = append(rows, row{key, value})
	}
	if len(rows) > 0 {
		b.buckets[bucket] = rows
	}
}

// pieceBytes is the size of a piece that holds some thousand rows.
const pieceBytes = 64 << 10

func (b *Batch) collectLedger(src fold.Source, l *fold.Ledger) {
	for c := range l.Changes {
		key := ledgerKey(src, c.Offset)
		if c.Put == nil {
			b.add(bucketLed, key, nil)
			continue
		}
		value, err := proto.Marshal(codec.LedgerProto(c))
		if err != nil {
			panic(err) // plain data; ids and labels are valid UTF-8
		}
		b.add(bucketLed, key, value)
	}
	b.meta.LedgerRows += uint64(l.Len())
}

// add records a change; a nil value deletes. An empty row (a term at zero) is a value too.
func (b *Batch) add(bucket string, key, value []byte) {
	if value != nil {
		value = seal(key, value)
	}
	b.buckets[bucket] = append(b.buckets[bucket], row{key, value})
}

func sumsKey(block, class int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, uint16(block)), uint16(class))
}

func ledgerKey(src fold.Source, offset int64) []byte {
	key := append([]byte(src.Topic), 0)
	key = binary.BigEndian.AppendUint32(key, uint32(src.Partition))
	return binary.BigEndian.AppendUint64(key, uint64(offset))
}

// Write makes the batch durable, in one transaction. With an error nothing of it is in the file.
func (s *Store) Write(b *Batch) error {
	if b.of.Spec != nil {
		b.meta.Spec = codec.SpecProto(b.of.Spec, b.of.Log)
	}
	meta, err := proto.Marshal(b.meta)
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", s.path, err)
	}
	if err := s.view(b.continues); err != nil {
		return fmt.Errorf("checkpoint %w", err)
	}
	err = guarded(s.path, func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			if b.of.Emptied {
				if err := empty(tx); err != nil {
					return err
				}
			}
			for name, rows := range b.buckets {
				if err := writeRows(tx, name, rows); err != nil {
					return fmt.Errorf("bucket %s: %w", name, err)
				}
			}
			if err := s.writeLearned(tx); err != nil {
				return fmt.Errorf("bucket %s: %w", bucketLearned, err)
			}
			return writeRows(tx, bucketMeta, []row{{[]byte(keyMeta), seal([]byte(keyMeta), meta)}})
		})
	})
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", s.path, err)
	}
	s.learned = nil
	return nil
}

// empty removes all rows but the checkpoint and the schemas, which the same records need again.
func empty(tx *bbolt.Tx) error {
	var names [][]byte
	err := tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if string(name) != bucketMeta && string(name) != bucketSchemas {
			names = append(names, bytes.Clone(name))
		}
		return nil
	})
	for _, name := range names {
		err = errors.Join(err, tx.DeleteBucket(name))
	}
	return err
}

// continues reports whether the file holds what the batch is the difference to.
func (b *Batch) continues(tx *bbolt.Tx) error {
	old, err := readMeta(tx)
	if err != nil {
		return err
	}
	at := int64(-1)
	if old != nil {
		at = old.GetNext()
	}
	if at != b.of.Since {
		return fmt.Errorf("the file stands at offset %d of the log, the checkpoint before was at %d (-1: none): %w", at,
			b.of.Since, ErrApart)
	}
	return nil
}

// writeRows writes in the order of the keys, which touches each page of the tree once.
func writeRows(tx *bbolt.Tx, name string, rows []row) error {
	bucket, err := tx.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return err
	}
	bucket.FillPercent = 0.9
	order := make([]uint32, len(rows))
	for i := range order {
		order[i] = uint32(i)
	}
	counts.SortByTerm(order, func(i uint32) []byte { return rows[i].key })
	for _, i := range order {
		r := &rows[i]
		if r.value == nil {
			err = bucket.Delete(r.key)
		} else {
			err = bucket.Put(r.key, r.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
