package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/addoffsetstotxn"
	"github.com/segmentio/kafka-go/protocol/addpartitionstotxn"
	"github.com/segmentio/kafka-go/protocol/endtxn"
	"github.com/segmentio/kafka-go/protocol/txnoffsetcommit"
)

// transactionTimeout is how long a transaction may be open before the brokers abort it: until then
// readers wait behind the records of a process that was killed and has no successor.
const transactionTimeout = 20 * time.Second

// Producer writes records and the offset of an assigned partition in transactions: readers of
// committed records see all of a transaction or nothing. The first Produce after a Commit opens a
// transaction.
//
// After an error other than ErrRecordTooLarge a Producer is of no use. The caller then calls
// TakeOver again, which aborts what is open, and starts from the offset that it returns. A Producer
// is not safe for concurrent use.
type Producer struct {
	client   *Client
	assigned Assignment
	owner    coordinator // of the transactional id
	group    coordinator
	by       writer // without the sequence

	sequences map[place]int32 // the next one of each partition
	open      map[place]bool  // partitions that the open transaction has
	hasGroup  bool            // it has the group, too
	broken    error           // why the Producer is of no use
}

// place is a partition of a topic.
type place struct {
	topic     string
	partition int
}

// Produce writes records to a partition as one batch within the transaction, and returns when all
// in-sync replicas have it. It repeats temporary failures until ctx ends, which does not write a
// batch twice. After ErrRecordTooLarge nothing was written and the transaction continues.
func (p *Producer) Produce(ctx context.Context, topic string, partition int, records []Record) error {
	if p.broken != nil {
		return p.broken
	}
	err := p.produce(ctx, place{topic, partition}, records)
	if err != nil {
		err = fmt.Errorf("in the transaction of %s/%d: %w", p.assigned.Topic, p.assigned.Partition, err)
	}
	if !errors.Is(err, ErrRecordTooLarge) {
		p.broken = err
	}
	return err
}

func (p *Producer) produce(ctx context.Context, to place, records []Record) error {
	if err := p.add(ctx, to); err != nil {
		return err
	}
	by := p.by
	by.sequence = p.sequences[to]
	set, err := encode(records, by, p.client.codecs.records)
	if err != nil {
		return err
	}
	added := make(chan error, 1)
	go func() { added <- p.addGroup(ctx) }() // one round trip less at the commit
	err = p.send(ctx, to, set, describeProduce(to.topic, to.partition, records))
	if err := <-added; err != nil {
		return err
	}
	if err == nil {
		p.sequences[to] = nextSequence(by.sequence, len(records))
	}
	return err
}

// send writes an encoded batch until it succeeds or fails permanently.
func (p *Producer) send(ctx context.Context, to place, set []byte, what string) error {
	return p.client.retry(ctx, what, 0, func(ctx context.Context) error {
		_, err := p.client.produce(ctx, p.owner.key, to.topic, to.partition, set)
		if errors.Is(err, kafka.DuplicateSequenceNumber) {
			return nil // written by a request whose response was lost
		}
		return fenced(err)
	})
}

// nextSequence returns the sequence after those of n records. After the greatest one follows 0.
func nextSequence(sequence int32, n int) int32 {
	const mask = 1<<31 - 1
	return int32((int64(sequence) + int64(n)) & mask)
}

// add makes a partition part of the transaction, and opens it if it is the first.
func (p *Producer) add(ctx context.Context, to place) error {
	if p.open[to] {
		return nil
	}
	request := &addpartitionstotxn.Request{
		TransactionalID: p.owner.key, ProducerID: p.by.producer, ProducerEpoch: p.by.epoch,
		Topics: []addpartitionstotxn.RequestTopic{{Name: to.topic, Partitions: []int32{int32(to.partition)}}},
	}
	err := p.ask(ctx, "add a partition to the transaction", patience, &p.owner, request, func(got protocol.Message) error {
		for _, t := range got.(*addpartitionstotxn.Response).Results {
			for _, r := range t.Results {
				if t.Name == to.topic && int(r.PartitionIndex) == to.partition {
					return deniedTopic(brokerError(r.ErrorCode, ""), "Write", to.topic)
				}
			}
		}
		return silentAbout(to.topic, to.partition)
	})
	if err == nil {
		p.open[to] = true
	}
	return err
}

