package classify

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/config"
)

// Labelling waits for as many documents as --wait-documents says, and reports that it does.
func TestWaitForDocuments(t *testing.T) {
	for _, c := range []struct {
		want                   int
		waitsEmpty, waitsAfter bool // with nothing learned, and with one document
	}{{0, false, false}, {1, true, false}, {2, true, true}} {
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(settings *config.Classify) { settings.WaitDocuments = c.want })
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- l.waitForDocuments(ctx) }()
			check := func(waits bool) {
				t.Helper()
				time.Sleep(time.Minute)
				synctest.Wait()
				reported := l.host.Reported()
				if waits != (len(ended) == 0) || waits != (reported != nil) || waits && !strings.Contains(reported.Error(), "--wait-documents") {
					t.Fatalf("--wait-documents=%d: ended %v, reported %v", c.want, len(ended) == 1, reported)
				}
			}
			check(c.waitsEmpty)
			l.model("first", "spam")
			check(c.waitsAfter)
			stop()
			if err := <-ended; (err != nil) != c.waitsAfter {
				t.Errorf("--wait-documents=%d: got %v", c.want, err)
			}
			l.end()
		})
	}
}

// With --wait-documents=0 the brokers are not asked how far the model log reaches.
func TestNoDocumentsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(settings *config.Classify) { settings.WaitDocuments = 0 })
		defer l.end()
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := l.waitForDocuments(ctx); err != nil {
			t.Errorf("it asks for something: %v", err)
		}
	})
}
