package ingest

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/config"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/metrictest"
)

// withSpec configures a spec.
func withSpec(t *testing.T, yaml string) func(*config.Ingest) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.yaml")
	filetest.Write(t, path, yaml)
	return func(c *config.Ingest) {
		c.Spec = path
		c.MaxRecords = 3
	}
}

// scored returns what the records that were scored come to.
func (l *loop) scored() (sums race.Sums) {
	l.replica.Read(func(s *fold.State) { sums = *s.Race().Sums() })
	return sums
}

// metric returns the value of a metric without labels.
func (l *loop) metric(name string) float64 { return metrictest.Sum(l.t, l.metrics.Gatherer(), name) }

// A record is scored once, before it is learned, whatever its weight, if its id was not known: no
// replacement, removal or dead letter is, and nothing before the model has a class.
func TestNewDocumentsAreScored(t *testing.T) {
	for name, c := range map[string]struct {
		yaml       string
		candidates int
	}{"race": {"scoring: {}", 6}, "one candidate": {"text: {alpha: 0.5}", 0}} {
		t.Run(name, func(t *testing.T) {
			configure := withSpec(t, c.yaml)
			synctest.Test(t, func(t *testing.T) {
				l := startLoop(t, configure)
				defer l.end()
				l.train(document(1, "a"), document(2, "b"), document(3, "a")) // one delta: the model has no class before
				l.learn()
				l.wantCounted(3, 3)
				l.train(document(1, "b"), `{"id":"d2","label":null}`, "no document", document(4, "c"), `{"label":"a","weight":5,"text":"word3 word9"}`, document(4, "a"))
				l.wantCounted(9, 8)
				s := l.scored()
				if s.Scored != 2 || len(s.By) != c.candidates {
					t.Errorf("%d records are scored under %d candidates, want 2 under %d", s.Scored, len(s.By), c.candidates)
				}
				if s.Decided.Errors < 1 || s.Decided.Loss < race.MaxLoss { // class c was not known
					t.Errorf("the decisions have %d errors and a log loss of %d", s.Decided.Errors, s.Decided.Loss)
				}
				for _, by := range s.By {
					if by.Errors < 1 || by.Loss[0] < race.MaxLoss {
						t.Errorf("a candidate has %d errors and a log loss of %d", by.Errors, by.Loss[0])
					}
				}
				if got := l.metric("bayestream_prequential_scored_total"); got != 2 {
					t.Errorf("the metrics say that %v are scored, want 2", got)
				}
			})
		})
	}
}

// A large model scores the share of the records, by their places; a small one all of them.
func TestShareIsScored(t *testing.T) {
	const n = 3000
	for share, want := range map[int][2]int64{1: {n - race.LeastAhead, n - race.LeastAhead}, 4: {2000, 2400}, 1 << 20: {race.AllScored - race.LeastAhead, race.AllScored + race.AllScored/race.ShareAhead}} {
		configure := withSpec(t, fmt.Sprintf("scoring: {candidates: [{likelihood: multinomial, alpha: 1}], share: %d}", share))
		synctest.Test(t, func(t *testing.T) {
			l := startLoop(t, func(c *config.Ingest) {
				configure(c)
				c.MaxRecords = n
			})
			defer l.end()
			for i := range n {
				l.train(fmt.Sprintf(`{"label":"l%d","text":"word%d"}`, i%2, i%7))
			}
			l.learn()
			l.wantCounted(n, n)
			if got := l.scored().Scored; got < want[0] || got > want[1] {
				t.Errorf("one in %d: %d of %d records are scored, want %v", share, got, n, want)
			}
		})
	}
}

// A delta that was overtaken is built again, and counts once in the sums and in the metrics.
func TestRebuiltDeltaIsScoredOnce(t *testing.T) {
	configure := withSpec(t, "scoring: {}")
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, configure)
		defer l.end()
		var once atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			if r.Kind == "produce" && r.Topic == "model" && once.CompareAndSwap(false, true) {
				return l.overtake() // of the first record
			}
			return nil
		})
		l.train(document(1, "a"), document(2, "b"), document(3, "b"))
		l.learn()
		l.wantCounted(3, 3)
		s := l.scored()
		if got := l.metric("bayestream_prequential_scored_total"); s.Scored != 2 || got != 2 {
			t.Errorf("%d records are scored, %v in the metrics, want 2", s.Scored, got)
		}
		loss := float64(s.Decided.Loss) / race.Unit
		if got := l.metric("bayestream_prequential_log_loss_nats_total"); got != 40 || loss != 40 { // class b was not known
			t.Errorf("the log loss is %v, in the metrics %v", loss, got)
		}
	})
}

// A spec that changes the candidates has the next records scored by them.
func TestScoresFollowTheSpec(t *testing.T) {
	configure := withSpec(t, "scoring: {}")
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, configure)
		defer l.end()
		l.train(document(1, "a"))
		l.learn()
		l.wantCounted(1, 1)
		l.train(document(2, "a"), document(3, "b"))
		l.wantCounted(3, 3)
		other := *l.spec
		other.Race = nil
		if _, err := l.propose(t.Context(), &other); err != nil {
			t.Fatal(err)
		}
		if s := l.scored(); s.Scored != 0 || len(s.By) != 0 {
			t.Errorf("%d records are scored under %d candidates, want none", s.Scored, len(s.By))
		}
		l.train(document(4, "a"), document(5, "b"))
		l.wantCounted(5, 5)
		if s := l.scored(); s.Scored != 2 || len(s.By) != 0 {
			t.Errorf("%d records are scored under %d candidates, want 2 under none", s.Scored, len(s.By))
		}
	})
}

// A worker that starts with another name in its spec gives it to the model, and goes on.
func TestNameFollowsTheSpec(t *testing.T) {
	configure := withSpec(t, "scoring: {}")
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, configure)
		defer l.end()
		named := *l.spec
		named.Name = "renamed"
		if err := l.agree(t.Context(), &named); err != nil {
			t.Fatal(err)
		}
		var got string
		l.replica.Read(func(s *fold.State) { got = s.Spec().Name })
		if got != "renamed" || l.spec.Name != "renamed" {
			t.Errorf("the model is named %q in the log and %q in the worker, want renamed", got, l.spec.Name)
		}
		l.train(document(1, "a"))
		l.learn()
		l.wantCounted(1, 1)
	})
}
