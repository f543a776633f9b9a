package serve

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/tools/status"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

func (p *pipeline) named() map[string]string {
	return map[string]string{httpapi.Ingest: p.workers.Ingest, httpapi.Classify: p.workers.Classify}
}

// metrics answers with the metrics of both workers. The label worker says whose they are.
func (p *pipeline) metrics(w http.ResponseWriter, r *http.Request) {
	all := map[string]*dto.MetricFamily{}
	for name, address := range p.named() {
		if err := addMetrics(r.Context(), all, name, address); err != nil {
			httpapi.Fail(w, http.StatusServiceUnavailable, "not_ready", err.Error())
			return
		}
	}
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	w.Header().Set("Content-Type", string(format))
	encoder := expfmt.NewEncoder(w, format)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if encoder.Encode(all[name]) != nil {
			return // the client is gone
		}
	}
}

func addMetrics(ctx context.Context, all map[string]*dto.MetricFamily, name, address string) error {
	families, err := status.Metrics(ctx, "http://"+address)
	if err != nil {
		return fmt.Errorf("the metrics of %s: %w", name, err)
	}
	label, value := "worker", name
	for key, family := range families {
		for _, m := range family.GetMetric() {
			m.Label = append(m.Label, &dto.LabelPair{Name: &label, Value: &value})
		}
		if known := all[key]; known != nil {
			known.Metric = append(known.Metric, family.GetMetric()...)
		} else {
			all[key] = family
		}
	}
	return nil
}

// ready returns the checks of both workers.
func (p *pipeline) ready(ctx context.Context) httpapi.Readiness {
	both := httpapi.Readiness{Ready: true}
	named := p.named()
	for _, name := range slices.Sorted(maps.Keys(named)) {
		var one httpapi.Readiness
		if err := status.Get(ctx, "http://"+named[name]+"/readyz", &one); err != nil {
			one = httpapi.Readiness{Checks: []httpapi.Check{{Name: "http", Detail: err.Error()}}}
		}
		both.Ready = both.Ready && one.Ready
		for _, check := range one.Checks {
			check.Name = name + ": " + check.Name
			both.Checks = append(both.Checks, check)
		}
	}
	return both
}
