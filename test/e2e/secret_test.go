package e2e

import (
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestNoOutputHasTheSecret plants a password and looks for it in all that a worker and the verbs
// say.
func TestNoOutputHasTheSecret(t *testing.T) {
	const planted, user = "pl4nted-s3cret", "ann"
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", user, planted))
	sasl := stream.SASL{Mechanism: "scram-sha-256", Username: user, Password: planted}
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs(), SASL: sasl})
	p := &pipeline{
		t: t, brokers: cluster.ListenAddrs(), client: client, partitions: 1, dir: t.TempDir(), training: "training", model: "model", dead: "dead",
	}
	p.createTopic(p.training, 1, nil)
	p.learn(0, `{"label":"x","text":"apple"}`, `bad`)
	config := p.file("ingest.yaml", "sasl-password: "+planted+"\nsasl: scram-sha-256\nsasl-user: "+user+"\nlog: debug\n"+
		"bootstrap: http://"+user+":"+planted+"@127.0.0.1:1/v1/snapshot\n")
	t.Setenv("BAYESTREAM_CLUSTERS", p.file("clusters.yaml", "ours: {brokers: ["+p.brokers[0]+"], sasl: plain, sasl-user: "+user+", sasl-password: "+planted+"}\n"))
	said := map[string]string{}
	for name, args := range map[string][]string{
		"help":            {"ingest", "--config", config, "--help"},
		"version":         {"ingest", "--config", config, "--version"},
		"check":           {"bayestream", "check", "--ingest", config},
		"a misspelt flag": {"ingest", "--config", config, "--sasl-pasword=" + planted},
		"no broker":       {"ingest", "--config", config, "--brokers=127.0.0.1:1", "--state=" + p.dir + "/no.db"},
		"no snapshot":     {"ingest", "--config", config, "--brokers=" + p.brokers[0], "--create-topics", "--state=" + p.dir + "/none.db"},
		"a verb":          {"bayestream", "log", "--cluster=ours"},
		"an old flag":     {"bayestream", "log", "--brokers=nowhere", "--sasl=plain", "--sasl-password=" + planted},
	} {
		out, _ := exec.Command(binary(t, args[0]), args[1:]...).CombinedOutput() // most of them fail
		said[name] = string(out)
	}
	w := worker(t, "ingest", "ingest", append(p.ingestFlags(), "--config", config, "--bootstrap=")...)
	w.start()
	w.ready(patience)
	eventually(t, patience, "learned", func() (bool, string) { return len(p.read(p.dead, 0)) == 1, "" })
	for _, path := range []string{"/", "/version", "/metrics", "/readyz", "/livez", "/v1/snapshot", "/debug/pprof/goroutine?debug=2", "/debug/vars", "/none"} {
		_, body := send(http.MethodGet, "http://"+w.address()+path, nil)
		said[path] = string(body)
	}
	_ = w.End(syscall.SIGQUIT, patience) // Go's dump of all goroutines
	log := filetest.Read(t, w.Log)
	said["log and dump"] = string(log)
	for _, what := range []string{"goroutine ", "ingest starts", "DEBUG"} {
		if !strings.Contains(said["log and dump"], what) {
			t.Errorf("the log has no %q", what)
		}
	}
	for name, text := range said {
		if text == "" {
			t.Errorf("%s: said nothing", name)
		}
		if strings.Contains(text, planted) {
			at := strings.Index(text, planted)
			t.Errorf("%s: the secret is in …%s…", name, text[max(0, at-100):at+len(planted)])
		}
	}
}
