package deploy

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// composeFile is what compose.yaml may say: a key that is not here is a mistake, or a new test.
type composeFile struct {
	Name     string
	Worker   any `yaml:"x-worker"`
	Settings any `yaml:"x-settings"`
	Services map[string]service
	Volumes  map[string]any
}

type service struct {
	Image       string
	Build       struct{ Context, Dockerfile string }
	Restart     string
	DependsOn   any           `yaml:"depends_on"`
	ReadOnly    bool          `yaml:"read_only"`
	CapDrop     []string      `yaml:"cap_drop"`
	SecurityOpt []string      `yaml:"security_opt"`
	StopGrace   time.Duration `yaml:"stop_grace_period"`
	Entrypoint  []string
	Command     []string
	Environment map[string]string
	Volumes     []string
	Ports       []string
	Healthcheck struct {
		Test              []string
		Interval, Timeout time.Duration
		StartPeriod       time.Duration `yaml:"start_period"`
		StartInterval     time.Duration `yaml:"start_interval"`
		Retries           int
	}
}

func compose(t *testing.T) composeFile {
	t.Helper()
	var c composeFile
	parse(t, "compose.yaml", &c, true)
	return c
}

// worker returns which of our workers a service runs, "" if none.
func (s service) worker() string {
	if len(s.Entrypoint) == 0 {
		return ""
	}
	return strings.TrimPrefix(s.Entrypoint[0], "/usr/bin/")
}

// workers returns the services that run a worker.
func (c composeFile) workers() map[string]service {
	found := map[string]service{}
	for name, s := range c.Services {
		if s.worker() == ingest || s.worker() == classify {
			found[name] = s
		}
	}
	return found
}

// pinned is an image with a whole version: what is tried today is what runs tomorrow.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:v?\d+\.\d+\.\d+(-[a-z0-9.]+)?(@sha256:[0-9a-f]{64})?$`)

func TestComposeImagesArePinned(t *testing.T) {
	for name, s := range compose(t).Services {
		switch {
		case s.Build.Dockerfile != "":
			exists(t, s.Build.Context+"/"+s.Build.Dockerfile, name)
		case !pinned.MatchString(s.Image):
			t.Errorf("%s: image %q is not pinned to a version", name, s.Image)
		}
	}
	for image, want := range map[string]bool{
		"apache/kafka:4.3.1": true, "a/b:1.2.3-alpine": true, "prom/prometheus:v3.1.0": true,
		"a/b": false, "a/b:latest": false, "a/b:1": false, "a/b:1.2": false, "a/b:${V}": false,
	} {
		if pinned.MatchString(image) != want {
			t.Errorf("%s: pinned is %v, want %v", image, !want, want)
		}
	}
}

func TestComposeRunsTheBrokerOfTheTests(t *testing.T) {
	_, version, _ := strings.Cut(compose(t).Services["kafka"].Image, ":")
	if pom := read(t, "../test/kafka/pom.xml"); !strings.Contains(pom, ">"+version+"<") {
		t.Errorf("Kafka %q here, another version in test/kafka/pom.xml", version)
	}
}

func TestComposePublishesOnLoopbackOnly(t *testing.T) {
	taken := map[string]string{}
	for name, s := range compose(t).Services {
		for _, p := range s.Ports {
			part := strings.Split(p, ":")
			if len(part) != 3 {
				t.Errorf("%s: port %q is published to everyone: want 127.0.0.1:PORT:PORT", name, p)
				continue
			}
			if ip, err := netip.ParseAddr(part[0]); err != nil || !ip.IsLoopback() {
				t.Errorf("%s: port %q is not on loopback", name, p)
			}
			if other := taken[part[1]]; other != "" {
				t.Errorf("%s and %s both publish port %s", name, other, part[1])
			}
			taken[part[1]] = name
		}
	}
}

func TestComposeWorkers(t *testing.T) {
	c := compose(t)
	count := map[string]int{}
	owner := map[string]string{}
	for name, s := range c.workers() {
		count[s.worker()]++
		got := checkSettings(t, "compose.yaml, "+name, s.worker(), append(s.Entrypoint[1:], s.Command...), s.Environment)
		if got.Kafka.ClientID != name {
			t.Errorf("%s calls itself %q at the brokers", name, got.Kafka.ClientID)
		}
		checkPort(t, name, s, got.HTTP)
		if s.StopGrace <= got.Drain {
			t.Errorf("%s is killed after %v and may take %v to drain", name, s.StopGrace, got.Drain)
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may do more than it needs: read_only %v, cap_drop %v, security_opt %v", name, s.ReadOnly, s.CapDrop, s.SecurityOpt)
		}
		if len(s.Volumes) != 1 || owner[s.Volumes[0]] != "" {
			t.Errorf("%s: volumes %v, want one that no other worker has: %v", name, s.Volumes, owner)
			continue
		}
		owner[s.Volumes[0]] = name
		if !strings.HasSuffix(s.Volumes[0], ":"+stateFolder(t)) {
			t.Errorf("%s: volume %s, want it at %s, where the image keeps the model file", name, s.Volumes[0], stateFolder(t))
		}
	}
	if count[ingest] != 1 || count[classify] != 2 {
		t.Errorf("got workers %v, want one ingest and two classify", count)
	}
}

// checkPort compares the port of the worker with the published one and with that of the health check.
func checkPort(t *testing.T, name string, s service, listens string) {
	t.Helper()
	host, port, _ := strings.Cut(listens, ":")
	if host != "0.0.0.0" {
		t.Errorf("%s listens on %s, which nobody outside of its container reaches", name, host)
	}
	if want := []string{fmt.Sprintf("127.0.0.1:%s:%s", port, port)}; !slices.Equal(s.Ports, want) {
		t.Errorf("%s publishes %v, want %v", name, s.Ports, want)
	}
	if want := []string{"CMD", "/usr/bin/probe", "http://127.0.0.1:" + port + "/readyz"}; !slices.Equal(s.Healthcheck.Test, want) {
		t.Errorf("%s: health check %v, want %v", name, s.Healthcheck.Test, want)
	}
}

func TestComposeKafkaIsReachedUnderItsNames(t *testing.T) {
	c := compose(t)
	advertised := c.Services["kafka"].Environment["KAFKA_ADVERTISED_LISTENERS"]
	for name, s := range c.workers() {
		if brokers := s.Environment["BAYESTREAM_BROKERS"]; !strings.Contains(advertised, "://"+brokers+",") {
			t.Errorf("%s asks %s, Kafka is advertised as %s", name, brokers, advertised)
		}
	}
	outside, _, _ := strings.Cut(c.Services["kafka"].Ports[0], ":9092:")
	if !strings.HasSuffix(advertised, "://"+outside+":9092") {
		t.Errorf("Kafka is published on %s and advertised as %s", outside, advertised)
	}
}

func TestComposeHealthAndVolumes(t *testing.T) {
	c := compose(t)
	used := map[string]bool{}
	for name, s := range c.Services {
		if len(s.Healthcheck.Test) < 2 {
			t.Errorf("%s has no health check", name)
		}
		if s.Restart == "" {
			t.Errorf("%s says nothing about a restart", name)
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if strings.HasPrefix(from, "./") {
				exists(t, from, name)
				continue
			}
			used[from] = true
			if _, ok := c.Volumes[from]; !ok {
				t.Errorf("%s uses the volume %s, which is not declared", name, from)
			}
		}
	}
	for name := range c.Volumes {
		if !used[name] {
			t.Errorf("volume %s is declared and not used", name)
		}
	}
}
