package deploy

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/config"
)

var units = map[string]string{ingest: "systemd/bayestream-ingest.service", classify: "systemd/bayestream-classify@.service"}

// unit reads a unit file: the values of each key of each section, in order.
func unit(t *testing.T, name string) map[string]map[string][]string {
	t.Helper()
	sections := map[string]map[string][]string{}
	var section map[string][]string
	for line := range strings.Lines(read(t, name)) {
		line = strings.TrimSpace(line)
		switch key, value, ok := strings.Cut(line, "="); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = map[string][]string{}
			sections[strings.Trim(line, "[]")] = section
		case !ok || section == nil:
			t.Fatalf("%s: %q is no setting of a section", name, line)
		default:
			section[key] = append(section[key], value)
		}
	}
	return sections
}

// expand puts in what systemd would for the instance 7432.
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
		s := unit(t, file)["Service"]
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
		if !slices.Equal(s["EnvironmentFile"], []string{"/etc/bayestream/bayestream.env"}) {
			t.Errorf("%s reads %v", file, s["EnvironmentFile"])
		}
	}
}

func TestUnitsAreHardened(t *testing.T) {
	for _, file := range units {
		s := unit(t, file)["Service"]
		for key, want := range map[string]string{
			"DynamicUser": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "PrivateDevices": "yes", "PrivateUsers": "yes",
			"ProtectClock": "yes", "ProtectControlGroups": "yes", "ProtectHostname": "yes", "ProtectKernelLogs": "yes", "ProtectKernelModules": "yes",
			"ProtectKernelTunables": "yes", "ProtectProc": "invisible", "CapabilityBoundingSet": "", "NoNewPrivileges": "yes", "RestrictNamespaces": "yes",
			"RestrictRealtime": "yes", "RestrictSUIDSGID": "yes", "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes", "UMask": "0077",
			"SystemCallArchitectures": "native", "RestrictAddressFamilies": "AF_INET AF_INET6", "StateDirectoryMode": "0700", "RestartPreventExitStatus": "2",
		} {
			if !slices.Equal(s[key], []string{want}) {
				t.Errorf("%s: %s is %q, want %q", file, key, s[key], want)
			}
		}
		if !slices.Contains(s["SystemCallFilter"], "@system-service") {
			t.Errorf("%s: system calls are not filtered: %v", file, s["SystemCallFilter"])
		}
	}
}

// What the two units have in common is written twice, and must not drift apart.
func TestUnitsAgree(t *testing.T) {
	own := []string{"ExecStart", "Environment", "StateDirectory"}
	a, b := unit(t, units[ingest])["Service"], unit(t, units[classify])["Service"]
	for key := range a {
		if !slices.Contains(own, key) && !slices.Equal(a[key], b[key]) {
			t.Errorf("%s: %q for ingest, %q for classify", key, a[key], b[key])
		}
	}
	if len(a) != len(b) {
		t.Errorf("ingest has %d settings, classify %d", len(a), len(b))
	}
}

// Each line of the example is a setting, the ones behind a # too.
func TestEnvironmentFile(t *testing.T) {
	const file = "systemd/bayestream.env"
	known := variables(t, ingest)
	for name := range variables(t, classify) {
		known[name] = true
	}
	set, shown := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(#?)([A-Z_]+)=(.*)$`).FindAllStringSubmatch(read(t, file), -1) {
		shown[m[2]] = m[3]
		if m[1] == "" {
			set[m[2]] = m[3]
		}
		if !known[m[2]] {
			t.Errorf("%s: no worker has a setting %s", file, m[2])
		}
	}
	if len(shown) < 10 || len(set) == 0 {
		t.Fatalf("%s shows %d settings and sets %d: the test does not read it right", file, len(shown), len(set))
	}
	settle[config.Ingest](t, file, nil, set)
	settle[config.Classify](t, file, nil, set)
	for _, name := range []string{"BAYESTREAM_STATE", "BAYESTREAM_HTTP"} {
		if _, ok := shown[name]; ok {
			t.Errorf("%s has %s, which belongs to each unit", file, name)
		}
	}
}
