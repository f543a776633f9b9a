package httpapi

import (
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// Version says what is running.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source; absent where it was built outside of a repository
	Modified bool   `json:"modified,omitempty"` // the source had changes that were not committed
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Role     string `json:"role"`
}

// readVersion returns what the build left in the binary; given, if not empty, is the name of the release.
func readVersion(role, given string) Version {
	v := Version{Version: given, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Role: role}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// buildInfo is a series that is always 1 and whose labels say what is running.
func buildInfo(role string) prometheus.Collector {
	v := readVersion(role, "")
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, labelled with what is running.",
		ConstLabels: prometheus.Labels{"version": v.Version, "revision": v.Revision, "goversion": v.Go, "role": role},
	})
	g.Set(1)
	return g
}
