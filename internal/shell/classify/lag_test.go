package classify

import (
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestLagIsOfWhatIsNotAnswered: documents that were fetched wait as long as no answer can be
// written, also between the attempts.
func TestLagIsOfWhatIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		l.model("m", "a")
		until := time.Now().Add(time.Hour)
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "produce" && r.Topic == "labels" && time.Now().Before(until) {
				return stream.ErrUnknownTopic
			}
			return nil
		})
		want := func(lag float64) {
			t.Helper()
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := l.metric("bayestream_lag_records"); got != lag {
				t.Errorf("%v documents wait by the metric, want %v", got, lag)
			}
		}
		l.documents(0, 3)
		l.classify(0)
		want(3)
		l.restart(func() { time.Sleep(time.Until(until)) }, 0)
		want(0)
		l.end()
	})
}
