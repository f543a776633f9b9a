package httpapi

import (
	"math"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// window is the number of records of the recent accuracy and log loss: enough for a standard error of at most 1.6
// points, and few enough to show a drift within minutes.
const window = 1000

// maxLogLoss is -ln 1e-15. One confident mistake must not outweigh all other records; scikit-learn and eval clip at
// the same value.
var maxLogLoss = -math.Log(1e-15)

// prequential sums the scores of records that the model has not learned yet, over all and over the newest.
type prequential struct {
	scored  prometheus.Counter
	correct prometheus.Counter
	logLoss prometheus.Counter

	mu     sync.Mutex
	recent [window]score // a ring
	next   int
	filled int
}

type score struct {
	truth, decided string
	posterior      float64 // of the label decided
	logLoss        float64
}

// windowScores are the scores of a window. All are NaN if it is empty.
type windowScores struct {
	records                           int
	accuracy, logLoss, miscalibration float64
}

func (p *prequential) register(r factory) {
	p.scored = r.counter("prequential_scored_total", "Training records that were scored before they were learned.")
	p.correct = r.counter("prequential_correct_total", "Training records for which the model decided the right label before it learned them.")
	p.logLoss = r.counter("prequential_log_loss_nats_total", "Sum of the log loss of training records before they were learned, each at most 34.54.")
	r.computed("prequential_window_records", "Training records in the sliding window, 1000 at most.", func() float64 { return float64(p.window().records) })
	r.computed("prequential_window_accuracy_ratio", "Share of right labels in the sliding window; NaN when it is empty.", func() float64 { return p.window().accuracy })
	r.computed("prequential_window_log_loss_nats", "Mean log loss in the sliding window; NaN when it is empty.", func() float64 { return p.window().logLoss })
	r.computed("prequential_window_calibration_error_ratio", "Expected calibration error in the sliding window: how far the posterior of the label is from the share of right labels, mean over 15 bins; NaN when it is empty.", func() float64 { return p.window().miscalibration })
	r.register(p)
}

func (p *prequential) add(truth, decided string, posterior, logLoss float64) {
	if !(logLoss <= maxLogLoss) { // NaN too
		logLoss = maxLogLoss
	}
	logLoss = max(0, logLoss) // -ln of a posterior that was rounded above 1
	p.scored.Inc()
	p.logLoss.Add(logLoss)
	if truth == decided {
		p.correct.Inc()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent[p.next] = score{truth, decided, posterior, logLoss}
	p.next = (p.next + 1) % window
	p.filled = min(p.filled+1, window)
}

// calibrationBins is how many bins of the posterior the calibration error has, as in eval.
const calibrationBins = 15

// window sums the window for each scrape: a running sum would keep the rounding of removed records.
func (p *prequential) window() windowScores {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := windowScores{records: p.filled}
	correct := 0
	var excess [calibrationBins]float64 // by bin: the sum of the posteriors less the number of right labels
	for i := range p.recent[:p.filled] {
		r := &p.recent[i]
		bin := &excess[max(0, int(math.Ceil(r.posterior*calibrationBins))-1)]
		*bin += r.posterior
		if r.truth == r.decided {
			correct++
			*bin--
		}
		w.logLoss += r.logLoss
	}
	for _, x := range excess {
		w.miscalibration += math.Abs(x)
	}
	n := float64(p.filled) // 0/0 is NaN: unknown
	w.accuracy = float64(correct) / n
	w.logLoss /= n
	w.miscalibration /= n
	return w
}
