package session_test

import (
	"context"
	"net"
	"strconv"
	"testing"
	"time"

	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/broker"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestLostJoin: members whose connection breaks while they wait for the answer to their join get
// partitions, and lose them when their session is over, wherever kfake runs.
func TestLostJoin(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		start   func(t *testing.T) []string
		session time.Duration // the shortest that the broker takes
	}{
		"the demo":                    {demo, 6 * time.Second},
		"the shared cluster of tests": {func(t *testing.T) []string { return kafkatest.Start(t) }, shared()},
		"a cluster of one test": {func(t *testing.T) []string {
			return kafkatest.Fake(t, kfake.NumBrokers(2)).ListenAddrs()
		}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := join(t, run.start(t))
			m.loseJoins(run.session)
			if m.rejoin(); m.members != 1+lost {
				t.Fatalf("%d members are in the group, want the living one and %d that are gone", m.members, lost)
			}
			for begin := time.Now(); m.members > 1; time.Sleep(50 * time.Millisecond) {
				if time.Since(begin) > run.session+limit {
					t.Fatalf("%d members that are gone are still in the group, %s after their session timeout", m.members-1, limit)
				}
				if m.heartbeat() == kerr.RebalanceInProgress.Code {
					m.rejoin()
				}
			}
		})
	}
}

const (
	lost  = 10               // kfake by itself forgets the session of about half of them, by chance
	limit = 30 * time.Second // for what takes milliseconds
)

func demo(t *testing.T) []string {
	b, err := broker.Start(broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b.Addrs
}

func shared() time.Duration {
	if kafkatest.Real() {
		return 6 * time.Second
	}
	return time.Second
}

// member is the living member, and the leader, of a group.
type member struct {
	t          *testing.T
	client     *kgo.Client
	group, id  string
	generation int32
	members    int // of its generation
}

// join returns the only member of a group.
func join(t *testing.T, addresses []string) *member {
	client, err := kgo.NewClient(kgo.SeedBrokers(addresses...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	m := &member{t: t, client: client, group: kafkatest.Topic(t, 1, nil)} // a name that nobody else has
	m.rejoin()
	return m
}

func joinRequest(group, id string, session time.Duration) *kmsg.JoinGroupRequest {
	request := kmsg.NewPtrJoinGroupRequest()
	request.Group, request.MemberID, request.ProtocolType = group, id, "consumer"
	request.SessionTimeoutMillis, request.RebalanceTimeoutMillis = int32(session.Milliseconds()), 60_000
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name = "range"
	request.Protocols = append(request.Protocols, protocol)
	return request
}

func (m *member) context() context.Context {
	ctx, cancel := context.WithTimeout(m.t.Context(), limit)
	m.t.Cleanup(cancel)
	return ctx
}

// rejoin joins, again if it is a member, and gives a part to each member.
func (m *member) rejoin() {
	m.t.Helper()
	request := joinRequest(m.group, m.id, limit)
	joined, err := request.RequestWith(m.context(), m.client)
	if err == nil && joined.ErrorCode == kerr.MemberIDRequired.Code {
		request.MemberID = joined.MemberID
		joined, err = request.RequestWith(m.context(), m.client)
	}
	if err != nil {
		m.t.Fatalf("the living member waits for its join: %v", err)
	}
	if err := kerr.ErrorForCode(joined.ErrorCode); err != nil {
		m.t.Fatalf("the living member joins: %v", err)
	}
	m.id, m.generation, m.members = joined.MemberID, joined.Generation, len(joined.Members)
	sync := kmsg.NewPtrSyncGroupRequest()
	sync.Group, sync.MemberID, sync.Generation = m.group, m.id, m.generation
	sync.ProtocolType, sync.Protocol = joined.ProtocolType, joined.Protocol
	for _, other := range joined.Members {
		part := kmsg.NewSyncGroupRequestGroupAssignment()
		part.MemberID = other.MemberID
		sync.GroupAssignment = append(sync.GroupAssignment, part)
	}
	synced, err := sync.RequestWith(m.context(), m.client)
	if err != nil {
		m.t.Fatalf("the living member waits for its part: %v", err)
	}
	if err := kerr.ErrorForCode(synced.ErrorCode); err != nil {
		m.t.Fatalf("the living member syncs: %v", err)
	}
}

func (m *member) heartbeat() (code int16) {
	m.t.Helper()
	request := kmsg.NewPtrHeartbeatRequest()
	request.Group, request.MemberID, request.Generation = m.group, m.id, m.generation
	response, err := request.RequestWith(m.context(), m.client)
	if err != nil {
		m.t.Fatal(err)
	}
	return response.ErrorCode
}

// loseJoins lets members join whose connections break while they wait for the living member.
func (m *member) loseJoins(session time.Duration) {
	m.t.Helper()
	request := joinRequest(m.group, "", session)
	request.Version = 1 // without a first answer that tells the id
	address := m.coordinator()
	var conns []net.Conn
	for range lost {
		conn, err := new(net.Dialer).DialContext(m.context(), "tcp", address)
		if err == nil {
			_, err = conn.Write(kmsg.NewRequestFormatter().AppendRequest(nil, request, 1))
		}
		if err != nil {
			m.t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	for ctx := m.context(); m.inGroup() != 1+lost; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			m.t.Fatalf("%d members are in the group, want %d", m.inGroup(), 1+lost)
		}
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	time.Sleep(200 * time.Millisecond) // until the broker has noticed, of which there is no sign
}

// coordinator returns the address of the group's broker.
func (m *member) coordinator() string {
	m.t.Helper()
	request := kmsg.NewPtrFindCoordinatorRequest()
	request.CoordinatorKey = m.group
	request.CoordinatorKeys = []string{m.group}
	found, err := request.RequestWith(m.context(), m.client)
	if err != nil || len(found.Coordinators) != 1 {
		m.t.Fatalf("the coordinator is %+v, %v", found, err)
	}
	return net.JoinHostPort(found.Coordinators[0].Host, strconv.Itoa(int(found.Coordinators[0].Port)))
}

// inGroup returns how many members the broker counts.
func (m *member) inGroup() int {
	m.t.Helper()
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups = []string{m.group}
	described, err := request.RequestWith(m.context(), m.client)
	if err != nil || len(described.Groups) != 1 {
		m.t.Fatalf("the group is %+v, %v", described, err)
	}
	return len(described.Groups[0].Members)
}
