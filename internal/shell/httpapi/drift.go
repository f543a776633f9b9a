package httpapi

import (
	"bayestream/internal/core/drift"
	"bayestream/internal/core/race"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	descDrifts = describe("drift_alarms", "Drifts found in the stream: times the decisions on records that were scored "+
		"before they were learned were clearly worse than before.")
	descDriftAt = describe("drift_last_offset", "Offset of the delta in the model log that "+
		"showed the last drift, -1 if there is none.")
	descExcess = describe("drift_excess_errors", "Errors of scored records above those that chance explains; a drift "+
		"when they are more than 50.")
)

// drifts is what a scrape shows of drifts.
type drifts struct {
	found, last int64
	excess      float64
}

// lookAtDrift returns nil before the first spec.
func lookAtDrift(s *drift.State) *drifts {
	if s == nil {
		return nil
	}
	out := &drifts{found: s.Found, last: -1, excess: float64(s.Excess) / race.Unit}
	if last := s.Last(); last != nil {
		out.last = last.Offset
	}
	return out
}

func (d *drifts) collect(gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	if d == nil {
		return
	}
	gauge(descDrifts, float64(d.found))
	gauge(descDriftAt, float64(d.last))
	gauge(descExcess, d.excess)
}
