//go:build kafka

package security

import (
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// right is one line of a table of rights.
type right struct{ resource, name, operation string }

func (r right) String() string { return r.operation + " on " + r.resource + " " + r.name }

// createTopic creates a topic as the administrator.
func (b *broker) createTopic(t *testing.T, name string, partitions int) string {
	t.Helper()
	client := kafkatest.DialConfig(t, stream.Config{Brokers: []string{b.open}})
	if err := client.CreateTopic(bounded(t), stream.TopicSpec{Name: name, Partitions: partitions}); err != nil {
		t.Fatal(err)
	}
	return name
}

// binding returns the parts of an ACL in the numbers of the protocol.
func binding(t *testing.T, r right) (resource kmsg.ACLResourceType, pattern kmsg.ACLResourcePatternType, operation kmsg.ACLOperation) {
	t.Helper()
	resource, err := kmsg.ParseACLResourceType(r.resource)
	if err != nil {
		t.Fatal(err)
	}
	operation, err = kmsg.ParseACLOperation(r.operation)
	if err != nil {
		t.Fatal(err)
	}
	pattern = kmsg.ACLResourcePatternTypeLiteral
	if resource == kmsg.ACLResourceTypeTransactionalId {
		pattern = kmsg.ACLResourcePatternTypePrefixed
	}
	return resource, pattern, operation
}

// allow gives rights to a user.
func (b *broker) allow(t *testing.T, user string, rights ...right) {
	t.Helper()
	request := kmsg.NewPtrCreateACLsRequest()
	for _, r := range rights {
		c := kmsg.NewCreateACLsRequestCreation()
		c.ResourceType, c.ResourcePatternType, c.Operation = binding(t, r)
		c.ResourceName, c.Principal, c.Host, c.PermissionType = r.name, "User:"+user, "*", kmsg.ACLPermissionTypeAllow
		request.Creations = append(request.Creations, c)
	}
	response, err := request.RequestWith(bounded(t), b.admin(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, result := range response.Results {
		if err := kerr.ErrorForCode(result.ErrorCode); err != nil {
			t.Fatalf("%v: %v", rights[i], err)
		}
	}
	eventually(t, "in force", func() bool { return b.rights(t, user) >= len(rights) })
}

// take takes a right from a user.
func (b *broker) take(t *testing.T, user string, r right) {
	t.Helper()
	before := b.rights(t, user)
	filter := kmsg.NewDeleteACLsRequestFilter()
	filter.ResourceType, filter.ResourcePatternType, filter.Operation = binding(t, r)
	filter.ResourceName, filter.Principal = kmsg.StringPtr(r.name), kmsg.StringPtr("User:"+user)
	filter.PermissionType = kmsg.ACLPermissionTypeAllow
	request := kmsg.NewPtrDeleteACLsRequest()
	request.Filters = append(request.Filters, filter)
	response, err := request.RequestWith(bounded(t), b.admin(t))
	if err == nil {
		err = kerr.ErrorForCode(response.Results[0].ErrorCode)
	}
	if err != nil {
		t.Fatalf("take %v: %v", r, err)
	}
	eventually(t, "taken", func() bool { return b.rights(t, user) < before })
}

// rights returns how many rights of a user the authorizer knows: the controller answers before the
// broker has them.
func (b *broker) rights(t *testing.T, user string) (n int) {
	t.Helper()
	request := kmsg.NewPtrDescribeACLsRequest()
	request.ResourceType, request.ResourcePatternType = kmsg.ACLResourceTypeAny, kmsg.ACLResourcePatternTypeAny
	request.Operation, request.PermissionType = kmsg.ACLOperationAny, kmsg.ACLPermissionTypeAny
	request.Principal = kmsg.StringPtr("User:" + user)
	response, err := request.RequestWith(bounded(t), b.admin(t))
	if err == nil {
		err = kerr.ErrorForCode(response.ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range response.Resources {
		n += len(resource.ACLs)
	}
	return n
}
