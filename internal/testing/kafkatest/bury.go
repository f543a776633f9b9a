package kafkatest

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Bury makes the broker in this process forget the members of a group that a dead client had, when their session is
// over. A real broker does so by itself; kfake keeps a member that died between joining and its first sync for ever,
// and the partitions that it was given with it.
func Bury(tb testing.TB, group, clientID string, session time.Duration) {
	tb.Helper()
	if Real() {
		return
	}
	client := newClient(tb)
	dead := members(tb, client, group, clientID)
	go func() {
		defer client.Close()
		select {
		case <-time.After(session):
		case <-tb.Context().Done():
			return
		}
		request := kmsg.NewPtrLeaveGroupRequest()
		request.Group = group
		for _, id := range dead {
			member := kmsg.NewLeaveGroupRequestMember()
			member.MemberID = id
			request.Members = append(request.Members, member)
		}
		_, _ = request.RequestWith(tb.Context(), client) // those that the broker has removed meanwhile are unknown to it
	}()
}

// members returns the ids of the members of a group that a client has.
func members(tb testing.TB, client *kgo.Client, group, clientID string) (ids []string) {
	tb.Helper()
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups = []string{group}
	response, err := request.RequestWith(bounded(tb), client)
	if err != nil {
		tb.Logf("the members of %s are not known: %v", group, err)
		return nil
	}
	for i := range response.Groups {
		for _, m := range response.Groups[i].Members {
			if m.ClientID == clientID {
				ids = append(ids, m.MemberID)
			}
		}
	}
	return ids
}
