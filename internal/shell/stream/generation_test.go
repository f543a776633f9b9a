package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"
)

// TestFailuresOfAHandler: a handler that fails again and again is logged once, then as a number a
// minute; another failure at once.
func TestFailuresOfAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		failures := 0
		m := &member{log: slog.New(slog.NewTextHandler(&log, nil)), handle: func(context.Context, Assignment) error {
			if failures++; failures == 3 {
				return errors.New("no answer")
			}
			return fmt.Errorf("records before offset %d were deleted", failures)
		}}
		ctx, stop := context.WithTimeout(t.Context(), 150*time.Second)
		defer stop()
		newGeneration(m, &kafka.Generation{}).serve(ctx, kafka.PartitionAssignment{ID: 3})
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		want := []string{"offset 1 were deleted", "no answer", "more=", "more="}
		if len(lines) != len(want) || failures < 100 {
			t.Fatalf("%d failures are logged as %q", failures, lines)
		}
		for i := range want {
			if !strings.Contains(lines[i], want[i]) {
				t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
			}
		}
	})
}
