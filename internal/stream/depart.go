package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/findcoordinator"
	"github.com/segmentio/kafka-go/protocol/leavegroup"
)

// depart takes the member of the last generation out of the group, after err has ended an attempt to join.
//
// kafka-go joins as a new member then. It tells the coordinator once that the old one has left, which is in
// vain while the coordinator is away. When it is back it still counts on the old member, and lets the new one
// wait until the session or the rebalance times out: ten seconds of rest for every partition of the group.
func (m *member) depart(ctx context.Context, err error) {
	last := m.current
	if last == nil || last.departed || errors.Is(err, kafka.RebalanceInProgress) { // then kafka-go keeps the member
		return
	}
	last.departed = true
	m.departing.Go(func() {
		what := fmt.Sprintf("leave group %q as the member of before", m.config.Group)
		err := m.client.retry(ctx, what, 0, func(ctx context.Context) error {
			return m.client.leaveGroup(ctx, m.config.Group, last.kafka.MemberID)
		})
		if err != nil && ctx.Err() == nil {
			m.log.Warn("the coordinator waits for a member that is gone, until its session times out", "member", last.kafka.MemberID, "error", err)
		}
	})
}

// leaveGroup takes a member out of a group; one that is not in it, or not any more, is no error.
func (c *Client) leaveGroup(ctx context.Context, group, member string) error {
	response, err := c.roundTrip(ctx, &exchange{send: &findcoordinator.Request{Key: group}, route: toAny}, 0)
	if err != nil {
		return err
	}
	found := response.(*findcoordinator.Response)
	if err := brokerError(found.ErrorCode, found.ErrorMessage); err != nil {
		return err
	}
	// kafka-go takes the error code of later versions for something else.
	leave := &exchange{send: &leavegroup.Request{GroupID: group, MemberID: member}, route: toBroker(found.NodeID), oldest: true}
	if response, err = c.roundTrip(ctx, leave, 0); err != nil {
		return err
	}
	code := response.(*leavegroup.Response).ErrorCode
	if kafka.Error(code) == kafka.UnknownMemberId {
		return nil
	}
	return brokerError(code, "")
}
