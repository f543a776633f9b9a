package deploy

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/fold"
	"bayestream/internal/httpapi"
	"bayestream/internal/model"
	"bayestream/internal/spec"
)

// exported returns the labels of all metrics that the workers export, by name; a histogram under each of its
// three names.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, role := range []string{httpapi.Ingest, httpapi.Classify} {
		m := httpapi.NewMetrics(role)
		s := learned(t, role == httpapi.Ingest)
		m.ObserveState(func(f func(*fold.State)) { f(s) })
		m.Lag(0, 1) // these two have no series before the first call
		m.Abstained("numbers[0]")
		families, err := m.Gatherer().Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			var labels []string
			for _, l := range f.GetMetric()[0].GetLabel() {
				labels = append(labels, l.GetName())
			}
			found[f.GetName()] = labels
			if f.GetMetric()[0].Histogram != nil {
				found[f.GetName()+"_bucket"] = append(slices.Clone(labels), "le")
				found[f.GetName()+"_sum"], found[f.GetName()+"_count"] = labels, labels
			}
		}
	}
	return found
}

// learned returns a state with a document, so that everything that can be shown of one is.
func learned(t *testing.T, ledger bool) *fold.State {
	t.Helper()
	sp := spec.Default()
	s, b := fold.New(ledger), model.NewBuilder(sp)
	b.Observe("spam", 1, &model.Features{})
	delta := &fold.Delta{Counting: sp.Counting(), Source: fold.Source{Topic: "training"}, End: 1, Counts: b.Delta()}
	for i, e := range []fold.Entry{{Spec: sp}, {Delta: delta}} {
		e.Offset = int64(i)
		if outcome, err := s.Fold(e); err != nil || outcome == fold.Invalid {
			t.Fatalf("fold: %s, %v", outcome, err)
		}
	}
	return s
}

var (
	metric   = regexp.MustCompile(`\b((?:bayestream|process|go)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping = regexp.MustCompile(`\b(?:by|without|on)\s*\(([^)]*)\)`)
	inText   = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}`)
	scraped  = []string{"job", "instance"} // what Prometheus adds
)

// problems compares the metrics and labels of a PromQL expression, and of a text that shows labels, with
// what is exported.
func problems(expr, text string, exports map[string][]string) (found []string) {
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	metrics := metric.FindAllStringSubmatch(expr, -1)
	if len(metrics) == 0 {
		add("no metric in %q", expr)
	}
	known := slices.Clone(scraped)
	for _, m := range metrics {
		labels, ok := exports[m[1]]
		if !ok && m[1] != "up" {
			add("no worker exports %s", m[1])
		}
		known = append(known, labels...)
		for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(labels, l[1]) && !slices.Contains(scraped, l[1]) {
				add("%s has no label %s", m[1], l[1])
			}
		}
	}
	kept := known
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		kept = nil // a shown label must be one of those that the aggregation keeps
		for l := range strings.SplitSeq(g[1], ",") {
			kept = append(kept, strings.TrimSpace(l))
			if !slices.Contains(known, strings.TrimSpace(l)) {
				add("nothing in %q has the label %s", expr, l)
			}
		}
	}
	for _, l := range inText.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(kept, l[1]) {
			add("%q shows the label %s, which %q does not have", text, l[1], expr)
		}
	}
	return found
}

type dashboard struct {
	UID    string
	Panels []struct {
		ID         int
		Type       string
		Title      string
		Datasource source
		GridPos    struct{ X, Y, W, H int }
		Targets    []struct {
			RefID        string
			Expr         string
			LegendFormat string
			Datasource   source
		}
	}
}

type source struct{ Type, UID string }

func TestDashboardShowsWhatIsExported(t *testing.T) {
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "grafana/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	var provisioned struct{ Datasources []source }
	parse(t, "grafana/provisioning/datasources/prometheus.yml", &provisioned, false)
	exports, shown := exported(t), ""
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Datasource != provisioned.Datasources[0] || len(p.Targets) == 0 {
			t.Errorf("panel %q: id %d, data from %v, %d queries", p.Title, p.ID, p.Datasource, len(p.Targets))
		}
		ids[p.ID] = true
		for _, q := range p.Targets {
			if q.Datasource != provisioned.Datasources[0] {
				t.Errorf("panel %q: a query asks %v, provisioned is %v", p.Title, q.Datasource, provisioned.Datasources[0])
			}
			for _, problem := range problems(q.Expr, q.LegendFormat, exports) {
				t.Errorf("panel %q: %s", p.Title, problem)
			}
			shown += q.Expr + "\n"
		}
	}
	for _, name := range []string{
		"learned_records_total", "decisions_total", "lag_records", "decision_latency_seconds_bucket", "prequential_window_accuracy_ratio",
		"class_documents", "classes", "vocabulary_terms", "dead_letters_total", "folded_entries_total", "checkpoint_age_seconds",
	} {
		if !strings.Contains(shown, "bayestream_"+name) {
			t.Errorf("no panel shows bayestream_%s", name)
		}
	}
}

