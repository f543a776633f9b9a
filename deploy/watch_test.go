package deploy

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/modeltest"
)

// exported returns the labels of all metrics that the workers export, by name; a histogram under
// each of its three names.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, role := range []string{httpapi.Ingest, httpapi.Classify} {
		m := httpapi.NewMetrics(role)
		m.ObserveMemory(budget.New(1 << 20))
		s := learned(t, role == httpapi.Ingest)
		m.ObserveState(func(f func(*fold.State)) { f(s) })
		m.Lag(0, 1) // these have no series before the first call
		m.Abstained("numbers[0]")
		m.Decided("ok", "spam", .9, 0)
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
				found[f.GetName()+"_sum"] = labels
				found[f.GetName()+"_count"] = labels
			}
		}
	}
	return found
}

// learned returns a state with one document, for which every metric of a state has a value.
func learned(t *testing.T, ledger bool) *fold.State {
	t.Helper()
	sp := modeltest.Spec(t, "{scoring: {}, limits: {window: {records: 10}}}")
	s := fold.New(ledger)
	b := model.NewBuilder(sp)
	b.Observe("spam", 1, &model.Features{})
	sums := race.NewSums(len(race.Of(sp).Scored()))
	sums.Scored = 1
	scores := &fold.Scores{List: race.Of(sp).Fingerprint(), Sums: sums, Classes: race.Tallies{"spam": {Records: 1, Right: 1, Decided: 1}}}
	delta := &fold.Delta{Ranges: []fold.Range{{Source: fold.Source{Topic: "training"}, End: 1}},
		Counting: sp.Counting(),
		Counts:   b.Delta(),
		Scores:   scores}
	for i, e := range []fold.Entry{{Spec: sp}, {Delta: delta}} {
		e.Offset = int64(i)
		if outcome, err := s.Fold(e); err != nil || outcome == fold.Invalid {
			t.Fatalf("fold: %s, %v", outcome, err)
		}
	}
	return s
}

var (
	metric    = regexp.MustCompile(`\b((?:bayestream|process|go)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?`)
	matcher   = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping  = regexp.MustCompile(`\b(?:by|without|on)\s*\(([^)]*)\)`)
	histogram = regexp.MustCompile(`_(bucket|sum|count)$`)
	shown     = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}`)
)

// problems compares the metrics of a PromQL expression, and the labels in it and in a text that
// shows labels, with what is exported.
func problems(expr, text string, exports map[string][]string) (found []string) {
	known := []string{"job", "instance"} // which Prometheus adds
	used := grouping.FindAllStringSubmatch(expr, -1)
	used = append(used, shown.FindAllStringSubmatch(text, -1)...)
	for _, m := range metric.FindAllStringSubmatch(expr, -1) {
		labels, ok := exports[m[1]]
		if !ok && m[1] != "up" {
			found = append(found, "no worker exports "+m[1])
		}
		known = append(known, labels...)
		used = append(used, matcher.FindAllStringSubmatch(m[2], -1)...)
	}
	for _, list := range used {
		for label := range strings.SplitSeq(list[1], ",") {
			if !slices.Contains(known, strings.TrimSpace(label)) {
				found = append(found, fmt.Sprintf("%q has no label %s", expr, label))
			}
		}
	}
	return found
}

type source struct{ Type, UID string }

func TestDashboardShowsWhatIsExported(t *testing.T) {
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct {
				Expr         string
				LegendFormat string `yaml:"legendFormat"`
				Datasource   source
			}
		}
	}
	parse(t, "grafana/dashboard.json", &d)
	var provisioned struct{ Datasources []source }
	parse(t, "grafana/provisioning/datasources/prometheus.yml", &provisioned)
	exports := exported(t)
	for _, p := range d.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("panel %q has no query", p.Title)
		}
		for _, q := range p.Targets {
			if q.Datasource != provisioned.Datasources[0] {
				t.Errorf("panel %q: a query asks %v, provisioned is %v", p.Title, q.Datasource, provisioned.Datasources[0])
			}
			for _, problem := range problems(q.Expr, q.LegendFormat, exports) {
				t.Errorf("panel %q: %s", p.Title, problem)
			}
		}
	}
}

// Grafana finds the dashboard where compose.yaml mounts it.
func TestDashboardIsProvisioned(t *testing.T) {
	var p struct {
		Providers []struct{ Options struct{ Path string } }
	}
	parse(t, "grafana/provisioning/dashboards/bayestream.yml", &p)
	s := services(t)["grafana"]
	want := p.Providers[0].Options.Path + "/dashboard.json"
	if !slices.Contains(s.Volumes, "./grafana/dashboard.json:"+want+":ro") || s.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] != want {
		t.Errorf("Grafana looks for %s; mounted are %v", want, s.Volumes)
	}
}

func TestAlertsWatchWhatIsExported(t *testing.T) {
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}
	parse(t, "alerts.yml", &rules)
	exports := exported(t)
	for _, r := range rules.Groups[0].Rules {
		if r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
			t.Errorf("alert %q lacks a severity or a summary", r.Alert)
		}
		for _, problem := range problems(r.Expr, r.Annotations["summary"], exports) {
			t.Errorf("alert %s: %s", r.Alert, problem)
		}
	}
}

// A metric that no panel shows and no alert watches is of no use to whom the workers run for.
func TestEachMetricIsWatched(t *testing.T) {
	var watched strings.Builder
	for _, name := range []string{"grafana/dashboard.json", "alerts.yml"} {
		text := filetest.Read(t, name)
		watched.Write(text)
	}
	for name := range exported(t) {
		base := histogram.ReplaceAllString(name, "")
		if strings.HasPrefix(name, "bayestream_") && !regexp.MustCompile(base+`(_bucket|_sum|_count)?\b`).MatchString(watched.String()) {
			t.Errorf("%s is in no panel and no alert", name)
		}
	}
}

func TestPrometheusScrapesTheWorkers(t *testing.T) {
	var p struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			JobName       string                       `yaml:"job_name"`
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	parse(t, "prometheus.yml", &p)
	got := map[string][]string{}
	for _, job := range p.ScrapeConfigs {
		got[job.JobName] = job.StaticConfigs[0].Targets
	}
	want := map[string][]string{}
	found, kinds := workers(t)
	for _, name := range slices.Sorted(maps.Keys(found)) {
		_, port, _ := strings.Cut(found[name].Environment["BAYESTREAM_HTTP"], ":")
		want[kinds[name]] = append(want[kinds[name]], name+":"+port)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("scraped are %v, running %v", got, want)
	}
	for _, mounted := range append(p.RuleFiles, "prometheus.yml") {
		if v := "./" + filepath.Base(mounted) + ":/etc/prometheus/" + filepath.Base(mounted) + ":ro"; !slices.Contains(services(t)["prometheus"].Volumes, v) {
			t.Errorf("%s is not mounted into Prometheus", mounted)
		}
	}
}
