// Package deploy holds what runs Bayestream elsewhere: an image, a compose file, systemd units, and
// what watches them. None of it can be started by a test, so the tests read the files and compare what they
// say with the code, and with one another.
package deploy

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/config"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// read returns the text of a file of this folder.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// parse reads YAML (or JSON, which is YAML) and refuses keys that the struct does not know where strict is set.
func parse(t *testing.T, name string, into any, strict bool) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(read(t, name)))
	d.KnownFields(strict)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Fatalf("%s: want one document, got more (%v)", name, err)
	}
}

// exists fails the test where a path is not there.
func exists(t *testing.T, path, said string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("%s names %s, which is not there", said, path)
	}
}

const (
	ingest   = "ingest"
	classify = "classify"
)

// variables returns the names of all settings of a worker as they are in the environment.
func variables(t *testing.T, worker string) map[string]bool {
	t.Helper()
	var c any = new(config.Ingest)
	if worker == classify {
		c = new(config.Classify)
	}
	k, err := kong.New(c, kong.NoDefaultHelp(), kong.Vars{"group": "", "state": "", "http": ""})
	if err != nil {
		t.Fatalf("flags of %s: %v", worker, err)
	}
	names := map[string]bool{}
	for _, flag := range k.Model.Flags {
		names["BAYESTREAM_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))] = true
	}
	if !names["BAYESTREAM_BROKERS"] {
		t.Fatalf("the flags of %s lack --brokers: %v", worker, slices.Sorted(maps.Keys(names)))
	}
	return names
}

// here are the settings that name files of the machine that the file is for, and not of this one.
var here = regexp.MustCompile(`^BAYESTREAM_(STATE|SPEC|TLS_CA|TLS_CERT|TLS_KEY)$`)

// settle parses the settings of a worker as the worker does, and returns what it would run with.
func settle[T config.Ingest | config.Classify](t *testing.T, where string, args []string, env map[string]string) T {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse[T]("worker", args, func(name string) (string, bool) {
		value, set := env[name]
		if set && here.MatchString(name) {
			value = file
		}
		return value, set
	})
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	return c
}

// checkSettings says what is wrong with the flags and variables of a worker, and returns the part of
// its configuration that both have.
func checkSettings(t *testing.T, where, worker string, args []string, env map[string]string) config.Worker {
	t.Helper()
	known := variables(t, worker)
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

// The other tests hold for want of anything to check if variables did not get as far as the configuration.
func TestVariablesReachTheConfiguration(t *testing.T) {
	for _, worker := range []string{ingest, classify} {
		c := checkSettings(t, "here", worker, []string{"--log=debug"}, map[string]string{"BAYESTREAM_DRAIN": "3s", "BAYESTREAM_HTTP": "0.0.0.0:1"})
		if c.Drain != 3*time.Second || c.HTTP != "0.0.0.0:1" || c.Log != "debug" {
			t.Errorf("%s: got %v, %q, %q, want 3s, 0.0.0.0:1, debug", worker, c.Drain, c.HTTP, c.Log)
		}
	}
}
