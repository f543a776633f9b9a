package status

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// ModelOfWorkers returns what the workers say of a model log that cannot be folded: the one of them
// that has folded the most. It returns nil if none of them has folded that topic.
func ModelOfWorkers(ctx context.Context, workers []Worker, topic string) *Model {
	var best *Model
	for i := range workers {
		m := workers[i].model(ctx, topic)
		if m != nil && (best == nil || m.next > best.next) {
			best = m
		}
	}
	return best
}

// model asks a worker what it has folded of a model log, nil if nothing.
func (w *Worker) model(ctx context.Context, topic string) *Model {
	var is httpapi.Worker
	var says httpapi.Model
	follows := func(s config.Setting) bool { return s.Name == "model-topic" && s.Value == topic }
	if !w.Up || Get(ctx, w.address+"/v1/worker", &is) != nil || !slices.ContainsFunc(is.Settings, follows) ||
		Get(ctx, w.address+"/v1/model", &says) != nil || says.Spec == "" {
		return nil
	}
	taken, err := takenBy(ctx, w.address)
	if err != nil {
		return nil
	}
	m := &Model{next: says.Offset + 1, learned: says.Documents, classes: len(says.Classes), taken: taken}
	m.note(says.Drift)
	return m
}

// takenBy returns the next offsets to count, which are among the metrics of a worker.
func takenBy(ctx context.Context, address string) (map[fold.Source]int64, error) {
	families, err := Metrics(ctx, address)
	taken := map[fold.Source]int64{}
	for _, m := range families["bayestream_source_watermark"].GetMetric() {
		partition, wrong := strconv.ParseInt(labelOf(m, "partition"), 10, 32)
		if wrong == nil && m.GetGauge().GetValue() <= math.MaxInt64 {
			taken[fold.Source{Topic: labelOf(m, "topic"), Partition: int32(partition)}] = int64(m.GetGauge().GetValue())
		}
	}
	return taken, err
}

// Metrics returns the metrics of a worker, by their names.
func Metrics(ctx context.Context, address string) (map[string]*dto.MetricFamily, error) {
	text, err := ask(ctx, address+"/metrics")
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(text))
}

func labelOf(m *dto.Metric, name string) string {
	for _, label := range m.GetLabel() {
		if label.GetName() == name {
			return label.GetValue()
		}
	}
	return ""
}
