package stream

import (
	"context"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/findcoordinator"
)

// Kinds of keys that have a coordinator.
const (
	groupKey         = 0
	transactionalKey = 1
)

// coordinator is the broker that keeps the state of a consumer group or of a transactional id.
type coordinator struct {
	kind   int8
	key    string
	broker route // nil if not known
}

// askCoordinator sends a request to a coordinator. check returns the error that a response contains.
func (c *Client) askCoordinator(ctx context.Context, who *coordinator, request protocol.Message,
	check func(protocol.Message) error) error {
	return c.onCoordinator(ctx, who, func(broker route) error {
		response, err := c.ask(ctx, &roundTrip{request: request, route: broker}, 0)
		if err == nil {
			err = check(response)
		}
		return err
	})
}

// onCoordinator runs a request with a coordinator, and forgets which broker it is if the request
// fails in a way that a change may explain.
func (c *Client) onCoordinator(ctx context.Context, who *coordinator, request func(broker route) error) error {
	if err := c.findCoordinator(ctx, who); err != nil {
		return err
	}
	err := deniedKey(request(who.broker), who.kind, who.key)
	if err != nil && retriable(err) {
		who.broker = nil
	}
	return err
}

func (c *Client) findCoordinator(ctx context.Context, who *coordinator) error {
	if who.broker != nil {
		return nil
	}
	request := &findcoordinator.Request{Key: who.key, KeyType: who.kind}
	response, err := c.ask(ctx, &roundTrip{request: request, route: toAny}, 0)
	if err != nil {
		return err
	}
	found := response.(*findcoordinator.Response)
	if err := brokerError(found.ErrorCode, found.ErrorMessage); err != nil {
		return deniedKey(err, who.kind, who.key)
	}
	who.broker = toBroker(found.NodeID)
	return nil
}
