package httpapi

import "strconv"

// Lag sets the number of unprocessed records of a partition.
func (m *Metrics) Lag(partition int, records int64) {
	m.lag.WithLabelValues(strconv.Itoa(partition)).Set(float64(max(0, records)))
}

// ForgetLag removes the lag of a partition that was revoked.
func (m *Metrics) ForgetLag(partition int) { m.lag.DeleteLabelValues(strconv.Itoa(partition)) }

// Assigned sets the partitions that the group assigned to this worker; nil ends a generation.
func (m *Metrics) Assigned(partitions []int) {
	m.assigned.Set(float64(len(partitions)))
	if partitions != nil {
		m.generations.Inc()
	}
}
