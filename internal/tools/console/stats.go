package console

import (
	"net/http"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/tools/status"
)

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
	History     []secondJSON         `json:"history"`
	Status      *status.Status       `json:"status"` // nil before the first look
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

type correctionCountsJSON struct {
	Written int `json:"written"`
	Counted int `json:"counted"`
}

type secondJSON struct {
	Time      time.Time `json:"time"`
	Decisions int64     `json:"decisions"`
}

// stats answers GET /v1/stats.
func (c *Console) stats(r *http.Request) (any, error) {
	health := c.latest(r.Context())
	now := time.Now().UTC()
	s := statsJSON{Time: now, Statuses: map[string]int64{}, Streams: c.streams.Load(), Corrections: c.corrections.counts(),
		History: []secondJSON{}, ModelOffset: -1, Status: health}
	c.meter.mu.Lock()
	m := c.meter
	s.Decisions, s.PerSecond, s.Labels, s.Latency = m.total, m.all.rate(now), m.rates(now), m.latency(now)
	s.Sampled = now.Sub(m.sampled) < rateSeconds*time.Second
	for _, name := range []string{"ok", "unsure", "cold", "empty", "impossible"} {
		s.Statuses[name] = m.statuses[name]
	}
	for _, behind := range m.behind {
		s.Behind += behind
	}
	for at := now.Unix() - seconds; at < now.Unix(); at++ {
		s.History = append(s.History, secondJSON{time.Unix(at, 0).UTC(), m.all.at(at)})
	}
	m.mu.Unlock()
	if s.Status != nil {
		s.Lag.Training, s.Lag.Documents = s.Status.Waiting()
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
	return s, nil
}
