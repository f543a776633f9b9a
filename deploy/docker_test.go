package deploy

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is a line of a Dockerfile, its continuations joined.
type instruction struct{ name, rest string }

func dockerfile(t *testing.T) (all []instruction) {
	t.Helper()
	text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(read(t, "Dockerfile"), "")
	text = strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.Lines(text) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all = append(all, instruction{name, strings.TrimSpace(rest)})
		}
	}
	return all
}

// last returns what the last instruction of a name says: that of the image that is run.
func last(t *testing.T, name string) string {
	t.Helper()
	for _, i := range slices.Backward(dockerfile(t)) {
		if i.name == name {
			return i.rest
		}
	}
	t.Fatalf("the Dockerfile has no %s", name)
	return ""
}

// imageSettings returns the variables that the image sets.
func imageSettings(t *testing.T) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, i := range dockerfile(t) {
		if name, value, ok := strings.Cut(i.rest, "="); i.name == "ENV" && ok {
			env[name] = value
		}
	}
	return env
}

// stateFolder is where the image keeps the model file.
func stateFolder(t *testing.T) string { return path.Dir(imageSettings(t)["BAYESTREAM_STATE"]) }

func TestImageSettings(t *testing.T) {
	env := imageSettings(t)
	for _, worker := range []string{ingest, classify} {
		c := checkSettings(t, "Dockerfile", worker, nil, env)
		_, port, _ := strings.Cut(c.HTTP, ":")
		if last(t, "EXPOSE") != port || !strings.Contains(last(t, "HEALTHCHECK"), `CMD ["/usr/bin/probe", "http://127.0.0.1:`+port+`/readyz"]`) {
			t.Errorf("%s listens on port %s; EXPOSE %s, HEALTHCHECK %s", worker, port, last(t, "EXPOSE"), last(t, "HEALTHCHECK"))
		}
	}
	if last(t, "VOLUME") != stateFolder(t) {
		t.Errorf("the volume is %s, the model file in %s", last(t, "VOLUME"), stateFolder(t))
	}
}

func TestImageIsEmptyAndHasNoRoot(t *testing.T) {
	if got := last(t, "FROM"); got != "scratch" {
		t.Errorf("the image is built on %s, want scratch", got)
	}
	if got := last(t, "USER"); !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(got) {
		t.Errorf("the user is %s, want numbers other than 0: there are no names in an empty image", got)
	}
	for _, i := range dockerfile(t) {
		if i.name != "FROM" {
			continue
		}
		words := strings.Fields(i.rest)
		if image := words[slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "--") })]; image != "scratch" && !pinned.MatchString(image) {
			t.Errorf("FROM %s is not pinned to a version and a digest", image)
		}
	}
}

// The compiler of the image must know the language of the module.
func TestImageHasTheGoOfTheModule(t *testing.T) {
	image := regexp.MustCompile(`golang:(\d+\.\d+)\.`).FindStringSubmatch(read(t, "Dockerfile"))
	module := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))
	if image == nil || module == nil || image[1] != module[1] {
		t.Errorf("the image compiles with Go %v, go.mod asks for %v", image, module)
	}
}

// built returns the packages that the image is made of.
func built(t *testing.T) []string {
	t.Helper()
	for _, i := range dockerfile(t) {
		if i.name == "RUN" && strings.Contains(i.rest, "go build") {
			if !strings.Contains(i.rest, "CGO_ENABLED=0") {
				t.Errorf("the image is built with cgo: %s", i.rest)
			}
			return regexp.MustCompile(`\./\S+/\S+`).FindAllString(i.rest, -1)
		}
	}
	t.Fatal("the Dockerfile builds nothing")
	return nil
}

func TestImageHasAllBinaries(t *testing.T) {
	packages := built(t)
	for _, want := range []string{"./cmd/bayestream", "./cmd/ingest", "./cmd/classify", "./deploy/probe"} {
		if !slices.Contains(packages, want) {
			t.Errorf("the image lacks %s: %v", want, packages)
		}
	}
}
