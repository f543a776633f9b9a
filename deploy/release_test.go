package deploy

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReleaseConfiguration: what .goreleaser.yaml names is there, for all systems of a release, and
// the workflow says which goreleaser to run.
func TestReleaseConfiguration(t *testing.T) {
	var c struct {
		Builds []struct {
			Main         string
			Goos, Goarch []string
		}
		Archives []struct{ Files []any }
		Sboms    []struct{ Args []string }
	}
	parse(t, "../.goreleaser.yaml", &c)
	if len(c.Builds) != 1 || len(c.Archives) != 1 || len(c.Sboms) != 1 {
		t.Fatalf("got %+v, want one of each", c)
	}
	systems := strings.Join(c.Builds[0].Goos, " ") + "; " + strings.Join(c.Builds[0].Goarch, " ")
	if want := "linux darwin windows; amd64 arm64"; systems != want {
		t.Errorf("the systems are %s, want %s", systems, want)
	}
	named := []string{c.Builds[0].Main, strings.TrimPrefix(regexp.MustCompile(`bayestream/\S+`).FindString(c.Sboms[0].Args[1]), "bayestream/")}
	for _, file := range c.Archives[0].Files {
		if source, is := file.(map[string]any); is {
			file = source["src"]
		}
		named = append(named, file.(string))
	}
	for _, name := range named {
		if found, err := filepath.Glob(filepath.Join("..", name)); err != nil || len(found) == 0 {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
	if !regexp.MustCompile(`(?m)^ +version: v2\.\d+\.\d+$`).MatchString(read(t, "../.github/workflows/release.yml")) {
		t.Error("the workflow names no version of goreleaser, which make release reads from it")
	}
}
