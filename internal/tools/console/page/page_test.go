package page

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxWeight is what all files of the page weigh on the wire, in bytes.
const maxWeight = 150_000

func get(t *testing.T, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w
}

// All that the page can ask for, packed, and the page itself.
func TestWeight(t *testing.T) {
	total := len(get(t, "/", "Accept-Encoding", "gzip").Body.Bytes())
	for name := range built().assets {
		if strings.HasSuffix(name, ".txt") {
			continue // kept beside the library, not loaded
		}
		r := get(t, built().prefix+name, "Accept-Encoding", "gzip, br")
		if r.Code != http.StatusOK {
			t.Errorf("%s: status %d", name, r.Code)
		}
		total += len(r.Body.Bytes())
	}
	if total > maxWeight {
		t.Errorf("the page weighs %d bytes on the wire, want at most %d", total, maxWeight)
	}
	t.Logf("the page weighs %d bytes on the wire", total)
}

func TestHeaders(t *testing.T) {
	for _, target := range []string{"/", built().prefix + "js/main.js", "/assets/none"} {
		r := get(t, target)
		if got := r.Header().Get("Content-Security-Policy"); got != Policy {
			t.Errorf("%s: policy %q", target, got)
		}
		if got := r.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options %q", target, got)
		}
	}
	if !strings.HasPrefix(Policy, "default-src 'self';") || strings.Contains(Policy, "unsafe") {
		t.Errorf("policy %q", Policy)
	}
}

// An asset is kept for ever under its hash; the page is asked for again, and answered with 304.
func TestCaching(t *testing.T) {
	index, asset := get(t, "/"), get(t, built().prefix+"css/base.css")
	if got := index.Header().Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the page is kept: %q", got)
	}
	if got := asset.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("an asset is not kept: %q", got)
	}
	if got := asset.Header().Get("Content-Type"); got != "text/css; charset=utf-8" {
		t.Errorf("a style has the type %q", got)
	}
	for _, r := range []*httptest.ResponseRecorder{get(t, "/", "If-None-Match", `"x", `+index.Header().Get("ETag")), get(t, built().prefix+"css/base.css", "If-None-Match", "*")} {
		if r.Code != http.StatusNotModified || len(r.Body.Bytes()) > 0 {
			t.Errorf("a file that the client has: status %d", r.Code)
		}
	}
	if r := get(t, "/assets/0000000000000000/css/base.css"); r.Code != http.StatusNotFound {
		t.Errorf("an asset of another version: status %d", r.Code)
	}
}

func TestPacking(t *testing.T) {
	packed := get(t, "/", "Accept-Encoding", "br;q=1, gzip;q=0.5")
	if packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("headers %v", packed.Header())
	}
	z, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for _, accept := range []string{"", "br", "gzip;q=0"} {
		if plain := get(t, "/", "Accept-Encoding", accept); plain.Header().Get("Content-Encoding") != "" || !bytes.Equal(plain.Body.Bytes(), unpacked) {
			t.Errorf("Accept-Encoding %q: not the plain page", accept)
		}
	}
}

func TestMethods(t *testing.T) {
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", http.NoBody))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", w.Code)
	}
	w = httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/", http.NoBody))
	if w.Code != http.StatusOK || w.Body.Len() > 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("HEAD: status %d, %d bytes", w.Code, w.Body.Len())
	}
}

// eachFile calls do with every file of our own.
func eachFile(t *testing.T, do func(name, content string)) {
	t.Helper()
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "static/lib/") {
			return err
		}
		content, err := static.ReadFile(name)
		do(strings.TrimPrefix(name, "static/"), string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// forbidden is what the policy would refuse, or what would make markup of text.
var forbidden = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTML|srcdoc|\beval\(|new Function|javascript:|setAttribute\("style|https?://`)

func TestNothingInline(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<style|\son\w+\s*=|\sstyle\s*=|<script[^>]*>[^<]`)
	eachFile(t, func(name, content string) {
		content = strings.ReplaceAll(content, "http://www.w3.org/2000/svg", "")
		if found := forbidden.FindString(content); found != "" {
			t.Errorf("%s: %s", name, found)
		}
		if found := inline.FindString(content); strings.HasSuffix(name, ".html") && found != "" {
			t.Errorf("%s: %s", name, found)
		}
	})
}

// imports are the modules that a module names, at its head or when it runs.
var imports = regexp.MustCompile(`(?:from |import\()"(\.[^"]+)"`)

// Modules and the page name files that are there, and every file is named.
func TestFilesAreNamed(t *testing.T) {
	links := regexp.MustCompile(`"/assets/([^"]+)"`)
	named := map[string]bool{}
	eachFile(t, func(name, content string) {
		for _, found := range imports.FindAllStringSubmatch(content, -1) {
			named[path.Join(path.Dir(name), found[1])] = true
		}
		for _, found := range links.FindAllStringSubmatch(content, -1) {
			named[found[1]] = true
		}
	})
	for name := range named {
		if built().assets[name] == nil {
			t.Errorf("%s is named and not there", name)
		}
	}
	for name := range built().assets {
		if !named[name] && !strings.HasPrefix(name, "lib/") {
			t.Errorf("%s is there and not named", name)
		}
	}
}

// What is loaded first is said in the page, so that a browser asks for all of it at once.
func TestFirstModulesAreSaid(t *testing.T) {
	index, err := static.ReadFile("static/index.html")
	if err != nil {
		t.Fatal(err)
	}
	static := regexp.MustCompile(`(?m)^import .*"(\.[^"]+)";$`)
	todo, met := []string{"js/main.js", "js/pages/live.js"}, map[string]bool{}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if met[name] {
			continue
		}
		met[name] = true
		if name != "js/main.js" && !strings.Contains(string(index), `<link rel="modulepreload" href="/assets/`+name+`">`) {
			t.Errorf(`index.html lacks <link rel="modulepreload" href="/assets/%s">`, name)
		}
		for _, found := range static.FindAllStringSubmatch(string(built().assets[name].plain), -1) {
			todo = append(todo, path.Join(path.Dir(name), found[1]))
		}
	}
}

// No module needs itself, by way of others: each can be read once those that it imports are known.
func TestNoCircles(t *testing.T) {
	names := map[string][]string{}
	eachFile(t, func(name, content string) {
		for _, found := range imports.FindAllStringSubmatch(content, -1) {
			names[name] = append(names[name], path.Join(path.Dir(name), found[1]))
		}
	})
	done := map[string]bool{}
	var walk func(way []string)
	walk = func(way []string) {
		last := way[len(way)-1]
		if at := slices.Index(way, last); at < len(way)-1 {
			t.Fatalf("a circle: %s", strings.Join(way[at:], " → "))
		}
		if done[last] {
			return
		}
		for _, next := range names[last] {
			walk(append(slices.Clone(way), next))
		}
		done[last] = true
	}
	for name := range names {
		walk([]string{name})
	}
}
