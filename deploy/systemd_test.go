package deploy

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/config"
)

var units = map[string]string{ingest: "systemd/bayestream-ingest.service", classify: "systemd/bayestream-classify@.service"}

// unit reads the section Service of a unit file: the values of each key, in order.
func unit(t *testing.T, name string) map[string][]string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, name), "\n[Service]\n")
	text, _, _ = strings.Cut(text, "\n[")
	settings := map[string][]string{}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && key[0] != '#' {
			settings[key] = append(settings[key], value)
		}
	}
	return settings
}

// expand replaces specifiers as systemd does for the instance 7432.
var expand = strings.NewReplacer("%S", "/var/lib", "%i", "7432")

// environment reads the settings of Environment=.
func environment(values []string) map[string]string {
	env := map[string]string{}
	for _, pair := range strings.Fields(strings.Join(values, " ")) {
		name, value, _ := strings.Cut(expand.Replace(pair), "=")
		env[name] = value
	}
	return env
}

func TestUnitsRunTheWorkers(t *testing.T) {
	http := map[string]bool{}
	for worker, file := range units {
		s := unit(t, file)
		command := strings.Fields(s["ExecStart"][0])
		if len(s["ExecStart"]) != 1 || command[0] != "/usr/local/bin/bayestream" || command[1] != worker {
			t.Errorf("%s runs %v, want bayestream %s", file, s["ExecStart"], worker)
		}
		env := environment(s["Environment"])
		c := checkSettings(t, file, worker, command[2:], env)
		if !strings.HasPrefix(c.HTTP, "127.0.0.1:") || http[c.HTTP] {
			t.Errorf("%s listens on %s, want an address of its own on loopback", file, c.HTTP)
		}
		http[c.HTTP] = true
		folder := "/var/lib/" + expand.Replace(s["StateDirectory"][0])
		if filepath.Dir(env["BAYESTREAM_STATE"]) != folder {
			t.Errorf("%s: the model file is %s, the folder that the service may write %s", file, env["BAYESTREAM_STATE"], folder)
		}
		stop, err := time.ParseDuration(s["TimeoutStopSec"][0] + "s")
		if err != nil || stop <= c.Drain {
			t.Errorf("%s is killed after %v and may take %v to drain (%v)", file, stop, c.Drain, err)
		}
	}
}

// What the two units have in common is written twice, and must not drift apart.
func TestUnitsAgree(t *testing.T) {
	own := []string{"ExecStart", "Environment", "StateDirectory"}
	a := unit(t, units[ingest])
	b := unit(t, units[classify])
	for key := range a {
		if !slices.Contains(own, key) && !slices.Equal(a[key], b[key]) {
			t.Errorf("%s: %q for ingest, %q for classify", key, a[key], b[key])
		}
	}
	if len(a) != len(b) {
		t.Errorf("ingest has %d settings, classify %d", len(a), len(b))
	}
}

// examples returns the settings of an environment file, also those that are commented out, and those
// in force.
func examples(t *testing.T, file string) (all, set map[string]string) {
	t.Helper()
	all, set = map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(#?)([A-Z_]+)=(.*)$`).FindAllStringSubmatch(read(t, file), -1) {
		all[m[2]] = m[3]
		if m[1] == "" {
			set[m[2]] = m[3]
		}
	}
	return all, set
}

// Each line of the examples is a setting, also those that are commented out.
func TestEnvironmentFiles(t *testing.T) {
	known := variables(ingest)
	maps.Copy(known, variables(classify))
	for _, file := range []string{"systemd/bayestream.env", "kubernetes/bayestream.env"} {
		all, set := examples(t, file)
		for name := range all {
			if !known[name] && name != "GOMEMLIMIT" {
				t.Errorf("%s: no worker has a setting %s", file, name)
			}
			if name == "BAYESTREAM_STATE" || name == "BAYESTREAM_HTTP" {
				t.Errorf("%s has %s, which belongs to each worker", file, name)
			}
		}
		settle[config.Ingest](t, file, nil, set)
		settle[config.Classify](t, file, nil, set)
	}
}
