package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/modelfile"
)

// urlSecret is the password of the URLs, and whole the path of a model.
const (
	urlSecret = "S3CRET"
	whole     = "whole/model.db"
)

// placesOf returns URLs with a password, by what becomes of a request. The whole model may be
// fetched and replaced.
func placesOf(t *testing.T, file string) map[string]string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	host := "joe:" + urlSecret + "@" + strings.TrimPrefix(server.URL, "http://")
	mux.HandleFunc("GET /"+whole, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	mux.HandleFunc("PUT /"+whole, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	mux.HandleFunc("/unauthorized", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	mux.HandleFunc("/text", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	mux.HandleFunc("/garbage", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(make([]byte, 1<<16))
	})
	for from, to := range map[string]string{"/moved": "/none", "/circle": "/circle", "/astray": ":bad/none"} {
		mux.HandleFunc(from, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://"+host+to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
	}
	places := map[string]string{
		"refused": "http://joe:" + urlSecret + "@127.0.0.1:1/v1/snapshot", "no path": "http://joe:" + urlSecret + "@127.0.0.1:1",
		"no URL": "http://joe:" + urlSecret + "/x@127.0.0.1:1/v1/snapshot", "no scheme": "ftp://joe:" + urlSecret + "@127.0.0.1:1/v1/snapshot",
	}
	for _, name := range []string{whole, "unauthorized", "none", "text", "garbage", "moved", "circle", "astray"} {
		places[name] = "http://" + host + "/" + name
	}
	return places
}

// here stands for the URL in a command line that does not end with it.
const here = "URL"

// verbsWithURL returns command lines, which end where a URL belongs, or have here there.
func verbsWithURL(t *testing.T, flags []string, model, docs string) map[string][][]string {
	t.Helper()
	const out = "out.db"
	spec := write(t, "spec.yaml", "text: {}\n")
	return map[string][][]string{
		"check":   {{"check", "--model="}, {"check", spec, "--json", "--model="}},
		"eval":    {{"eval", docs, "--model="}, {"eval", docs, "--json", "--model="}},
		"export":  {{"export", "--model="}},
		"inspect": {{"inspect", "--model="}, {"inspect", "--json", "--model="}},
		"predict": {{"predict", docs, "--model="}, {"predict", "--text=prize", "--model="}},
		"copy": {
			slices.Concat([]string{"copy"}, flags[:1], []string{"topic:" + topicOf(flags), out, "--start="}), {"copy", here, out}, {"copy", "--json", here, out + ".gz"}, {"copy", model, ""}, {"copy", "--json", model, ""},
		},
		"verify": {{"verify", "--model="}, {"verify", "--json", "--model="}, slices.Concat([]string{"verify"}, flags, []string{"--model="})},
		// These take no URL, and say so.
		"import": {slices.Concat([]string{"import"}, flags, []string{"--model="})},
		"labels": {{"labels", "--rename", "spam", "ham", "--model="}},
		"train":  {{"train", docs, "--model="}},
	}
}

// No verb writes the password of a URL, whatever becomes of the request. Each line tries the whole
// model and every third of the other places: verbs have one reader of URLs.
func TestNoVerbWritesThePasswordOfAURL(t *testing.T) {
	flags, _ := logOfTwo(t)
	model, docs := filepath.Join(t.TempDir(), "model.db"), write(t, "docs.jsonl", `{"text":"you won a prize","label":"spam"}`)
	mustRun(t, "copy", flags[0], "topic:"+topicOf(flags), model)
	places, lines := placesOf(t, model), verbsWithURL(t, flags, model, docs)
	turn := 0
	for _, name := range verbNames() {
		_, err := run(t, name, "--help")
		takes := strings.Contains(fmt.Sprint(err), "|URL")
		if takes && lines[name] == nil {
			t.Errorf("%s takes a URL and is not tried", name)
		}
		for _, line := range lines[name] {
			turn++
			for i, what := range slices.Sorted(maps.Keys(places)) {
				if what != whole && (i+turn)%3 != 0 {
					continue
				}
				said, err := spoken(t, line, places[what])
				if takes && what == whole && err != nil {
					t.Errorf("%s ends with %v:\n%s", name, err, said)
				}
				if said == "" || strings.Contains(said, urlSecret) {
					t.Errorf("%s, %s: %s says\n%s", name, what, line, said)
				}
			}
		}
	}
}

// spoken runs a verb in a folder of its own, and returns what it writes to both outputs.
func spoken(t *testing.T, line []string, place string) (string, error) {
	t.Helper()
	args := slices.Clone(line)
	if at := slices.Index(args, here); at >= 0 {
		args[at] = place
	} else {
		args[len(args)-1] += place
	}
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = t.TempDir()
	said, err := c.CombinedOutput()
	return string(said), err
}

// The line of progress is called after the last part of a URL, which is its host where there is no
// path.
func TestProgressHasNoPasswordOfAURL(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.db")
	mustRun(t, "train", "--model="+model, write(t, "docs.jsonl", `{"text":"you won a prize","label":"spam"}`))
	place := strings.TrimSuffix(served(t, model), "/v1/snapshot")
	var shown bytes.Buffer
	line := progress.New(&shown, func() int { return 200 }, 0)
	_, err := modelfile.Load(progress.With(t.Context(), line), strings.Replace(place, "://", "://joe:"+urlSecret+"@", 1))
	line.Close()
	if err != nil || !strings.Contains(shown.String(), "***@127.0.0.1") {
		t.Errorf("the line of progress is %q, %v", shown.String(), err)
	}
}
