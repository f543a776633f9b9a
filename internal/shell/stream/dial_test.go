package stream

import (
	"errors"
	"net"
	"testing"
)

// TestUnreachable: who starts a program before Kafka reads which address does not answer and what
// to do, not the calls of the network; and the request is tried again.
func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = (&connections{}).dial(t.Context(), "tcp", address)
	if err == nil {
		t.Skip("another program listens there now")
	}
	if want := "no broker is reached at " + address + ": connection refused: check that Kafka runs there, and the address"; err.Error() != want {
		t.Errorf("dial: %v\nwant  %s", err, want)
	}
	var network net.Error
	if !errors.As(err, &network) || !retriable(err) {
		t.Errorf("%v is not tried again", err)
	}
}
