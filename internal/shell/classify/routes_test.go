package classify

import (
	"strings"
	"testing"

	"bayestream/internal/shell/config"
)

// TestRoutes: the first rule that fits holds, * after all others wherever it is.
func TestRoutes(t *testing.T) {
	type decision struct {
		status, label string
		posterior     float64
		want          string
	}
	for route, decisions := range map[string][]decision{
		"": {{"ok", "spam", 1, "labels"}},
		"*=rest,spam=junk": {
			{"ok", "spam", 1, "junk"}, {"cold", "spam", .5, "junk"}, {"ok", "ham", 1, "rest"}, {"ok", "*", 1, "rest"}, {"empty", "", 0, "rest"},
		},
		"unsure,cold,empty=review,ok=done": {
			{"unsure", "spam", .6, "review"}, {"cold", "spam", 1, "review"}, {"empty", "", 0, "review"}, {"ok", "spam", .6, "done"},
		},
		"cold=review,spam=junk,posterior<0.8=second,label:ok=named": {
			{"cold", "spam", .5, "review"}, {"ok", "spam", .5, "junk"}, {"ok", "ham", .79, "second"}, {"ok", "ham", .8, "labels"},
			{"ok", "ok", .8, "named"}, {"ok", "ok", .5, "second"}, {"empty", "", 0, "second"},
		},
		"posterior<0.5=low,posterior<0.9=middle": {{"ok", "ham", .4, "low"}, {"ok", "ham", .5, "middle"}, {"ok", "ham", 1, "labels"}},
	} {
		settings := config.Default[config.Classify]()
		if route != "" {
			settings.Route = strings.Split(route, ",")
		}
		if err := settings.Validate(); err != nil {
			t.Fatal(err)
		}
		r := newRoutes(&settings)
		for _, d := range decisions {
			a := &answer{outcome: outcome{status: d.status, label: d.label, posterior: d.posterior}}
			if got := r.topics[r.of(a)]; got != d.want {
				t.Errorf("%q: %s %q with %v goes to %s, want %s", route, d.status, d.label, d.posterior, got, d.want)
			}
		}
	}
}
