//go:build browser

package browser

import (
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"bayestream/internal/shell/httpapi"
)

// TestConsole opens the page that a worker serves, with everything on it.
func TestConsole(t *testing.T) {
	browser := open(t)
	for _, role := range []string{"ingest", "classify"} {
		t.Run(role, func(t *testing.T) {
			o := httpapi.Options{Addr: "127.0.0.1:0", Role: role, Metrics: httpapi.NewMetrics(role), Log: slog.New(slog.DiscardHandler)}
			if role == "classify" {
				o.Classify = func(_ context.Context, to io.Writer, _ []byte, _ bool) error {
					_, err := io.WriteString(to, "{}")
					return err
				}
			}
			o.Snapshot = func(context.Context) (*os.File, bool, error) { return nil, false, os.ErrNotExist }
			server := httpapi.New(o)
			addr, err := server.Start()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				// the browser keeps connections that it may need
				ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
				defer stop()
				if err := server.Shutdown(ctx); err != nil {
					t.Error(err)
				}
			})
			p := load(browser, t, "http://"+addr+"/")
			links := evaluate[[]string](p, `[...document.querySelectorAll("a")].map((a) => a.getAttribute("href"))`)
			for _, want := range []string{"/metrics", "/v1/model", "/v1/worker"} {
				if !slices.Contains(links, want) {
					t.Errorf("the page links to %q, want %s among them", links, want)
				}
			}
			p.check()
		})
	}
}
