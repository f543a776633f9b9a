package demo

import (
	"net"
	"strconv"
	"testing"
)

// A worker gets the port behind that of the console, or one that no connection is given meanwhile.
func TestFreeAddress(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, console := range []string{"127.0.0.1:0", net.JoinHostPort("127.0.0.1", strconv.Itoa(port-1))} {
		got, err := net.ResolveTCPAddr("tcp", freeAddress(t.Context(), console, 1))
		if err != nil || got.Port < lowPort || got.Port >= lowPort+lowPorts {
			t.Errorf("behind %s: %v, %v", console, got, err)
		}
	}
	free := net.JoinHostPort("127.0.0.1", "20001")
	if !isFree(t.Context(), free) {
		t.Skip(free + " is in use")
	}
	if got := freeAddress(t.Context(), "127.0.0.1:20000", 1); got != free {
		t.Errorf("behind 127.0.0.1:20000: %s, want %s", got, free)
	}
}
