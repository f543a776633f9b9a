package ingest

import (
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// wantLag waits, and compares how many records wait by the metric.
func (l *loop) wantLag(want float64) {
	l.t.Helper()
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	if got := l.metric("bayestream_lag_records"); got != want {
		l.t.Errorf("%v records wait by the metric, want %v", got, want)
	}
}

// TestLagIsOfWhatIsNotCounted: records that were fetched wait until a delta of them is accepted, and
// none does then. It holds while a text is read, and between attempts that fail.
func TestLagIsOfWhatIsNotCounted(t *testing.T) {
	for name, stop := range map[string]func(l *loop, until time.Time) error{
		"slow":   func(_ *loop, until time.Time) error { time.Sleep(time.Until(until)); return nil },
		"broken": func(*loop, time.Time) error { return stream.ErrRetriable },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, func(c *config.Ingest) { c.RefTopics = []string{"texts"} })
				l.memory.CreateTopic("texts", 1)
				until := time.Now().Add(time.Hour)
				l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
					if r.Topic == "texts" && time.Now().Before(until) {
						return stop(l, until)
					}
					return nil
				})
				l.train(document(1, "a"), `{"label":"b","ref":{"topic":"texts","partition":0,"offset":0}}`, document(2, "a"))
				l.learn()
				l.wantLag(3)
				if name == "broken" {
					<-l.ended // the group begins it again
					l.wantLag(3)
					l.ended = make(chan error, 1)
					time.Sleep(time.Until(until))
					l.learn()
				}
				time.Sleep(time.Until(until))
				l.wantLag(0)
				l.end()
			})
		})
	}
}
