package version

import (
	"runtime/debug"
	"strings"
	"testing"

	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/tokenize"
)

func TestBuildInfoNamesRevisionAndState(t *testing.T) {
	build := &debug.BuildInfo{
		Main: debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
			{Key: "vcs.time", Value: "2026-11-26T18:10:20Z"},
			{Key: "vcs.modified", Value: "true"},
		},
	}
	info := Info{Version: "(devel)", Go: "go1.99", OS: "plan9", Arch: "mips", Format: 5, Tokenizer: 7}
	info.fill(build)
	want := "v1.2.3 (0123456789ab of 2026-11-26, modified), format 5, tokenizer revision 7, go1.99 plan9/mips"
	if got := info.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	info.Modified = false
	if got := info.String(); strings.Contains(got, "modified") {
		t.Errorf("%s speaks of a change where there is none", got)
	}
}

func TestBuildOutsideOfARepository(t *testing.T) {
	info := Info{Version: "(devel)"}
	info.fill(&debug.BuildInfo{})
	if info.Version != "(devel)" || info.Revision != "" || strings.Contains(info.String(), "()") {
		t.Errorf("got %+v, %s", info, info)
	}
}

func TestReadKnowsTheFormats(t *testing.T) {
	if got := Read(); got.Tokenizer != tokenize.Revision || got.Format != codec.Format || got.Go == "" || got.OS == "" || got.Arch == "" || got.Version == "" {
		t.Errorf("got %+v", got)
	}
}
