//go:build !kafka

package kafkatest_test

import (
	"net"
	"testing"
	"time"

	"bayestream/internal/testing/kafkatest"
)

// A real cluster keeps running after the tests.
func TestClusterStopsWithItsLastTest(t *testing.T) {
	var addr string
	t.Run("the only one", func(t *testing.T) { addr = kafkatest.Start(t)[0] })
	if conn, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
		conn.Close()
		t.Error("the cluster listens after its last test")
	}
}
