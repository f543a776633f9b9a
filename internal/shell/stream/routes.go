package stream

import (
	"context"
	"fmt"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// routes keeps the leader of each partition until a request fails.
//
// kafka-go's Transport routes by the metadata of the whole cluster, which it requests
// every few seconds: late after a leader moved or a topic was created, and expensive
// with many topics. Here one topic is requested when it is needed, and the Transport
// keeps only the list of brokers.
type routes struct {
	mutex   sync.Mutex
	leaders map[string][]int32 // by topic and partition, noLeader if none
}

const noLeader = -1

func (r *routes) get(topic string) ([]int32, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	leaders, ok := r.leaders[topic]
	return leaders, ok
}

func (r *routes) put(topic string, leaders []int32) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.leaders == nil {
		r.leaders = make(map[string][]int32)
	}
	r.leaders[topic] = leaders
}

func (r *routes) forget(topic string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.leaders, topic)
}

// leader returns the broker that leads a partition.
func (c *Client) leader(ctx context.Context, topic string, partition int) (int32, error) {
	leaders, ok := c.routes.get(topic)
	if !ok || partition >= len(leaders) {
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
		c.routes.put(topic, leaders)
	}
	switch {
	case partition < 0 || partition >= len(leaders):
		return noLeader, fmt.Errorf("%w: it has %d", ErrUnknownPartition, len(leaders))
	case leaders[partition] == noLeader:
		c.routes.forget(topic)
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
		c.routes.forget(topic)
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
