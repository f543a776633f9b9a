package stream

import (
	"errors"
	"net"
	"strings"
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

// TestClosedConnection: why a broker may have closed the connection depends on what is set.
func TestClosedConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<16)) // else the close is a reset
			_ = conn.Close()
		}
	}()
	for _, c := range []struct {
		tls  TLS
		sasl SASL
		want string
	}{
		{want: "or wants TLS (set tls), or wants SASL (set sasl)"},
		{tls: TLS{Enabled: true}, want: "or has no TLS on this port (leave tls out), or wants SASL (set sasl)"},
		{sasl: SASL{Mechanism: "scram-sha-512", Username: "u", Password: "p"}, want: "or wants TLS (set tls), or refuses the SASL user"},
	} {
		client, err := Dial(Config{Brokers: []string{listener.Addr().String()}, TLS: c.tls, SASL: c.sasl})
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "it is stopping, "+c.want) {
			t.Errorf("ping: %v\nwant  %s", err, c.want)
		}
		client.Close()
	}
}
