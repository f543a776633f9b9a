package httpapi

import (
	"bayestream/internal/shell/config/version"

	"github.com/prometheus/client_golang/prometheus"
)

// Version is the answer of GET /version.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source; absent if built outside of a repository
	Modified bool   `json:"modified,omitempty"` // the source had changes that were not committed
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Role     string `json:"role"`
}

// readVersion returns the version of the running build; given, if not empty, is the name of the
// release.
func readVersion(role, given string) Version {
	info := version.Read()
	if given != "" {
		info.Version = given
	}
	return Version{
		Version: info.Version, Revision: info.Revision, Modified: info.Modified,
		Go: info.Go, OS: info.OS, Arch: info.Arch, Role: role,
	}
}

// buildInfo is a series that is always 1, labelled with the running build.
func buildInfo(role string) prometheus.Collector {
	v := readVersion(role, "")
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, labelled with what is running.",
		ConstLabels: prometheus.Labels{"version": v.Version, "revision": v.Revision, "goversion": v.Go, "role": role},
	})
	g.Set(1)
	return g
}
