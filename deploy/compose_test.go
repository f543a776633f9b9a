package deploy

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// service is the part of a service of compose.yaml that the tests compare.
type service struct {
	Image       string
	Build       struct{ Dockerfile string }
	StopGrace   time.Duration `yaml:"stop_grace_period"`
	Entrypoint  []string
	Environment map[string]string
	Volumes     []string
	Ports       []string
	Healthcheck struct{ Test []string }
}

// services returns the services of compose.yaml by name.
func services(t *testing.T) map[string]service {
	t.Helper()
	var file struct{ Services map[string]service }
	parse(t, "compose.yaml", &file)
	return file.Services
}

// workers returns the services that run a worker, by name, and the worker of each.
func workers(t *testing.T) (found map[string]service, kinds map[string]string) {
	t.Helper()
	found = map[string]service{}
	kinds = map[string]string{}
	for name, s := range services(t) {
		if len(s.Entrypoint) > 0 {
			found[name] = s
			kinds[name] = strings.TrimPrefix(s.Entrypoint[0], "/usr/bin/")
		}
	}
	return found, kinds
}

// pinned matches an image with a full version and a digest.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+\.\d+(-[a-z0-9.]+)?@sha256:[0-9a-f]{64}$`)

func TestComposeImagesArePinned(t *testing.T) {
	for name, s := range services(t) {
		if s.Build.Dockerfile == "" && !pinned.MatchString(s.Image) {
			t.Errorf("%s: image %q is not pinned to a version and a digest", name, s.Image)
		}
	}
}

func TestComposePublishesOnLoopbackOnly(t *testing.T) {
	for name, s := range services(t) {
		for _, p := range s.Ports {
			host, _, _ := strings.Cut(p, ":")
			if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
				t.Errorf("%s: port %q is not on loopback", name, p)
			}
		}
	}
}

func TestComposeWorkers(t *testing.T) {
	advertised := services(t)["kafka"].Environment["KAFKA_ADVERTISED_LISTENERS"]
	owner := map[string]string{}
	found, kinds := workers(t)
	if len(found) < 2 {
		t.Fatalf("got workers %v, want ingest and classify", kinds)
	}
	for name, s := range found {
		c := checkSettings(t, "compose.yaml, "+name, kinds[name], s.Entrypoint[1:], s.Environment)
		_, port, _ := strings.Cut(c.HTTP, ":")
		if c.HTTP != "0.0.0.0:"+port || !slices.Equal(s.Ports, []string{"127.0.0.1:" + port + ":" + port}) {
			t.Errorf("%s listens on %s and publishes %v", name, c.HTTP, s.Ports)
		}
		if !slices.Contains(s.Healthcheck.Test, "http://127.0.0.1:"+port+"/readyz") {
			t.Errorf("%s: health check %v, want port %s", name, s.Healthcheck.Test, port)
		}
		if !strings.Contains(advertised, "://"+c.Kafka.Brokers[0]+",") {
			t.Errorf("%s asks %v, Kafka is advertised as %s", name, c.Kafka.Brokers, advertised)
		}
		if s.StopGrace <= c.Drain {
			t.Errorf("%s is killed after %v and may take %v to drain", name, s.StopGrace, c.Drain)
		}
		volume, folder, _ := strings.Cut(strings.Join(s.Volumes, ","), ":")
		if folder != stateFolder(t) || owner[volume] != "" {
			t.Errorf("%s: volumes %v, want one at %s that no other worker has", name, s.Volumes, stateFolder(t))
		}
		owner[volume] = name
	}
}
