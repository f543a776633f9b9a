// Package deploy holds what runs Bayestream elsewhere: an image, a compose file, systemd units, and
// what watches them. The tests start none of it: they read the files and compare them with the code
// and with each other.
package deploy

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/testing/filetest"

	"go.yaml.in/yaml/v3"
)

const (
	ingest   = "ingest"
	classify = "classify"
)

// read returns the text of a file of this folder.
func read(t *testing.T, name string) string {
	t.Helper()
	b := filetest.Read(t, name)
	return string(b)
}

// parse reads YAML, or JSON, which is YAML.
func parse(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// variables returns the names of the environment variables of a worker.
func variables(worker string) map[string]bool {
	settings := config.InForce(config.Default[config.Ingest]())
	if worker == classify {
		settings = config.InForce(config.Default[config.Classify]())
	}
	names := map[string]bool{"BAYESTREAM_CONFIG": true}
	for _, setting := range settings {
		names["BAYESTREAM_"+strings.ToUpper(strings.ReplaceAll(setting.Name, "-", "_"))] = true
	}
	return names
}

// elsewhere matches the settings that name files of the machine that runs the worker, not of this
// one.
var elsewhere = regexp.MustCompile(`^BAYESTREAM_(STATE|SPEC|TLS_CA|TLS_CERT|TLS_KEY)$`)

// settle parses the settings of a worker as the worker does.
func settle[T config.Ingest | config.Classify](t *testing.T, where string, args []string, env map[string]string) T {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	filetest.Write(t, file, "")
	c, err := config.Parse[T]("worker", args, func(name string) (string, bool) {
		value, set := env[name]
		if set && elsewhere.MatchString(name) {
			value = file
		}
		return value, set
	})
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	return c
}

// checkSettings checks the arguments and variables of a worker and returns its configuration.
func checkSettings(t *testing.T, where, worker string, args []string, env map[string]string) config.Worker {
	t.Helper()
	known := variables(worker)
	for name := range env {
		if strings.HasPrefix(name, "BAYESTREAM_") && !known[name] {
			t.Errorf("%s: %s has no setting %s", where, worker, name)
		}
	}
	if worker == ingest {
		return settle[config.Ingest](t, where, args, env).Worker
	}
	return settle[config.Classify](t, where, args, env).Worker
}

// The other tests check nothing if variables do not reach the configuration.
func TestVariablesReachTheConfiguration(t *testing.T) {
	for _, worker := range []string{ingest, classify} {
		c := checkSettings(t, "here", worker, []string{"--log=debug"}, map[string]string{"BAYESTREAM_DRAIN": "3s", "BAYESTREAM_HTTP": "0.0.0.0:1"})
		if c.Drain != 3*time.Second || c.HTTP != "0.0.0.0:1" || c.Log != "debug" {
			t.Errorf("%s: got %v, %q, %q, want 3s, 0.0.0.0:1, debug", worker, c.Drain, c.HTTP, c.Log)
		}
	}
}
