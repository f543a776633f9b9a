package worker

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/config"
)

// TestBootstrapHidesPassword: what a snapshot is fetched with does not get into the log, however the fetch fails.
func TestBootstrapHidesPassword(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/snapshot" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write([]byte("no model file"))
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for name, c := range map[string]struct{ url, says string }{
		"nobody listens": {"http://alice:s3cret@127.0.0.1:1/v1/snapshot", "127.0.0.1:1"},
		"not found":      {"http://alice:s3cret@" + host + "/nothing", "404"},
		"no snapshot":    {"http://alice:s3cret@" + host + "/v1/snapshot", "bootstrap from http://******@" + host},
		"a token":        {"http://s3cret@" + host + "/nothing", "404"},
		"an odd one":     {"http://al@ice:s3c%3Fret@" + host + "/nothing", "bootstrap"},
	} {
		w := &Worker{config: config.Worker{Bootstrap: c.url, State: filepath.Join(t.TempDir(), "model.db")}}
		err := w.bootstrap(t.Context())
		if err == nil || strings.Contains(err.Error(), "s3c") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error about %q without the password", name, err, c.says)
		}
	}
}
