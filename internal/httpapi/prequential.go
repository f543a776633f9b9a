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
	logLoss        float64
}

func (p *prequential) register(r factory) {
	p.scored = r.counter("prequential_scored_total", "Training records that were scored before they were learned.")
	p.correct = r.counter("prequential_correct_total", "Training records for which the model decided the right label before it learned them.")
	p.logLoss = r.counter("prequential_log_loss_nats_total", "Sum of the log loss of training records before they were learned, each at most 34.54.")
	r.computed("prequential_window_records", "Training records in the sliding window, 1000 at most.", func() float64 { n, _, _ := p.window(); return float64(n) })
	r.computed("prequential_window_accuracy_ratio", "Share of right labels in the sliding window; NaN when it is empty.", func() float64 { _, a, _ := p.window(); return a })
	r.computed("prequential_window_log_loss_nats", "Mean log loss in the sliding window; NaN when it is empty.", func() float64 { _, _, l := p.window(); return l })
	r.register(p)
}

func (p *prequential) add(truth, decided string, logLoss float64) {
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
	p.recent[p.next] = score{truth, decided, logLoss}
	p.next = (p.next + 1) % window
	p.filled = min(p.filled+1, window)
}

// window sums the window for each scrape: a running sum would keep the rounding of removed records.
func (p *prequential) window() (n int, accuracy, logLoss float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	correct := 0
	for i := range p.filled {
		if p.recent[i].truth == p.recent[i].decided {
			correct++
		}
		logLoss += p.recent[i].logLoss
	}
	n = p.filled
	return n, float64(correct) / float64(n), logLoss / float64(n) // 0/0 is NaN: unknown
}
