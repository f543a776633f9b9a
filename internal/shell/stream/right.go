package stream

import (
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// RightError says that the brokers do not allow an operation to this client: an ACL is missing. It
// is permanent.
type RightError struct {
	Operation string // as ACLs name it: Read, Write, Describe, Create
	Resource  string // Topic, Group or TransactionalId
	Name      string
	Err       error
}

// Error names the missing right.
func (e *RightError) Error() string {
	operation := e.Operation
	if operation == "Describe" {
		operation = "Describe, which Read and Write include,"
	}
	return fmt.Sprintf("the brokers do not allow %s on %s %q to this user: add an ACL", operation, e.Resource, e.Name)
}

// Unwrap returns the error of the broker.
func (e *RightError) Unwrap() error { return e.Err }

// deniedTopic returns the broker's refusal of an operation on a topic as a RightError, another
// error as it is.
func deniedTopic(err error, operation, topic string) error {
	if !errors.Is(err, kafka.TopicAuthorizationFailed) {
		return err
	}
	return &RightError{Operation: operation, Resource: "Topic", Name: topic, Err: err}
}

// deniedKey returns the broker's refusal of what a coordinator keeps as a RightError, another error
// as it is.
func deniedKey(err error, kind int8, key string) error {
	switch {
	case kind == groupKey && errors.Is(err, kafka.GroupAuthorizationFailed):
		return &RightError{Operation: "Read", Resource: "Group", Name: key, Err: err}
	case kind == transactionalKey && errors.Is(err, kafka.TransactionalIDAuthorizationFailed):
		return &RightError{Operation: "Write", Resource: "TransactionalId", Name: key, Err: err}
	}
	return err
}
