package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
)

// TestPreset begins a log by a preset, and goes on with it; another one counts differently.
func TestPreset(t *testing.T) {
	topics, err := spec.FindPreset("topics")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) { c.Preset = "topics" })
		defer l.end()
		l.train(document(1, "a"))
		l.learn()
		l.wantCounted(1, 1)
		if got := l.spec; got.Counting() != topics.Spec().Counting() {
			t.Errorf("the log counts by %s", got.YAML())
		}
	})
	c := config.Default[config.Ingest]()
	c.Preset = "mail"
	if s, err := Spec(c); err != nil || s.Format != "mail" {
		t.Errorf("mails are read as %v, %v", s, err)
	}
	c.Spec = filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(c.Spec, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Spec(c); err == nil || !strings.HasPrefix(err.Error(), "--preset is a spec, and --spec names another one") {
		t.Errorf("a file beside the preset: %v", err)
	}
}