func TestDashboardPanelsDoNotOverlap(t *testing.T) {
	var d dashboard
	if err := json.Unmarshal([]byte(read(t, "grafana/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	taken := map[[2]int]string{}
	for _, p := range d.Panels {
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q is wider than the page", p.Title)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("panels %q and %q overlap", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// Grafana finds the dashboard where compose.yaml mounts it.
func TestDashboardIsProvisioned(t *testing.T) {
	var p struct {
		Providers []struct{ Options struct{ Path string } }
	}
	parse(t, "grafana/provisioning/dashboards/bayestream.yml", &p, false)
	s := compose(t).Services["grafana"]
	want := p.Providers[0].Options.Path + "/dashboard.json"
	if !slices.Contains(s.Volumes, "./grafana/dashboard.json:"+want+":ro") || s.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] != want {
		t.Errorf("Grafana looks for %s; mounted are %v", want, s.Volumes)
	}
}

func TestAlertsWatchWhatIsExported(t *testing.T) {
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	parse(t, "alerts.yml", &rules, true)
	exports, names := exported(t), map[string]bool{}
	for _, r := range rules.Groups[0].Rules {
		if names[r.Alert] || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("alert %q stands twice, or lacks a severity, a summary or a description", r.Alert)
		}
		names[r.Alert] = true
		for _, problem := range problems(r.Expr, r.Annotations["summary"], exports) {
			t.Errorf("alert %s: %s", r.Alert, problem)
		}
		for _, doc := range regexp.MustCompile(`docs/\S+\.md`).FindAllString(r.Annotations["description"], -1) {
			exists(t, "../"+doc, "alert "+r.Alert)
		}
	}
	if len(names) == 0 {
		t.Error("there are no alerts")
	}
}

func TestPrometheusScrapesTheWorkers(t *testing.T) {
	var p struct {
		Global        map[string]string
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			JobName       string                       `yaml:"job_name"`
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	parse(t, "prometheus.yml", &p, true)
	c := compose(t)
	got, want := map[string][]string{}, map[string][]string{}
	for _, job := range p.ScrapeConfigs {
		got[job.JobName] = job.StaticConfigs[0].Targets
	}
	for _, name := range slices.Sorted(maps.Keys(c.workers())) {
		s := c.Services[name]
		_, port, _ := strings.Cut(s.Environment["BAYESTREAM_HTTP"], ":")
		want[s.worker()] = append(want[s.worker()], name+":"+port)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("scraped are %v, running %v", got, want)
	}
	for _, mounted := range append(p.RuleFiles, "prometheus.yml") {
		if v := "./" + mounted + ":/etc/prometheus/" + filepath.Base(mounted) + ":ro"; !slices.Contains(c.Services["prometheus"].Volumes, v) {
			t.Errorf("%s is not mounted into Prometheus", mounted)
		}
	}
}

// A check that finds nothing wrong with a wrong expression is none.
func TestProblemsAreFound(t *testing.T) {
	exports := map[string][]string{"bayestream_lag_records": {"partition"}}
	for _, c := range []struct {
		expr, text string
		wrong      int
	}{
		{`sum by (job, partition) (bayestream_lag_records{job="ingest"})`, "{{job}} {{ $labels.partition }}", 0},
		{`up{job="ingest"} / bayestream_lag_records`, "{{instance}}", 0},
		{`bayestream_lag`, "", 1},
		{`bayestream_lag_records{reason="x", partition!="1"}`, "", 1},
		{`sum by (reason) (bayestream_lag_records)`, "", 1},
		{`sum by (job) (bayestream_lag_records)`, "{{partition}}", 1},
		{`1 + 1`, "", 1},
	} {
		if found := problems(c.expr, c.text, exports); len(found) != c.wrong {
			t.Errorf("%s showing %q: found %q, want %d problems", c.expr, c.text, found, c.wrong)
		}
	}
}
