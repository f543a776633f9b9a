package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed static
var static embed.FS

// Policy is the Content-Security-Policy of the page: everything comes from its own server, and text
// never becomes markup.
const Policy = "default-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; object-src 'none'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// asset is a file as it is sent.
type asset struct {
	kind   string // Content-Type
	etag   string
	plain  []byte
	packed []byte // gzip; nil if it is no shorter
}

// site is all that is served: the page, and its assets by the path behind the hash of all of them.
type site struct {
	index  *asset
	prefix string // /assets/HASH/
	assets map[string]*asset
}

var built = sync.OnceValue(build)

// Handler returns what answers GET and HEAD of / and of /assets/.
func Handler() http.Handler { return built() }

// ServeHTTP answers with the page or one of its assets. An asset of another version of the page is
// not there: the page says so and asks to be loaded again.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if r.URL.Path == "/" {
		h.Set("Cache-Control", "no-cache")
		s.index.send(w, r)
		return
	}
	name, ours := strings.CutPrefix(r.URL.Path, s.prefix)
	a := s.assets[name]
	if !ours || a == nil {
		h.Set("Cache-Control", "no-store")
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	a.send(w, r)
}

// send answers with the file, packed where the client can unpack it, or with 304 if the client has
// it.
func (a *asset) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("ETag", a.etag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", a.kind)
	body := a.plain
	if a.packed != nil && unpacks(r.Header.Get("Accept-Encoding")) {
		body = a.packed
		h.Set("Content-Encoding", "gzip")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// unpacks reports whether the header Accept-Encoding takes gzip. A weight of 0 refuses it.
func unpacks(accept string) bool {
	for one := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q="), 64)
		return weight == "" || err != nil || q > 0
	}
	return false
}

// build reads and packs all files. The hash in their path is one of all of them, because modules
// name each other by relative paths.
func build() *site {
	s := &site{assets: map[string]*asset{}}
	sum := sha256.New()
	var index []byte
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := static.ReadFile(name)
		name = strings.TrimPrefix(name, "static/")
		_, _ = sum.Write([]byte(name + "\x00" + strconv.Itoa(len(content)) + "\x00"))
		_, _ = sum.Write(content)
		if name == "index.html" {
			index = content
			return err
		}
		s.assets[name] = newAsset(name, content)
		return err
	})
	if err != nil {
		panic(err) // the files are in the binary
	}
	s.prefix = "/assets/" + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	s.index = newAsset("index.html", bytes.ReplaceAll(index, []byte("/assets/"), []byte(s.prefix)))
	return s
}

func newAsset(name string, content []byte) *asset {
	sum := sha256.Sum256(content)
	a := &asset{kind: kindOf(name), etag: `W/"` + hex.EncodeToString(sum[:8]) + `"`, plain: content}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // it refuses unknown levels alone
	_, _ = z.Write(content)                                    // a buffer takes all
	_ = z.Close()
	if packed.Len() < len(content) {
		a.packed = packed.Bytes()
	}
	return a
}

// kindOf returns the type of a file by its name, not by what this machine has on types.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	panic("the page has a file of a type that is not served: " + name)
}
