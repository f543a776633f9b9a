package stream

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"bayestream/internal/shell/record"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// abortedTxn is an aborted transaction: the records of a producer from an offset up to its abort marker.
type abortedTxn = kmsg.FetchResponseTopicPartitionAbortedTransaction

// txnFilter finds the batches of aborted transactions. The broker's list says where
// each aborted transaction starts, the log says where it ends, so the batches must be
// passed in log order. (This is the algorithm of Kafka's Java consumer. kafka-go has
// none and delivers aborted records.)
type txnFilter struct {
	pending []abortedTxn       // not started, by first offset
	open    map[int64]struct{} // producers inside an aborted transaction
}

func newTxnFilter(aborted []abortedTxn) *txnFilter {
	pending := slices.Clone(aborted)
	slices.SortFunc(pending, func(a, b abortedTxn) int { return cmp.Compare(a.FirstOffset, b.FirstOffset) })
	return &txnFilter{pending: pending, open: make(map[int64]struct{})}
}

func (f *txnFilter) hides(b *batch) bool {
	for len(f.pending) > 0 && f.pending[0].FirstOffset <= b.last {
		f.open[f.pending[0].ProducerID] = struct{}{}
		f.pending = f.pending[1:]
	}
	if b.abortMarker() {
		delete(f.open, b.producer)
	}
	_, aborted := f.open[b.producer]
	return aborted && b.transactional()
}

// recordSet turns the batches of one Fetch response into records.
type recordSet struct {
	from   int64         // records before it are left out
	filter *txnFilter    // nil: aborted transactions are delivered
	unpack *decompressor // with the limit for a batch
	enough int           // bytes decompressed after which no other batch is begun
	plain  int           // bytes decompressed so far

	records []Record
	next    int64
	epoch   int32
}

// size returns about how many bytes the records take.
func (s *recordSet) size() int { return s.plain + cap(s.records)*int(unsafe.Sizeof(Record{})) }

// decode decodes the whole batches in set. missing is the size in bytes of the first
// batch if that one is not whole, else 0. An error after a good batch is dropped: the
// next Fetch starts at the bad one and returns it, and the records before it are not
// lost.
func (s *recordSet) decode(set []byte) (missing int, err error) {
	s.next = s.from
	s.epoch = -1
	for len(set) > 0 && s.plain < s.enough {
		size, base, ok := batchSize(set)
		switch {
		case ok && size < batchHeader:
			return 0, s.hold(s.damaged(base, fmt.Errorf("its length of %d bytes is impossible", size)))
		case !ok || size > len(set):
			// Brokers cut the last batch off at the requested size.
			if s.next == s.from {
				missing = size
			}
			return missing, nil
		}
		if err := s.decodeBatch(set[:size], base); err != nil {
			return 0, s.hold(err)
		}
		set = set[size:]
	}
	return 0, nil
}

// hold drops an error after progress.
func (s *recordSet) hold(err error) error {
	if s.next > s.from {
		return nil
	}
	return err
}

func (s *recordSet) decodeBatch(raw []byte, base int64) error {
	b, err := decodeBatch(raw)
	if err != nil {
		return s.damaged(base, err)
	}
	hidden := b.isControl()
	if s.filter != nil && s.filter.hides(&b) {
		hidden = true
	}
	if b.last < s.from {
		return nil
	}
	if !hidden {
		if err := s.append(&b); err != nil {
			return &BatchError{Offset: b.base, Next: b.last + 1, Err: err}
		}
		s.epoch = b.leaderEpoch
	}
	s.next = max(s.next, b.last+1)
	return nil
}

// damaged returns the error of a batch whose header cannot be trusted, the end of the
// batch included: a reader can skip it one offset at a time.
func (s *recordSet) damaged(base int64, err error) error {
	return &BatchError{Offset: base, Next: max(base, s.from) + 1, Err: err}
}

func (s *recordSet) append(b *batch) error {
	plain, err := s.unpack.unpack(b.codec(), b.payload)
	if err != nil {
		return err
	}
	s.plain += len(plain)
	s.records, err = b.appendRecords(s.records, plain, s.from, s.unpack.limit/bytesPerEntry)
	return err
}

// bytesPerEntry is the least number of bytes for which a record or header counts
// against the limit of a batch: about what it takes in memory.
const bytesPerEntry = 64

// BatchError says that the batch at Offset cannot be delivered: it is damaged, of an
// obsolete format, or too large. It is permanent. A reader that
// accepts the loss of its records continues at Next. It satisfies
// errors.Is(err, ErrBadBatch).
type BatchError struct {
	Topic     string
	Partition int
	Offset    int64 // of the first record of the batch
	Next      int64 // the first offset after the batch, as far as known
	Err       error
}

// Error names the place of the batch and what to do.
func (e *BatchError) Error() string {
	return fmt.Sprintf("batch at %s/%d offset %d: %v: read it with another client, or continue at offset %d", e.Topic,
		e.Partition, e.Offset, e.Err, e.Next)
}

// Unwrap returns the reason.
func (e *BatchError) Unwrap() error { return e.Err }

// Is makes every BatchError an ErrBadBatch.
func (e *BatchError) Is(target error) bool { return target == ErrBadBatch }

// Record is one Kafka record, read or to be written.
type Record = record.Record

// Header is one header of a record.
type Header = record.Header
