package httpapi

import (
	"math"

	"bayestream/internal/core/race"
)

func (out *scrape) lookAtDecided(p *race.Prequential) {
	out.counter("prequential_scored_total", "Training records that were scored before they were learned.",
		float64(p.Scored))
	out.counter("prequential_correct_total", "Training records for which the model decided the right label before it "+
		"learned them.", float64(p.Scored-p.Errors))
	out.counter("prequential_log_loss_nats_total", "Sum of the log loss of training records before they were learned, "+
		"each at most 20.", float64(p.Loss)/race.Unit)
	newest := p.Newest()
	n := float64(newest.Scored) // 0/0 is NaN: unknown
	out.gauge("prequential_window_records", "Training records in the window of the newest, 1000 or some more once there "+
		"are so many.", n)
	out.gauge("prequential_window_accuracy_ratio", "Share of right labels in the window; NaN when it is empty.",
		(n-float64(newest.Decided.Errors))/n)
	out.gauge("prequential_window_log_loss_nats", "Mean log loss in the window; NaN when it is empty.",
		float64(newest.Decided.Loss)/race.Unit/n)
	out.gauge("prequential_window_calibration_error_ratio", "Expected calibration error in the window: how far the "+
		"posterior of the label is from the share of right labels, mean over 26 bins of the log odds; NaN when it is empty.",
		Miscalibration(&newest.Decided.Confidence))
	precision := out.gauges("prequential_window_precision_ratio", "Of the training records in the window for which the "+
		"model decided a class, the share that has it as label.", "class")
	recall := out.gauges("prequential_window_recall_ratio", "Of the training records in the window that have a class as "+
		"label, the share for which the model decided it.", "class")
	// A class that was never decided has no precision, and one without a record no recall.
	for name, c := range largest(newest.Classes) {
		if c.Decided > 0 {
			precision(float64(c.Right)/float64(c.Decided), name)
		}
		if c.Records > 0 {
			recall(float64(c.Right)/float64(c.Records), name)
		}
	}
}

// Miscalibration returns the mean distance between how sure decisions were and how many of them
// were right.
func Miscalibration(h *race.Histogram) float64 {
	var n, sum float64
	for i := range h {
		n += float64(h[i].Records)
		sum += math.Abs(float64(h[i].Sum)/race.Unit - float64(h[i].Right))
	}
	return sum / n
}

// largest returns the classes with the most records, ties by name, at most maxClasses, by names
// that are fit for labels.
func largest(t race.Tallies) race.Tallies {
	all := race.Tallies{}
	for name, c := range t {
		all.Add(race.Tallies{label(name): c})
	}
	for _, name := range smaller(all, func(c race.Tally) int64 { return c.Records }) {
		delete(all, name)
	}
	return all
}
