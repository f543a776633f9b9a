package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/initproducerid"
)

// takeOverPatience is how long TakeOver waits for a coordinator before it asks whether there can be
// one.
const takeOverPatience = 5 * time.Second

// settling is how long TakeOver waits for the coordinator of the group to apply the end of the
// transaction before. That takes some milliseconds.
const settling = 2 * time.Second

// transactionsTopic is where the brokers keep the state of transactions.
const transactionsTopic = "__transaction_state"

// TakeOver returns a Producer for an assigned partition, and the offset that the group committed
// for it, -1 if none.
//
// The transactional id consists of the group and the partition, and is the same for each owner of
// the partition. So from here on an owner before cannot write or commit anything: what it left open
// is aborted, and the offset is that of its last transaction that was committed, which may be later
// than the offset of the assignment.
//
// The error is an ErrNoTransactions if the brokers refuse transactions permanently.
func (c *Client) TakeOver(ctx context.Context, a Assignment) (p *Producer, committed int64, err error) {
	p = &Producer{
		client: c, assigned: a,
		owner: coordinator{kind: transactionalKey, key: a.group + "/" + a.Topic + "/" + strconv.Itoa(a.Partition)},
		group: coordinator{kind: groupKey, key: a.group}, sequences: map[place]int32{}, open: map[place]bool{},
	}
	err = p.fence(ctx)
	if err == nil {
		committed, err = c.committed(ctx, a.group, a.Topic, a.Partition, settling)
	}
	if errors.Is(err, kafka.UnstableOffsetCommit) {
		if err = p.abortEmpty(ctx); err == nil {
			committed, err = c.committed(ctx, a.group, a.Topic, a.Partition, patience)
		}
	}
	if err != nil {
		return nil, -1, fmt.Errorf("take over %s/%d: %w", a.Topic, a.Partition, err)
	}
	return p, committed, nil
}

// Alone returns the assignment of a partition to a process that is no member of its group, for when
// the group has none.
func Alone(group, topic string, partition int) Assignment {
	return Assignment{Topic: topic, Partition: partition, Offset: -1, Generation: -1, group: group}
}

// Abort ends the transaction, and writes that into a partition of each of some topics, too: nothing
// that the producer has written there and not committed becomes visible.
func (p *Producer) Abort(ctx context.Context, partition int, topics ...string) error {
	for _, topic := range topics {
		if err := p.add(ctx, place{topic, partition}); err != nil {
			return err
		}
	}
	p.hasGroup = false
	clear(p.open)
	return p.end(ctx, false)
}

// fence gets an epoch of the transactional id, after which those before are refused.
func (p *Producer) fence(ctx context.Context) error {
	request := &initproducerid.Request{
		TransactionalID: p.owner.key, TransactionTimeoutMs: int32(transactionTimeout / time.Millisecond), ProducerID: -1,
		ProducerEpoch: -1,
	}
	err := p.ask(ctx, "get an epoch for transactions", takeOverPatience, &p.owner, request,
		func(got protocol.Message) error {
			response := got.(*initproducerid.Response)
			p.by = writer{producer: response.ProducerID, epoch: response.ProducerEpoch, transactional: true}
			return brokerError(response.ErrorCode, "")
		})
	switch {
	case err == nil:
		return nil
	case refusesTransactions(err):
		return fmt.Errorf("%w: %w", ErrNoTransactions, err)
	case errors.Is(err, kafka.GroupCoordinatorNotAvailable):
		if refused := p.client.transactionsPossible(ctx); refused != nil {
			return fmt.Errorf("%w (%w)", refused, err)
		}
	}
	return err
}

// abortEmpty opens a transaction that has the group and nothing else, and aborts it.
//
// The coordinator of the id has ended all transactions before this one. Where that of the group
// does not know it, as after a broker was killed, the offset would stay unstable: the end of this
// transaction tells it.
func (p *Producer) abortEmpty(ctx context.Context) error {
	if err := p.addGroup(ctx); err != nil {
		return err
	}
	return p.Abort(ctx, 0)
}

func refusesTransactions(err error) bool {
	return isAny(err, kafka.UnsupportedVersion, kafka.TransactionalIDAuthorizationFailed,
		kafka.InvalidTransactionTimeout)
}

// transactionsPossible returns an ErrNoTransactions if the cluster has too few brokers for the
// state of transactions. A coordinator that is away for other reasons comes back.
func (c *Client) transactionsPossible(ctx context.Context) error {
	topic, err := c.askTopic(ctx, transactionsTopic)
	if errors.Is(err, ErrUnknownTopic) {
		return fmt.Errorf("%w: the brokers could not create topic %s", ErrNoTransactions, transactionsTopic)
	}
	if err != nil {
		return nil //nolint:nilerr // not known: it is not refused
	}
	config, err := c.topicConfig(ctx, transactionsTopic)
	needed, ok := strconv.Atoi(config["min.insync.replicas"])
	if err != nil || ok != nil {
		return nil //nolint:nilerr // likewise
	}
	for _, p := range topic.Partitions {
		if len(p.ReplicaNodes) < needed {
			return fmt.Errorf("%w: topic %s has %d replicas, and min.insync.replicas asks for %d", ErrNoTransactions,
				transactionsTopic, len(p.ReplicaNodes), needed)
		}
	}
	return nil
}
