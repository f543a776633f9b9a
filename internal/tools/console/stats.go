package console

import (
	"net/http"
	"time"

	"bayestream/internal/core/fold"
)

// statsJSON are the figures of the strip.
type statsJSON struct {
	Time        time.Time            `json:"time"`
	Decisions   int64                `json:"decisions"`
	PerSecond   float64              `json:"per_second"`
	Labels      []labelRateJSON      `json:"labels"`
	Statuses    map[string]int64     `json:"statuses"`
	Lag         lagJSON              `json:"lag"`
	Latency     latencyJSON          `json:"latency"`
	Streams     int64                `json:"streams"`
	Sampled     bool                 `json:"sampled"`
	Behind      int64                `json:"behind"`
	Documents   int64                `json:"documents"`
	ModelOffset int64                `json:"model_offset"`
	Corrections correctionCountsJSON `json:"corrections"`
	Sources     []sourceStateJSON    `json:"sources"`
	History     []secondJSON         `json:"history"`
	Workers     []workerStateJSON    `json:"workers"`
	Agree       *bool                `json:"agree"` // the replicas at one offset; nil: no two stand at one
}

// labelRateJSON is how often a label is decided; nil: no label.
type labelRateJSON struct {
	Label     *string `json:"label"`
	PerSecond float64 `json:"per_second"`
	Decisions int64   `json:"decisions"`
}

// lagJSON counts records that wait. Nil is not known.
type lagJSON struct {
	Documents *int64 `json:"documents"`
	Training  *int64 `json:"training"`
	Model     *int64 `json:"model"`
}

// latencyJSON is how long documents took to their decisions.
type latencyJSON struct {
	P50       *float64 `json:"p50_ms"`
	P99       *float64 `json:"p99_ms"`
	Decisions int      `json:"decisions"`
}

// correctionCountsJSON counts corrections by outcome.
type correctionCountsJSON struct {
	Written int `json:"written"`
	Counted int `json:"counted"`
}

// sourceStateJSON says whether a partition of the training topic is counted.
type sourceStateJSON struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	State     string `json:"state"`
	Detail    string `json:"detail"`
}

// secondJSON is how many decisions came in a second.
type secondJSON struct {
	Time      time.Time `json:"time"`
	Decisions int64     `json:"decisions"`
}

// stats answers GET /v1/stats.
func (c *Console) stats(w http.ResponseWriter, r *http.Request) {
	if !c.checked(w, queryOf(r)) {
		return
	}
	now := time.Now().UTC()
	s := statsJSON{Time: now, Statuses: map[string]int64{}, Streams: c.streams.Load(), Corrections: c.corrections.counts(),
		Workers: c.workers.all(), History: []secondJSON{}, ModelOffset: -1}
	c.meter.mu.Lock()
	m := c.meter
	s.Decisions, s.PerSecond, s.Labels, s.Latency = m.total, m.all.rate(now), m.rates(now), m.latency(now)
	s.Sampled = now.Sub(m.sampled) < rateSeconds*time.Second
	for _, status := range []string{"ok", "unsure", "cold", "empty", "impossible"} {
		s.Statuses[status] = m.statuses[status]
	}
	for _, behind := range m.behind {
		s.Behind += behind
	}
	s.Lag.Documents, s.Lag.Training, s.Sources = m.lagged.documents, m.lagged.training, m.lagged.sources
	for at := now.Unix() - seconds; at < now.Unix(); at++ {
		s.History = append(s.History, secondJSON{time.Unix(at, 0).UTC(), m.all.at(at)})
	}
	m.mu.Unlock()
	if s.Sources == nil {
		s.Sources = []sourceStateJSON{}
	}
	if _, behind := c.replica.Freshness(); behind >= 0 {
		s.Lag.Model = &behind
	}
	c.replica.Read(func(state *fold.State) {
		s.ModelOffset = state.Next() - 1
		if state.Model() != nil {
			s.Documents = state.Model().Classes().Total()
		}
	})
	s.Agree = agree(c.ownDigest(), s.Workers)
	c.answer(w, s)
}
