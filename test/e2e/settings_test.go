package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bayestream/internal/core/fold"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestHiddenSettings: where the brokers do not show a topic's settings, nobody checks that the
// model topic keeps its records. The workers go on, and say so.
func TestHiddenSettings(t *testing.T) {
	t.Parallel()
	p, cluster := private(t, 1)
	hidden := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	for r, topics := range map[*running][]string{p.startIngest(): {p.model, p.training}, p.startClassify(): {p.model}} {
		status, body := r.get("/readyz")
		if status != http.StatusOK || strings.Count(string(body), "not checked") != len(topics) {
			t.Errorf("%s: /readyz answers %d: %s; want it ready, and %d topics not checked", r.name, status, body, len(topics))
		}
		for _, topic := range topics {
			if !strings.Contains(string(body), `"settings of `+topic+`"`) {
				t.Errorf("%s: /readyz does not speak of the settings of %s: %s", r.name, topic, body)
			}
			if !strings.Contains(r.log.text(), `level=WARN msg="the settings of a topic are not checked" topic=`+topic+" ") {
				t.Errorf("%s: the log does not warn of %s", r.name, topic)
			}
		}
	}
	if hidden.Hits() == 0 {
		t.Error("nobody asked for the settings")
	}
}

// TestFromBeyondEnd starts to count at an offset that the partition has not got yet: ingest says
// so, and begins there when it has.
func TestFromBeyondEnd(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, 1)
	p.learn(0, `{"label":"a","text":"one"}`, `{"label":"a","text":"two"}`, `{"label":"a","text":"three"}`)
	ingest := p.runIngest("--from=5")
	ingest.eventually("telling", func() (bool, string) {
		_, body := ingest.get("/readyz")
		return strings.Contains(string(body), fmt.Sprintf("--from 5 lies beyond the end of %s/0, which is at offset 3", p.training)), string(body)
	})
	if strings.Contains(ingest.log.text(), "is not the one that was counted") {
		t.Error("the log says that the topic is another one")
	}
	p.learn(0, `{"label":"b","text":"four"}`, `{"label":"b","text":"five"}`, `{"label":"b","text":"six"}`, `{"label":"b","text":"seven"}`)
	state := p.counted(ingest)
	now, _ := state.Progress(fold.Source{Topic: p.training})
	if _, counted := state.Model().Classes().ID("a"); now.Begin != 5 || now.FromStart || now.Watermark != 7 || counted {
		t.Errorf("counting began at offset %d, from the start %v, and is at %d; class a counted: %v; want 5 to 7 only", now.Begin, now.FromStart, now.Watermark, counted)
	}
	ingest.ready()
}
