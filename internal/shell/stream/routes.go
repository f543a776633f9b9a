package stream

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// noLeader is in Client.routes where a partition has none.
//
// kafka-go's Transport routes by the metadata of the whole cluster, which it requests
// every few seconds: late after a leader moved or a topic was created, and expensive
// with many topics. Here one topic is requested when it is needed, and the Transport
// keeps only the list of brokers.
const noLeader = -1

// leader returns the broker that leads a partition.
func (c *Client) leader(ctx context.Context, topic string, partition int) (int32, error) {
	known, _ := c.routes.Load(topic)
	leaders, _ := known.([]int32)
	if partition >= len(leaders) {
		asked, err := c.askTopic(ctx, topic)
		if err != nil {
			return noLeader, err
		}
		leaders = make([]int32, len(asked.Partitions))
		for i := range leaders {
			leaders[i] = noLeader
		}
		for _, p := range asked.Partitions {
			i := int(p.PartitionIndex)
			if i < len(leaders) && p.ErrorCode == 0 {
				leaders[i] = p.LeaderID
			}
		}
		c.routes.Store(topic, leaders)
	}
	switch {
	case partition < 0 || partition >= len(leaders):
		return noLeader, fmt.Errorf("%w: it has %d", ErrUnknownPartition, len(leaders))
	case leaders[partition] == noLeader:
		c.routes.Delete(topic)
		return noLeader, kafka.LeaderNotAvailable
	}
	return leaders[partition], nil
}

// onLeader runs a request with the leader of a partition, and forgets the route if it
// fails in a way that a change of leader may explain.
func (c *Client) onLeader(ctx context.Context, topic string, partition int, request func(leader int32) error) error {
	id, err := c.leader(ctx, topic, partition)
	if err != nil {
		return err
	}
	err = request(id)
	if err != nil && retriable(err) {
		c.routes.Delete(topic)
	}
	return err
}

// route picks a broker of the cluster.
type route func(protocol.Cluster) (protocol.Broker, error)

// toBroker routes to the broker with an id. The Transport may not have the address of
// a new one yet.
func toBroker(id int32) route {
	return func(cluster protocol.Cluster) (protocol.Broker, error) {
		if b, ok := cluster.Brokers[id]; ok {
			return b, nil
		}
		return protocol.Broker{}, fmt.Errorf("broker %d: %w", id, kafka.BrokerNotAvailable)
	}
}

// toController routes to the controller, if known: brokers of a cluster without
// ZooKeeper forward such requests.
func toController(cluster protocol.Cluster) (protocol.Broker, error) {
	if b, ok := cluster.Brokers[cluster.Controller]; ok {
		return b, nil
	}
	return toAny(cluster)
}

// toAny leaves the choice to the Transport.
func toAny(protocol.Cluster) (protocol.Broker, error) { return protocol.Broker{ID: -1}, nil }