// Commit records in the group that everything before offset is done, and ends the transaction: with
// the offset its records become visible. It returns ErrGenerationEnded if the coordinator has given
// the partition to another member.
func (p *Producer) Commit(ctx context.Context, offset int64) error {
	if p.broken != nil {
		return p.broken
	}
	err := p.commit(ctx, offset)
	if err != nil {
		err = fmt.Errorf("commit offset %d of %s/%d with its transaction: %w", offset, p.assigned.Topic, p.assigned.Partition,
			err)
	}
	p.broken = err
	p.hasGroup = false
	clear(p.open)
	return err
}

func (p *Producer) commit(ctx context.Context, offset int64) error {
	if err := p.addGroup(ctx); err != nil {
		return err
	}
	if err := p.commitOffset(ctx, offset); err != nil {
		return err
	}
	return p.end(ctx, true)
}

func (p *Producer) end(ctx context.Context, commit bool) error {
	request := &endtxn.Request{TransactionalID: p.owner.key, ProducerID: p.by.producer, ProducerEpoch: p.by.epoch,
		Committed: commit}
	return p.ask(ctx, "end the transaction", patience, &p.owner, request, func(got protocol.Message) error {
		return brokerError(got.(*endtxn.Response).ErrorCode, "")
	})
}

// addGroup makes the offsets of the group part of the transaction, and opens it if nothing is in it
// yet.
func (p *Producer) addGroup(ctx context.Context) error {
	if p.hasGroup {
		return nil
	}
	request := &addoffsetstotxn.Request{TransactionalID: p.owner.key, ProducerID: p.by.producer, ProducerEpoch: p.by.epoch,
		GroupID: p.group.key}
	err := p.ask(ctx, "add the group to the transaction", patience, &p.owner, request, func(got protocol.Message) error {
		return brokerError(got.(*addoffsetstotxn.Response).ErrorCode, "")
	})
	p.hasGroup = err == nil
	return err
}

// commitOffset writes the offset within the transaction. Since Kafka 2.5 the coordinator of the
// group refuses a member of an older generation.
func (p *Producer) commitOffset(ctx context.Context, offset int64) error {
	a := p.assigned
	request := &txnoffsetcommit.Request{
		TransactionalID: p.owner.key, GroupID: p.group.key, ProducerID: p.by.producer, ProducerEpoch: p.by.epoch,
		GenerationID: a.Generation, MemberID: a.member,
		Topics: []txnoffsetcommit.RequestTopic{{Name: a.Topic, Partitions: []txnoffsetcommit.RequestPartition{{
			Partition: int32(a.Partition), CommittedOffset: offset, CommittedLeaderEpoch: -1,
		}}}},
	}
	return p.ask(ctx, "commit the offset", patience, &p.group, request, func(got protocol.Message) error {
		for _, t := range got.(*txnoffsetcommit.Response).Topics {
			for _, r := range t.Partitions {
				if t.Name == a.Topic && int(r.Partition) == a.Partition {
					return generationError(brokerError(r.ErrorCode, ""))
				}
			}
		}
		return silentAbout(a.Topic, a.Partition)
	})
}

// Pauses while a coordinator writes the end of the transaction before, which takes it some
// milliseconds.
const (
	firstEnding   = time.Millisecond
	longestEnding = 50 * time.Millisecond
)

// ask sends a request to a coordinator until it succeeds or fails permanently, or the time is over.
func (p *Producer) ask(ctx context.Context, what string, within time.Duration, who *coordinator,
	request protocol.Message, check func(protocol.Message) error) error {
	deadline := time.Now().Add(within)
	return p.client.retry(ctx, what, within, func(ctx context.Context) error {
		for pause := firstEnding; ; pause = min(2*pause, longestEnding) {
			err := fenced(p.client.askCoordinator(ctx, who, request, check))
			if !errors.Is(err, kafka.ConcurrentTransactions) || time.Now().After(deadline) || !Sleep(ctx, pause) {
				return err
			}
		}
	})
}

// fenced adds ErrFenced to the errors that say that a producer has an old epoch, or that somebody
// else has ended its transaction.
func fenced(err error) error {
	if isAny(err, kafka.ProducerFenced, kafka.InvalidProducerEpoch, kafka.InvalidTransactionState) {
		return fmt.Errorf("%w (%w)", ErrFenced, err)
	}
	return err
}
