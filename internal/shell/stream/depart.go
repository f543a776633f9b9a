package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/leavegroup"
)

// depart removes the member of the last generation from the group after an attempt to join failed
// with err.
//
// kafka-go then joins as a new member. It reports the leave of the old one once, which is lost if
// the coordinator is down. The coordinator then still waits for the old member, and the new one
// waits until the session or the rebalance times out: no partition of the group is read for ten
// seconds.
func (m *member) depart(ctx context.Context, err error) {
	last := m.current
	if last == nil || last.departed || errors.Is(err, kafka.RebalanceInProgress) {
		return // in a rebalance kafka-go keeps the member
	}
	last.departed = true
	m.departing.Go(func() {
		what := fmt.Sprintf("leave group %q as the previous member", m.config.Group)
		err := m.client.retry(ctx, what, 0, func(ctx context.Context) error {
			return m.client.leaveGroup(ctx, m.config.Group, last.kafka.MemberID)
		})
		if err != nil && ctx.Err() == nil {
			m.log.Warn("the coordinator waits for a member that is gone, until its session times out", "member",
				last.kafka.MemberID, "error", err)
		}
	})
}

// leaveGroup removes a member from a group. It is no error if the member is not in it.
func (c *Client) leaveGroup(ctx context.Context, group, member string) error {
	who := coordinator{kind: groupKey, key: group}
	if err := c.findCoordinator(ctx, &who); err != nil {
		return err
	}
	// kafka-go misreads the error code of later versions.
	leave := &roundTrip{request: &leavegroup.Request{GroupID: group, MemberID: member}, route: who.broker, oldest: true}
	response, err := c.ask(ctx, leave, 0)
	if err != nil {
		return err
	}
	code := response.(*leavegroup.Response).ErrorCode
	if kafka.Error(code) == kafka.UnknownMemberId {
		return nil
	}
	return brokerError(code, "")
}
