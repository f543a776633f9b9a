package httpapi

import "strconv"

// Lag sets how many records of a partition are not worked on yet.
func (m *Metrics) Lag(partition int, records int64) {
	m.lag.WithLabelValues(strconv.Itoa(partition)).Set(float64(max(0, records)))
}

// ForgetLag takes away the lag of a partition that another worker has now.
func (m *Metrics) ForgetLag(partition int) { m.lag.DeleteLabelValues(strconv.Itoa(partition)) }

// Assigned says which partitions the group gave to this worker; nil says that a generation is over.
func (m *Metrics) Assigned(partitions []int) {
	m.assigned.Set(float64(len(partitions)))
	if partitions != nil {
		m.generations.Inc()
	}
}
