// Package version describes the running build of Bayestream, from the build information in the
// binary, and the numbers of its formats.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/tokenize"
)

// Info describes a build.
type Info struct {
	Version   string `json:"version"`            // of the module, "(devel)" for a build of a working copy
	Revision  string `json:"revision,omitempty"` // of the source, where it was built in a repository
	Time      string `json:"time,omitempty"`     // of that revision, in RFC 3339
	Modified  bool   `json:"modified,omitempty"` // the source had changes that were not committed
	Go        string `json:"go"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Format    int    `json:"format"`    // of the model log and of model files
	Tokenizer int    `json:"tokenizer"` // revision: models of different revisions count differently
}

// Read returns the running build.
func Read() Info {
	info := Info{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Format: codec.Format, Tokenizer: tokenize.Revision}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.fill(build)
	}
	return info
}

func (i *Info) fill(build *debug.BuildInfo) {
	if v := build.Main.Version; v != "" {
		i.Version = v
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			i.Revision = setting.Value
		case "vcs.time":
			i.Time = setting.Value
		case "vcs.modified":
			i.Modified = setting.Value == "true"
		}
	}
}

// String returns the build in one line.
func (i Info) String() string {
	source := ""
	if i.Revision != "" {
		source = fmt.Sprintf(" (%.12s of %.10s)", i.Revision, i.Time)
	}
	if i.Revision != "" && i.Modified {
		source = fmt.Sprintf(" (%.12s of %.10s, modified)", i.Revision, i.Time)
	}
	return fmt.Sprintf("%s%s, format %d, tokenizer revision %d, %s %s/%s", i.Version, source, i.Format, i.Tokenizer,
		i.Go, i.OS, i.Arch)
}
